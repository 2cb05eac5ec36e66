/*
 * What is known of editors: where they run, and how they are told a line and to be waited for.
 *
 * Pure: makes argument vectors out of settings and file names; edit.c runs them in the box.
 */
#pragma once

#include <glib.h>

/* How an editor is told to open FILE at line N; from its manual. */
typedef enum {
    EDITOR_LINE_NONE,
    EDITOR_LINE_PLUS,   /* +N FILE */
    EDITOR_LINE_COLON,  /* FILE:N */
    EDITOR_LINE_GOTO,   /* --goto FILE:N */
    EDITOR_LINE_OPTION, /* --line N FILE */
} editor_line;

typedef struct {
    const char *name; /* of the program, without folder */
    gboolean terminal;
    gboolean folders; /* opens a folder when it is given one */
    editor_line line;
    const char *wait; /* option without which it goes on after it has returned; or NULL */
    const char
        *no_window;      /* a window's editor: option to run in a terminal all the same; or NULL */
    const char *package; /* what has it, where that is not called as the program is */
} editor_kind;

/* All of them, the most wanted first; ends with a row without a name. */
extern const editor_kind editor_kinds[];

/* The row of PROGRAM, a name or a path; NULL when it is none that is known. */
const editor_kind *editor_find(const char *program);

typedef struct {
    char *path; /* absolute */
    guint line; /* from 1; 0: none was given */
} editor_place;
void editor_place_clear(editor_place *place);

/*
 * The place that TEXT means: "FILE", "FILE:LINE" or "FILE:LINE:COLUMN", relative to the current
 * folder. Where a file of exactly that name exists, colons and all, it is that.
 */
void editor_place_read(const char *text, editor_place *place);

/*
 * COMMAND (program and options) with what opens PLACES, or FOLDER when there are none. KIND may be
 * NULL: then lines are not told. TERMINAL and WAIT: what was asked for. A new vector.
 */
char **editor_argv(const editor_kind *kind, const char *const *command, gboolean terminal,
                   gboolean wait, const GArray *places, const char *folder);
