#include "host/gate/target.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/gate/client_hello.h"
#include "host/gate/fake_names.h"
#include "host/gate/http_head.h"

_Static_assert(TARGET_HEAD_MAX >= CLIENT_HELLO_MAX && TARGET_HEAD_MAX >= HTTP_HEAD_MAX &&
                   TARGET_HEAD_ADDED >= HTTP_HEAD_ADDED,
               "a head fits");

int target_renew(const struct network_rules *rules, struct target *target)
{
    target->rule = target->name[0] ? network_rules_name(rules, target->name, target->port)
                                   : network_rules_address(rules, target->address, target->port);
    return target->rule ? 0 : -1;
}

int target_find(const struct network_rules *rules, const struct sockaddr_in *destination,
                struct target *target, const char **why)
{
    uint32_t address = ntohl(destination->sin_addr.s_addr);
    const char *name = fake_names_find(address);
    *target = (struct target){.address = address, .port = ntohs(destination->sin_port)};
    snprintf(target->name, sizeof target->name, "%s", name ? name : "");
    *why = "no rule allows it";
    if (target_renew(rules, target) < 0)
        return -1;
    target->allows_ech = rules->allows_ech;
    /* A name that the user gave an address or the loopback of the host means just that. */
    if (name && target->rule->kind != RULE_HOST)
        target->first = target->port == 443  ? FIRST_TLS
                        : target->port == 80 ? FIRST_HTTP
                                             : FIRST_ANY;
    return 0;
}

void target_text(const struct target *target, char text[TARGET_TEXT_SIZE])
{
    struct in_addr address = {htonl(target->address)};
    char number[INET_ADDRSTRLEN];
    snprintf(text, TARGET_TEXT_SIZE, "%s:%u",
             target->name[0] ? target->name : inet_ntop(AF_INET, &address, number, sizeof number),
             target->port);
}

static enum head_state check_tls(const struct target *target, const uint8_t *data, size_t length,
                                 const char **why)
{
    struct client_hello hello;
    enum head_state state = client_hello_parse(data, length, &hello, why);
    if (state != HEAD_COMPLETE)
        return state;
    /*
     * Browsers send an encrypted ClientHello that nobody can read, for practice (RFC 9849, 6.2). It
     * looks like a real one, on purpose. A real one leads to the name that is in it, on any server
     * that has the key, such as all of a large front: its public name need not be the outer name
     * (7.1), so that comparing the outer one is not enough. A box that may reach one site of the
     * front would reach all of them. So the user says whether it may.
     */
    if (hello.is_encrypted && !target->allows_ech)
        *why = "it has an encrypted ClientHello, and network.ech is false";
    else if (strcmp(hello.name, target->name) != 0)
        *why = "its ClientHello names another host";
    else
        return HEAD_COMPLETE;
    return HEAD_WRONG;
}

static enum head_state check_http(const struct target *target, uint8_t *data, size_t *length,
                                  const char **why)
{
    struct http_head head;
    enum head_state state = http_head_parse(data, *length, &head, why);
    if (state != HEAD_COMPLETE)
        return state;
    if (strcmp(head.host, target->name) != 0 || head.port != target->port) {
        *why = "its Host is another one";
        return HEAD_WRONG;
    }
    char *written = malloc(head.length + HTTP_HEAD_ADDED);
    if (!written) {
        *why = "there is no memory for it";
        return HEAD_WRONG;
    }
    size_t used = http_head_write(data, head.length, written);
    memmove(data + used, data + head.length, *length - head.length);
    memcpy(data, written, used);
    *length += used - head.length;
    free(written);
    return HEAD_COMPLETE;
}

enum head_state target_check(const struct target *target, uint8_t *data, size_t *length,
                             const char **why)
{
    switch (target->first) {
    case FIRST_TLS:
        return check_tls(target, data, *length, why);
    case FIRST_HTTP:
        return check_http(target, data, length, why);
    case FIRST_ANY:
        return HEAD_COMPLETE;
    }
    return HEAD_WRONG;
}
