#include "host/gate/target.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/gate/client_hello.h"
#include "host/gate/fake_names.h"
#include "host/gate/secret_routes.h"
#include "proto/http_fields.h"
#include "proto/http_message.h"
#include "proto/network_record.h"

_Static_assert(TARGET_HEAD_MAX >= CLIENT_HELLO_MAX && TARGET_HEAD_MAX >= HTTP_HEAD_MAX &&
                   TARGET_HEAD_ADDED >= HTTP_HEAD_ADDED,
               "a head fits");

/* A secret that was attached or detached changes who serves a name. The server that a base URL
 * leads to needs a rule as well. */
static bool is_served_as_before(const struct network_rules *rules, const struct target *target)
{
    bool has_secret = secret_routes_find(target->name, target->port) != NULL;
    return has_secret == target->has_secret &&
           (!has_secret || network_rules_name(rules, target->server, target->server_port));
}

/* Of the rules for its requests, which go to another name where a base URL leads. */
static uint64_t digest_requests(const struct network_rules *rules, const struct target *target)
{
    const char *name = target->has_secret ? target->server : target->name;
    uint16_t port = target->has_secret ? target->server_port : target->port;
    return name[0] ? network_requests_digest(rules, name, port) : 0;
}

/* A rule with methods or paths needs somebody who reads the requests; and those that were let
 * through must not go on by rules that do not hold any more. */
static bool is_checked(const struct network_rules *rules, const struct target *target)
{
    return digest_requests(rules, target) == target->requests &&
           (!target->requests || target->has_secret || target->first == FIRST_HTTP);
}

/*
 * Audit takes the place of the rule that a name lacks, and of nothing else: a box that finds it on
 * must not reach more of the machine and its network than by any rule with a name in it. So an
 * address, the host and what a rule denies stay refused here, what the name leads to is looked at
 * where it is dialled (dial.c), and what is said in target_check(). Nor does a name
 * get a secret without its rule: who takes a rule away, takes the key away from the host.
 */
static bool is_audited(const struct network_rules *rules, const struct target *target)
{
    return target->is_unknown && target->name[0] && !target->has_secret &&
           network_rules_unlisted(rules, target->name, target->port) == UNLISTED_AUDITED;
}

int target_renew(const struct network_rules *rules, struct target *target)
{
    const struct network_rule *rule =
        target->name[0] ? network_rules_decide(rules, target->name, target->port)
                        : network_rules_decide_address(rules, &target->address, target->port);
    /* No rule can name a fake address. */
    target->is_unknown = !rule && (target->name[0] || !network_address_is_fake(&target->address));
    target->rule =
        rule && !rule->denies && is_served_as_before(rules, target) && is_checked(rules, target)
            ? rule
            : NULL;
    target->rules = rules;
    target->is_audited = is_audited(rules, target);
    return target->rule || (target->is_unknown && target->is_approved) || target->is_audited ? 0
                                                                                             : -1;
}

static void find_server(struct target *target)
{
    const struct secret_route *route = secret_routes_find(target->name, target->port);
    if (!route)
        return;
    target->has_secret = true;
    memcpy(target->server, route->server, sizeof target->server);
    target->server_port = route->server_port;
}

/* A name that the user gave an address or the loopback of the host means just that. */
static int first_of(const struct target *target)
{
    if (target->has_secret)
        return FIRST_ANY; /* litterbox-secrets looks at all of it */
    if (target->port == 22)
        return FIRST_SSH;
    if (!target->name[0] || strcmp(target->name, HOST_IN_BOX) == 0)
        return FIRST_ANY;
    return target->port == 443 ? FIRST_TLS : target->port == 80 ? FIRST_HTTP : FIRST_ANY;
}

int target_find(const struct network_rules *rules, const struct sockaddr_in6 *destination,
                struct target *target, const char **why)
{
    const struct in6_addr *address = &destination->sin6_addr;
    const char *name =
        network_address_is_v4(address) ? fake_names_find(network_address_to_v4(address)) : NULL;
    *target = (struct target){.address = *address, .port = ntohs(destination->sin6_port)};
    snprintf(target->name, sizeof target->name, "%s", name ? name : "");
    find_server(target);
    target->first = first_of(target);
    target->allows_ech = rules->allows_ech;
    target->requests = digest_requests(rules, target);
    if (target_renew(rules, target) == 0)
        return 0;
    *why = target->is_unknown ? NETWORK_NO_RULE : NETWORK_DENIED;
    return -1;
}

void target_host(const struct target *target, char text[HOST_NAME_SIZE])
{
    char number[NETWORK_ADDRESS_SIZE];
    network_address_text(&target->address, number);
    snprintf(text, HOST_NAME_SIZE, "%s", target->name[0] ? target->name : number);
}

void target_text(const struct target *target, char text[TARGET_TEXT_SIZE])
{
    char host[HOST_NAME_SIZE];
    target_host(target, host);
    snprintf(text, TARGET_TEXT_SIZE, "%s:%u", host, target->port);
}

/* Behind the ClientHello there may be data for a session that is resumed (RFC 8446, 2.3). */
static bool has_second_hello(struct target *target, const uint8_t *data, size_t length)
{
    bool of_handshake = false;
    target->hellos = (struct second_hello){0};
    for (size_t part; length > 0 && !of_handshake; data += part, length -= part)
        part = tls_records_next(&target->hellos.box, data, length, &of_handshake);
    return of_handshake;
}

static enum head_state check_tls(struct target *target, const uint8_t *data, size_t length,
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
    else if (has_second_hello(target, data + hello.size, length - hello.size))
        *why = TARGET_HELLO_UNASKED;
    else
        return HEAD_COMPLETE;
    return HEAD_WRONG;
}

/* The head is passed on as it is written anew, and of what follows it just the body. */
static enum head_state rewrite_http(struct target *target, size_t head_length, uint8_t *data,
                                    size_t *length, const char **why)
{
    ssize_t body = http_body_take(&target->body, data + head_length, *length - head_length);
    char *written = malloc(head_length + HTTP_HEAD_ADDED);
    if (body < 0 || !written) {
        free(written);
        *why = body < 0 ? "its body is malformed" : "there is no memory for it";
        return HEAD_WRONG;
    }
    size_t used = http_head_write(data, head_length, written);
    memmove(data + used, data + head_length, (size_t)body);
    memcpy(data, written, used);
    *length = used + (size_t)body;
    free(written);
    return HEAD_COMPLETE;
}

static enum head_state check_http(struct target *target, uint8_t *data, size_t *length,
                                  const char **why)
{
    struct http_message request;
    enum head_state state =
        http_read_request((const char *)data, *length, HTTP_PORT, &request, why);
    if (state != HEAD_COMPLETE)
        return state;
    if (strcmp(request.host, target->name) != 0 || request.port != target->port) {
        *why = "its Host is another one";
        return HEAD_WRONG;
    }
    if (target->requests && !network_requests_allow(target->rules, target->name, target->port,
                                                    &request, &target->refusal)) {
        *why = target->refusal.reason;
        return HEAD_WRONG;
    }
    target->body = request.body;
    target->body.is_plain = true;
    return rewrite_http(target, request.length, data, length, why);
}

enum head_state target_check(struct target *target, uint8_t *data, size_t *length, const char **why)
{
    switch (target->first) {
    case FIRST_TLS:
        return check_tls(target, data, *length, why);
    case FIRST_HTTP:
        return check_http(target, data, length, why);
    case FIRST_ANY:
    case FIRST_SSH:
        return HEAD_COMPLETE;
    }
    return HEAD_WRONG;
}

#define CLOSE "Connection: close\r\n"

static bool is_of_connection(struct http_text line)
{
    struct http_text name, value;
    return http_split_field(line, &name, &value) &&
           (http_is(name, "Connection") || http_is(name, "Proxy-Connection") ||
            http_is(name, "Keep-Alive") || http_is(name, "Upgrade") ||
            http_is(name, "HTTP2-Settings"));
}

size_t http_head_write(const uint8_t *data, size_t length, char *out)
{
    const char *text = (const char *)data;
    size_t at = 0, used = 0, begin = 0;
    struct http_text line;
    while (http_next_line(text, length, &at, &line)) {
        if (line.length == 0) {
            memcpy(out + used, CLOSE, sizeof CLOSE - 1);
            used += sizeof CLOSE - 1;
        }
        if (!is_of_connection(line)) {
            memcpy(out + used, text + begin, at - begin);
            used += at - begin;
        }
        begin = at;
    }
    return used;
}
