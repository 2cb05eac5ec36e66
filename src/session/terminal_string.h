/*
 * Which strings (OSC, DCS, APC) of a box reach the user's terminal. libc only.
 *
 * A string is judged by its head; then its payload is passed on as it comes. Everything that is not
 * listed is dropped. So are, by intent, whatever the settings are:
 *  - reading the clipboard; text for a key (DECUDK); fonts and macros (DECDLD, DECDMAC); log files
 *    (OSC 46), fonts by name (OSC 50), whose answers held the box's text in several terminals,
 *  - the folder and the marks of prompts (OSC 7, 133, 633, 1337), from which terminals open new
 *    shells on the host or run commands again,
 *  - images that the terminal would read from, or save to, files of the host,
 *  - what a multiplexer would pass on unread (DCS tmux;).
 *
 * Source: xterm's "Control Sequences" (ctlseqs); the manuals of kitty, iTerm2, ConEmu, urxvt.
 */
#pragma once

#include <string.h>

#include "session/terminal_sequence.h"

/* The head of a string, for the rules that judge it (terminal_string.c, terminal_osc.c). libc only.
 */

/* How strings begin: the byte after ESC. */
enum {
    STRING_OSC = ']',
    STRING_DCS = 'P',
    STRING_APC = '_',
    STRING_PM = '^',
    STRING_SOS = 'X',
    STRING_TITLE = 'k' /* of screen and tmux */
};

enum terminal_verdict {
    VERDICT_MORE, /* the head is not complete */
    VERDICT_PASS,
    VERDICT_ASK, /* the user decides, when all of it has come */
    VERDICT_DROP,
};

struct terminal_string {
    char kind;
    int has_lines; /* its payload may be divided into lines */
    int colour;    /* its payload sets or asks the colours of this OSC; 0: none */
};

#define OSC_PALETTE 4
#define OSC_SPECIALS 5

/* The head of a string. */
struct head {
    const char *at, *end; /* what is not read yet */
    unsigned allowed;
    int has_ended;
    struct terminal_string *string;
    struct terminal_marks *marks;
};

static inline size_t left(const struct head *self)
{
    return (size_t)(self->end - self->at);
}

static inline enum terminal_verdict pass_if(int allowed)
{
    return allowed ? VERDICT_PASS : VERDICT_DROP;
}

static inline int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* 1: the head goes on with WORD, and is moved behind it; 0: not yet; -1: with something else. */
static inline int begins(struct head *self, const char *word)
{
    size_t length = strlen(word), common = left(self) < length ? left(self) : length;
    if (memcmp(self->at, word, common) != 0)
        return -1;
    if (common < length)
        return self->has_ended ? -1 : 0;
    self->at += length;
    return 1;
}

/* The verdict when the head goes on with one of WORDS. */
static inline enum terminal_verdict begins_one(struct head *self, const char *const *words)
{
    enum terminal_verdict verdict = VERDICT_DROP;
    for (; *words; words++) {
        int found = begins(self, *words);
        if (found > 0)
            return VERDICT_PASS;
        if (found == 0)
            verdict = VERDICT_MORE;
    }
    return verdict;
}

/* What is before C, and moves behind it; NULL when there is no C. */
static inline const char *until(struct head *self, char c, size_t *length)
{
    const char *from = self->at, *found = memchr(from, c, left(self));
    if (!found)
        return NULL;
    *length = (size_t)(found - from);
    self->at = found + 1;
    return from;
}

static inline enum terminal_verdict wait_or_drop(const struct head *self)
{
    return self->has_ended ? VERDICT_DROP : VERDICT_MORE;
}

/* Judges the head of an OSC. */
enum terminal_verdict judge_osc(struct head *self);

/*
 * Judges the first LENGTH bytes of a string of SELF's kind. HAS_ENDED: there are no more; the
 * verdict is not VERDICT_MORE then. With VERDICT_PASS, SELF and MARKS know what it will do.
 */
enum terminal_verdict terminal_string_judge(struct terminal_string *self,
                                            struct terminal_marks *marks, unsigned allowed,
                                            const char *head, size_t length, int has_ended);

/* Notes what the next part of the payload does. */
void terminal_string_payload(struct terminal_string *self, struct terminal_marks *marks,
                             const char *data, size_t length);
