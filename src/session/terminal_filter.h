/*
 * A filter on what a box prints to the user's terminal. It passes text and the sequences that
 * terminal_sequence.h and terminal_string.h list, and drops everything else. libc only.
 *
 * What a terminal makes of a sequence must be what the filter took it for. So the filter
 *  - passes a control sequence as a whole, when its last byte has come, and a string's head when
 *    it is known what it does: at most TERMINAL_SEQUENCE_MAX bytes are kept,
 *  - ends a string itself that something else than its terminator ends, as terminals differ there,
 *  - passes valid UTF-8 alone. Some terminals take an invalid byte for a control character
 *    (Alacritty, urxvt), or an encoded one (U+0080 to U+009F: VTE, PuTTY).
 *
 * The states are those of Paul Williams' parser (https://vt100.net/emu/dec_ansi_parser). How the
 * bytes are divided into calls makes no difference to what passes.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "session/terminal_copy.h"
#include "session/terminal_string.h"

/* What passes the filter of one call. Inline, as it runs for each piece. libc only. */

struct terminal_output {
    char *data;
    size_t length, room;
};

/* Forgets what was put, and makes room for ROOM bytes. 0: there is no memory. */
static inline int terminal_output_begin(struct terminal_output *self, size_t room)
{
    self->length = 0;
    if (self->room >= room)
        return 1;
    char *data = realloc(self->data, room);
    if (!data)
        return 0;
    self->data = data;
    self->room = room;
    return 1;
}

static inline void terminal_output_put(struct terminal_output *self, const void *data,
                                       size_t length)
{
    if (length > self->room - self->length)
        length = self->room - self->length; /* never: there was room for all that can pass */
    memcpy(self->data + self->length, data, length);
    self->length += length;
}

enum terminal_state {
    TERMINAL_GROUND,
    TERMINAL_ESCAPE,  /* ESC, and the intermediates in HELD */
    TERMINAL_CONTROL, /* a control sequence is in HELD */
    TERMINAL_HEAD,    /* a string's head is in HELD, */
    TERMINAL_PASS,    /* its payload passes, */
    TERMINAL_COPY,    /* is held back until the user has answered, */
    TERMINAL_DROP,    /* or is dropped */
};

/* All zero is a filter that allows no more than text, colours and the like. */
struct terminal_filter {
    unsigned allowed; /* TERMINAL_… */
    struct terminal_marks marks;

    enum terminal_state state;
    int escape;   /* in a string: an ESC came, which may begin its terminator */
    int too_long; /* HELD is full, and the sequence is dropped */
    struct terminal_string string;
    char held[TERMINAL_SEQUENCE_MAX];
    size_t n_held;
    struct terminal_copy copy; /* a text for the clipboard, with TERMINAL_ASK_CLIPBOARD */
    unsigned char part[4];     /* a character that is not complete */
    size_t n_part;

    struct terminal_output out;
};

/*
 * Filters LENGTH bytes. Returns how many bytes are to be printed; *OUT, which points at these, is
 * DATA or the filter's own, and valid until the next call. 0 when there is no memory.
 */
size_t terminal_filter_run(struct terminal_filter *self, const char *data, size_t length,
                           const char **out);

/*
 * The host will print something itself, or the output has ended. Returns what the host has to print
 * first: the end of a string that is open, whose rest is dropped then, or "".
 */
const char *terminal_filter_interrupt(struct terminal_filter *self);

void terminal_filter_clear(struct terminal_filter *self);
