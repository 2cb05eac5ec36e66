/* Divides what a client sends into lines, whose length is limited. */
#pragma once

#include <glib.h>

/* Longest line: a file that is written, or text that is given to a command, is in one. */
#define LINE_MAX_BYTES ((gsize)8 << 20)

typedef struct {
    GByteArray *bytes; /* NULL: none yet */
    gsize begin;       /* of what has not been taken */
    gsize searched;    /* no line ends between BEGIN and here */
    gboolean skips;    /* in a line that is too long */
} lines;

typedef enum {
    LINE_NONE, /* none is complete */
    LINE_READY,
    LINE_TOO_LONG, /* told once; the line is skipped to its end */
} line_state;

void lines_add(lines *self, const char *bytes, gsize length);
/* The next line, without its end: *LINE is valid until lines_add(). */
line_state lines_next(lines *self, const char **line, gsize *length);
void lines_clear(lines *self);
