/*
 * What a gate did for a program of its box, as a line of its log (NETWORK_RECORDS): a connection,
 * or a name that was asked of its DNS server. The gate writes it and `box net log` reads it. libc
 * only.
 *
 * Fields have a space between them and none in them, but for the last one:
 * DECISION KIND NAME PORT COUNT SENT RECEIVED MILLISECONDS RULE PROGRAM SECRET REASON. "-" is
 * nothing. A line that is not of this form is no record: the process that writes it may be a box's
 * by then.
 */
#pragma once

#include "proto/network_rules.h"

/* The log's name in the box's runtime folder (host/supervisor/helper_log.h). */
#define NETWORK_RECORDS "network"

#define NETWORK_REASON_SIZE 128
/* The reason where a rule would change the decision. */
#define NETWORK_NO_RULE "no rule allows it"
/* Where it was let through all the same ([network] audit). */
#define NETWORK_WOULD_REFUSE "it would have been refused: " NETWORK_NO_RULE
/* How the reasons begin where the user was asked, or was to be. */
#define NETWORK_ASKED "the user "
/* Where no rule would change it. */
#define NETWORK_DENIED "a rule denies it"
/* With their NUL: of the name of a program (comm) and of a secret. */
#define NETWORK_PROGRAM_SIZE 16
#define NETWORK_SECRET_SIZE 33
/* Of a line, with its NUL; without "TIME PROGRAM: " in front of it. */
#define NETWORK_RECORD_SIZE (2 * NETWORK_RULE_SIZE + NETWORK_REASON_SIZE + 210)

enum network_decision {
    NETWORK_ALLOWED,
    NETWORK_REFUSED,
    NETWORK_AUDITED, /* let through, although no rule has it */
    N_NETWORK_DECISIONS,
};
enum network_record_kind { NETWORK_CONNECTION, NETWORK_NAME, N_NETWORK_RECORD_KINDS };

struct network_record {
    enum network_decision decision;
    enum network_record_kind kind;
    char name[HOST_NAME_SIZE];        /* or an address; "": several, not told apart */
    uint16_t port;                    /* 0: unknown, of a name */
    uint64_t count;                   /* of connections alike, or queries */
    uint64_t sent, received;          /* bytes that the box sent and got, of all of them */
    uint64_t ms;                      /* that the longest took */
    char rule[NETWORK_RULE_SIZE + 8]; /* "allow:RULE" or "deny:RULE", that decided; "": none */
    char reason[NETWORK_REASON_SIZE];
    char program[NETWORK_PROGRAM_SIZE]; /* as it calls itself, without blanks; "": unknown */
    char secret[NETWORK_SECRET_SIZE];   /* that was put into its requests; "": none */
};

/* RULE, which may be NULL, has decided. */
void network_record_set_rule(struct network_record *self, const struct network_rule *rule);

/* Writes SELF as a line without its end. */
void network_record_write(const struct network_record *self, char line[NETWORK_RECORD_SIZE]);
/* Parses LINE. 0; -1 when it is no record. */
int network_record_parse(const char *line, struct network_record *self);

/* "allowed", "refused", "audited". */
const char *network_decision_name(enum network_decision decision);
