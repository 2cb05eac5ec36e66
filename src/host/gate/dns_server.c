#include "host/gate/gate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "host/gate/dns_message.h"
#include "host/gate/fake_names.h"
#include "host/gate/journal.h"
#include "net/event_clients.h"
#include "sys/debug.h"

/* Bytes of a query. Longer ones are cut off, and cannot be read then. */
#define QUERY_MAX 4096
/* Queries that are answered in a row before other events are handled. */
#define DATAGRAMS_A_TURN 32
/* TCP connections at a time, and how long one may take. */
#define CLIENTS_MAX 16
#define CLIENT_MS 10000

static const struct network_rules *dns_rules;

/* 0: it has none. */
static uint32_t fake_address_of(const char *name)
{
    static bool was_full;
    uint32_t address = fake_names_address(name, network_rules_has_exact_name(dns_rules, name));
    if (address == 0 && !was_full)
        fprintf(stderr, "no address for '%s', nor for other names that have had none: %s\n", name,
                strerror(errno));
    was_full |= address == 0;
    return address;
}

static enum dns_code decide(const struct dns_question *question, struct dns_record *record)
{
    if (question->type == DNS_PTR) {
        *record =
            (struct dns_record){DNS_PTR, 0, fake_names_find(dns_reverse_address(question->name))};
        return record->name ? DNS_NO_ERROR : DNS_NO_NAME;
    }
    bool has_rule = question->name[0] && network_rules_has_name(dns_rules, question->name);
    if (!has_rule && (!question->name[0] ||
                      network_rules_unlisted(dns_rules, question->name, 0) == UNLISTED_REFUSED))
        return DNS_NO_NAME;
    if (question->type != DNS_A && question->type != DNS_ANY)
        return DNS_NO_ERROR;
    *record = (struct dns_record){DNS_A, fake_address_of(question->name), NULL};
    return record->address ? DNS_NO_ERROR : DNS_SERVER_FAILURE;
}

static void record_refused(const char *name)
{
    struct network_record made = {
        .decision = NETWORK_REFUSED, .kind = NETWORK_NAME, .count = 1, .reason = NETWORK_NO_RULE};
    const struct network_rule *rule = network_rules_decide(dns_rules, name, 0);
    snprintf(made.name, sizeof made.name, "%s", name);
    network_record_set_rule(&made, rule);
    if (rule) /* of deny: no other one is for every port */
        snprintf(made.reason, sizeof made.reason, NETWORK_DENIED);
    journal_add(&made);
}

/* Answers QUERY in ANSWER, of DNS_ANSWER_MAX bytes. Returns its length; 0: there is no answer. */
static size_t answer_query(const uint8_t *query, size_t size, uint8_t *answer)
{
    struct dns_question question;
    struct dns_record record = {0};
    if (dns_question_parse(query, size, &question) < 0)
        return 0;
    if (question.code == DNS_NO_ERROR)
        question.code = decide(&question, &record);
    if (question.code == DNS_NO_NAME && question.name[0] && question.type != DNS_PTR)
        record_refused(question.name);
    debug_log(DEBUG_GATE, "DNS: '%s', type %u: code %d", question.name, question.type,
              question.code);
    return dns_answer(&question, question.code, &record, answer);
}

static void udp_ready(struct event_watch *watch, uint32_t events)
{
    uint8_t query[QUERY_MAX], answer[DNS_ANSWER_MAX];
    for (int i = 0; i < DATAGRAMS_A_TURN; i++) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        ssize_t size =
            recvfrom(watch->fd, query, sizeof query, 0, (struct sockaddr *)&from, &length);
        if (size < 0)
            return;
        size_t answered = answer_query(query, (size_t)size, answer);
        if (answered > 0)
            sendto(watch->fd, answer, answered, MSG_DONTWAIT | MSG_NOSIGNAL,
                   (struct sockaddr *)&from, length);
    }
}

/* A TCP connection: queries and answers with their length in front (RFC 1035, 4.2.2). */
struct dns_client {
    struct event_client connection;
    size_t used;
    uint8_t query[2 + QUERY_MAX];
};

/* FALSE: the connection must end. */
static bool answer_client(struct dns_client *self, size_t size)
{
    uint8_t answer[2 + DNS_ANSWER_MAX];
    size_t length = answer_query(self->query + 2, size, answer + 2);
    answer[0] = (uint8_t)(length >> 8);
    answer[1] = (uint8_t)length;
    return length > 0 && send(self->connection.watch.fd, answer, length + 2,
                              MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)length + 2;
}

static void client_ready(struct event_watch *watch, uint32_t events)
{
    struct dns_client *self = watch->owner;
    ssize_t got = recv(watch->fd, self->query + self->used, sizeof self->query - self->used, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    bool goes_on = got > 0;
    self->used += goes_on ? (size_t)got : 0;
    while (goes_on && self->used >= 2) {
        size_t size = (size_t)self->query[0] << 8 | self->query[1];
        if (self->used < 2 + size) {
            goes_on = size <= QUERY_MAX;
            break;
        }
        goes_on = answer_client(self, size);
        self->used -= 2 + size;
        memmove(self->query, self->query + 2 + size, self->used);
    }
    if (!goes_on)
        event_client_end(&self->connection);
}

void dns_server_start(const struct network_rules *wanted, int udp, int tcp)
{
    static struct event_watch udp_watch = {.ready = udp_ready};
    static struct event_clients clients = {.size = sizeof(struct dns_client),
                                           .most = CLIENTS_MAX,
                                           .ms = CLIENT_MS,
                                           .ready = client_ready};
    dns_rules = wanted;
    udp_watch.fd = udp;
    event_watch_set(&udp_watch, EPOLLIN);
    event_clients_start(&clients, tcp);
}
