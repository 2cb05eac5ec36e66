/*
 * Which names the user is being asked about, and which were refused a moment ago: what becomes of a
 * connection to a name and port that no rule has. Plain policy, without a clock, a process or a
 * socket of its own. libc only.
 *
 *   - One question a name and port: further connections wait for its answer, too.
 *   - At most ASK_QUESTIONS_MAX questions of the box and ASK_WAITING_MAX connections at a time. A
 *     burst of ASK_BURST questions, then one each ASK_REFILL_MS: a box must not flood the user.
 *   - A name and port that the user refused, or did not answer, is refused for ASK_REFUSED_MS, so
 *     that a program that tries again and again does not ask each time.
 *
 * Times are in milliseconds, monotonic.
 */
#pragma once

#include "net/token_bucket.h"
#include "proto/gate_question.h"

/* One fewer than the SSH agent lets wait for a box, so that it can still ask about a key. */
#define ASK_QUESTIONS_MAX 3
#define ASK_WAITING_MAX 256
#define ASK_BURST 10
#define ASK_REFILL_MS 6000
#define ASK_REFUSED_MS 60000
/* More than can be refused in that time. */
#define ASK_ENTRIES 32

enum ask_state { ASK_FREE, ASK_OPEN, ASK_REFUSED };

struct ask_entry {
    enum ask_state state;
    char name[HOST_NAME_SIZE];
    uint16_t port;
    unsigned waiting;    /* connections; of OPEN */
    int64_t until;       /* of REFUSED */
    enum gate_reply why; /* of REFUSED */
};

/* All zero at first. */
struct ask_table {
    struct ask_entry entries[ASK_ENTRIES];
    struct token_bucket limit;
    unsigned open, waiting;
};

enum ask_verdict {
    ASK_BEGIN,  /* ask the user; the connection waits in the entry */
    ASK_JOIN,   /* the user is being asked; it waits in the entry */
    ASK_RECENT, /* refused: it was refused a moment ago */
    ASK_TOO_OFTEN,
    ASK_TOO_MANY,
};

/* A connection to NAME and PORT has come. *ENTRY: where it waits, of BEGIN and JOIN, or why it is
 * refused, of RECENT. */
enum ask_verdict ask_table_add(struct ask_table *self, const char *name, uint16_t port, int64_t now,
                               struct ask_entry **entry);
/* A connection that waits in ENTRY has gone. The question goes on until the caller ends it: the
 * answer counts for the next. */
void ask_table_leave(struct ask_table *self, struct ask_entry *entry);
/* ENTRY, which is OPEN, was answered; no connection waits in it any more. */
void ask_table_end(struct ask_table *self, struct ask_entry *entry, enum gate_reply reply,
                   int64_t now);
