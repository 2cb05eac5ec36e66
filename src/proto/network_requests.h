/*
 * Requests of HTTP to a name that is allowed by rules with methods or paths alone
 * (network_rules.h): which of them pass. One matcher for the gate, litterbox-secrets, `box net` and
 * the trust summary. Plain functions, libc only.
 */
#pragma once

#include "proto/http_message.h"
#include "proto/network_record.h"

/* TRUE when all that NARROW allows is allowed by WIDE, too: the same rule, or for more requests. */
bool network_rule_covers(const struct network_rule *wide, const struct network_rule *narrow);

/* The rule that lets a request with METHOD for PATH, which is normalised, pass to NAME and PORT;
 * NULL: it is refused. */
const struct network_rule *network_requests_find(const struct network_rules *rules,
                                                 const char *name, uint16_t port,
                                                 const char *method, const char *path);

/* Why a request is refused, in plain ASCII: for the log; and what would allow it, "": nothing. */
struct request_refusal {
    char reason[NETWORK_REASON_SIZE];
    char command[NETWORK_RULE_SIZE + 32];
};
/* The text for the box, with its NUL. */
#define REQUEST_REFUSAL_SIZE (NETWORK_REASON_SIZE + NETWORK_RULE_SIZE + 96)
void request_refusal_text(const struct request_refusal *self, char text[REQUEST_REFUSAL_SIZE]);

/*
 * Whether REQUEST may pass to NAME and PORT. One that asks for another protocol, or has a field by
 * which a server takes another method or path for those of its first line, may not: nothing would
 * be checked then. FALSE with WHY.
 */
bool network_requests_allow(const struct network_rules *rules, const char *name, uint16_t port,
                            const struct http_message *request, struct request_refusal *why);

/*
 * Writes the rules that decide about requests to NAME and PORT as lines that network_rules_parse()
 * reads, without a NUL; none when every request may pass. Returns their length; -1 when they are
 * longer than SIZE.
 */
ssize_t network_requests_write(const struct network_rules *rules, const char *name, uint16_t port,
                               char *text, size_t size);
/* A number of these lines: when it has changed, requests are decided in another way. 0 for none. */
uint64_t network_requests_digest(const struct network_rules *rules, const char *name,
                                 uint16_t port);
