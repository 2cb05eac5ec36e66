/* What a connection of a box is for, and whether its first bytes are for that. libc only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/gate/client_hello.h"
#include "proto/head_state.h"
#include "proto/http_body.h"
#include "proto/network_requests.h"

struct target {
    const struct network_rule *rule; /* that allows it, or NULL */
    bool is_unknown;                 /* no rule denies it either */
    bool is_approved;                /* then the user has allowed it, once */
    bool is_audited;                 /* or [network] audit lets it through */
    char name[HOST_NAME_SIZE];       /* "": it was dialled by its address */
    struct in6_addr address;         /* that it dialled */
    uint16_t port;
    bool has_secret; /* litterbox-secrets reads its requests; these say which server is dialled */
    char server[HOST_NAME_SIZE];
    uint16_t server_port;
    bool allows_ech; /* an encrypted ClientHello may pass */
    enum { FIRST_ANY, FIRST_TLS, FIRST_HTTP, FIRST_SSH } first; /* what its first bytes must be */
    struct http_body body;             /* of HTTP: what the box may still send */
    struct second_hello hellos;        /* of TLS: whether another ClientHello may follow */
    const struct network_rules *rules; /* that RULE is of */
    uint64_t requests;                 /* network_requests_digest() of them */
    struct request_refusal refusal;    /* of a request */
};

/* Most bytes that target_check() wants to see, and bytes by which it may make them longer. */
#define TARGET_HEAD_MAX (64 * 1024)
#define TARGET_HEAD_ADDED 32

#define TARGET_HELLO_UNASKED "it goes on before the server has answered its ClientHello"

/* Finds what DESTINATION (box_network.h), which a box dialled, stands for. 0; -1 with *WHY it is
 * refused; the rest is then set as far as it is known. */
int target_find(const struct network_rules *rules, const struct sockaddr_in6 *destination,
                struct target *target, const char **why);

/* Looks its rule up again, in new RULES. -1 when nothing lets it through any more. */
int target_renew(const struct network_rules *rules, struct target *target);

/* Its name, or the address that was dialled. */
void target_host(const struct target *target, char text[HOST_NAME_SIZE]);
/* "api.example.com:443", for messages. */
#define TARGET_TEXT_SIZE (HOST_NAME_SIZE + 8)
void target_text(const struct target *target, char text[TARGET_TEXT_SIZE]);

/*
 * Looks at the first LENGTH bytes of the box, at DATA, which has room for TARGET_HEAD_ADDED more.
 * COMPLETE: they are for TARGET, and may have been changed; *LENGTH is what is to be passed on.
 * WRONG: *WHY says why not. The records of a second ClientHello (client_hello.h) are looked at like
 * the first ones.
 */
enum head_state target_check(struct target *target, uint8_t *data, size_t *length,
                             const char **why);

/* The head of an HTTP/1 request (proto/http_message.h) as it is passed on. A plain function over a
 * buffer, libc only. */

/* What http_head_write() adds at most. */
#define HTTP_HEAD_ADDED 32

/*
 * Writes the head of LENGTH bytes at DATA, which was COMPLETE, to OUT, of LENGTH + HTTP_HEAD_ADDED
 * bytes, with "Connection: close" in place of its own fields of the connection. So the client knows
 * that the connection takes one request (RFC 9112, 9.6), and the server switches to no other
 * protocol (RFC 9110, 7.8). Returns its length.
 */
size_t http_head_write(const uint8_t *data, size_t length, char *out);
