#include "proto/network_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const decisions[] = {
    [NETWORK_ALLOWED] = "allowed", [NETWORK_REFUSED] = "refused", [NETWORK_AUDITED] = "audited"};
_Static_assert(sizeof decisions / sizeof *decisions == N_NETWORK_DECISIONS, "one name each");
static const char *const record_kinds[] = {[NETWORK_CONNECTION] = "tcp", [NETWORK_NAME] = "dns"};
_Static_assert(sizeof record_kinds / sizeof *record_kinds == N_NETWORK_RECORD_KINDS,
               "one name each");

#define NOTHING "-"

const char *network_decision_name(enum network_decision decision)
{
    return decisions[decision];
}

void network_record_set_rule(struct network_record *self, const struct network_rule *rule)
{
    char text[NETWORK_RULE_SIZE];
    self->rule[0] = '\0';
    if (!rule)
        return;
    network_rule_text(rule, text);
    snprintf(self->rule, sizeof self->rule, "%s:%s", rule->denies ? "deny" : "allow", text);
}

/* A rule has at most one space, behind its method, and is one word here. */
static void turn(char *rule, char from, char to)
{
    char *at = strchr(rule, ':'), *found = at ? strchr(at, from) : NULL;
    for (const char *c = found ? at + 1 : NULL; c && c < found; c++)
        if (*c != '-' && (*c < 'A' || *c > 'Z'))
            return;
    if (found)
        *found = to;
}

static const char *or_nothing(const char *text)
{
    return text[0] ? text : NOTHING;
}

void network_record_write(const struct network_record *self, char line[NETWORK_RECORD_SIZE])
{
    char rule[sizeof self->rule];
    memcpy(rule, self->rule, sizeof rule);
    turn(rule, ' ', '+');
    snprintf(line, NETWORK_RECORD_SIZE, "%s %s %s %u %llu %llu %llu %llu %s %s %s %s",
             decisions[self->decision], record_kinds[self->kind], or_nothing(self->name),
             self->port, (unsigned long long)self->count, (unsigned long long)self->sent,
             (unsigned long long)self->received, (unsigned long long)self->ms, or_nothing(rule),
             or_nothing(self->program), or_nothing(self->secret), or_nothing(self->reason));
}

/* Cuts the next word off *REST, in place; NULL: there is none. */
static char *next_word(char **rest)
{
    char *word = *rest, *end = word ? strchr(word, ' ') : NULL;
    if (!end || end == word)
        return NULL;
    *end = '\0';
    *rest = end + 1;
    return word;
}

/* Its index in NAMES; -1: it is none of them. */
static int find_name(const char *word, const char *const *names, int count)
{
    for (int i = 0; word && i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

/* 18 digits do not overflow. */
static int parse_number(const char *word, uint64_t most, uint64_t *number)
{
    size_t length = word ? strlen(word) : 0;
    if (length == 0 || length > 18 || word[strspn(word, "0123456789")] ||
        (word[0] == '0' && length > 1))
        return -1;
    *number = strtoull(word, NULL, 10);
    return *number <= most ? 0 : -1;
}

static int parse_recorded_name(const char *word, char name[HOST_NAME_SIZE])
{
    struct network_prefix address;
    char text[NETWORK_ADDRESS_SIZE];
    const char *wrong;
    name[0] = '\0';
    if (!word || strcmp(word, NOTHING) == 0)
        return word ? 0 : -1;
    if (network_prefix_parse(word, &address, &wrong) < 0)
        return host_name_normalise(word, strlen(word), name);
    if (address.bits < 128)
        return -1;
    network_address_text(&address.address, text);
    snprintf(name, HOST_NAME_SIZE, "%s", text);
    return 0;
}

static int parse_rule(char *word, struct network_record *self)
{
    struct network_rule rule;
    const char *wrong, *colon = word ? strchr(word, ':') : NULL;
    network_record_set_rule(self, NULL);
    if (!word || strcmp(word, NOTHING) == 0)
        return word ? 0 : -1;
    turn(word, '+', ' ');
    bool denies = strncmp(word, "deny:", 5) == 0;
    if ((!denies && strncmp(word, "allow:", 6) != 0) ||
        network_rule_parse(colon + 1, denies, &rule, &wrong) < 0)
        return -1;
    network_record_set_rule(self, &rule);
    return 0;
}

/* A word of printable ASCII that fits into SIZE bytes of TEXT. */
static int parse_word(const char *word, char *text, size_t size)
{
    size_t length = word ? strlen(word) : 0;
    for (size_t i = 0; i < length; i++)
        if (word[i] <= ' ' || word[i] > '~')
            return -1;
    if (length == 0 || length >= size)
        return -1;
    snprintf(text, size, "%s", strcmp(word, NOTHING) == 0 ? "" : word);
    return 0;
}

/* Printable ASCII. */
static int parse_reason(const char *rest, char reason[NETWORK_REASON_SIZE])
{
    size_t length = strlen(rest);
    for (const char *c = rest; *c; c++)
        if (*c < ' ' || *c > '~')
            return -1;
    if (length == 0 || length >= NETWORK_REASON_SIZE)
        return -1;
    snprintf(reason, NETWORK_REASON_SIZE, "%s", strcmp(rest, NOTHING) == 0 ? "" : rest);
    return 0;
}

int network_record_parse(const char *line, struct network_record *self)
{
    char copy[NETWORK_RECORD_SIZE], *rest = copy;
    uint64_t port;
    size_t length = strlen(line);
    *self = (struct network_record){0};
    if (length >= sizeof copy)
        return -1;
    memcpy(copy, line, length + 1);
    int decision = find_name(next_word(&rest), decisions, N_NETWORK_DECISIONS);
    int kind = find_name(next_word(&rest), record_kinds, N_NETWORK_RECORD_KINDS);
    if (decision < 0 || kind < 0 || parse_recorded_name(next_word(&rest), self->name) < 0 ||
        parse_number(next_word(&rest), UINT16_MAX, &port) < 0 ||
        parse_number(next_word(&rest), UINT64_MAX, &self->count) < 0 ||
        parse_number(next_word(&rest), UINT64_MAX, &self->sent) < 0 ||
        parse_number(next_word(&rest), UINT64_MAX, &self->received) < 0 ||
        parse_number(next_word(&rest), UINT64_MAX, &self->ms) < 0 ||
        parse_rule(next_word(&rest), self) < 0 ||
        parse_word(next_word(&rest), self->program, sizeof self->program) < 0 ||
        parse_word(next_word(&rest), self->secret, sizeof self->secret) < 0 ||
        parse_reason(rest, self->reason) < 0)
        return -1;
    self->decision = (enum network_decision)decision;
    self->kind = (enum network_record_kind)kind;
    self->port = (uint16_t)port;
    return 0;
}
