/*
 * What Litterbox knows about editors: whether they need a terminal, and how to tell them a line and
 * to wait. It only makes argument vectors; edit.c runs them in the box.
 */
#pragma once

#include <glib.h>

/* How an editor opens FILE at line N, from its manual. */
typedef enum {
    EDITOR_LINE_NONE,
    EDITOR_LINE_PLUS,   /* +N FILE */
    EDITOR_LINE_COLON,  /* FILE:N */
    EDITOR_LINE_GOTO,   /* --goto FILE:N */
    EDITOR_LINE_OPTION, /* --line N FILE */
} editor_line_syntax;

typedef struct {
    const char *name; /* of the program, without folder */
    gboolean terminal;
    gboolean folders; /* opens a folder that it gets as an argument */
    editor_line_syntax line;
    const char *wait;      /* option to stay in the foreground; or NULL */
    const char *no_window; /* option of an editor with windows to use the terminal; or NULL */
    const char *package;   /* that contains it, when it is not called like the program; or NULL */
} editor_kind;

/* All known editors, preferred ones first; the last row has no name. */
extern const editor_kind editor_kinds[];

/* The row of PROGRAM, a name or a path; NULL when it is unknown. */
const editor_kind *editor_find(const char *program);

typedef struct {
    char *path; /* absolute */
    guint line; /* from 1; 0: none */
} editor_location;
void editor_location_clear(editor_location *location);

/*
 * Parses "FILE", "FILE:LINE" or "FILE:LINE:COLUMN", relative to the current folder. If a file with
 * exactly that name exists, colons included, TEXT means that file.
 */
void editor_location_parse(const char *text, editor_location *location);

/*
 * A new vector: COMMAND (program and options) with the arguments that open LOCATIONS, or FOLDER
 * when there are none. KIND may be NULL; then lines are dropped. TERMINAL and WAIT: what the user
 * wants.
 */
char **editor_argv(const editor_kind *kind, const char *const *command, gboolean terminal,
                   gboolean wait, const GArray *locations, const char *folder);
