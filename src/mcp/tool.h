/* What a tool is: a row of the table in tools.c, from which its schema, the check of its arguments
 * and the manual's list are made. */
#pragma once

#include <glib.h>
#include <jansson.h>

typedef enum {
    FIELD_TEXT,
    FIELD_WHOLE,  /* a whole number */
    FIELD_NUMBER, /* any number */
    FIELD_FLAG,
    FIELD_TEXTS, /* an object of texts */
    FIELD_LIST,  /* an array of texts */
} field_kind;

typedef struct {
    const char *name; /* NULL ends the table */
    field_kind kind;
    gboolean required;
    double least, most;  /* of numbers, both included */
    double fallback;     /* of numbers and flags that are not given */
    const char *choices; /* "a b c": the only values of a text; or NULL */
    const char *says;    /* for the model */
} tool_field;

/* What a call of it may do (annotations of MCP). */
enum tool_hints {
    TOOL_READS = 1 << 0,    /* changes nothing */
    TOOL_DESTROYS = 1 << 1, /* may overwrite or end something */
    TOOL_REPEATS = 1 << 2,  /* a second call with the same arguments changes nothing more */
    TOOL_OUTSIDE = 1 << 3,  /* may reach the network */
};

struct call;

typedef struct {
    const char *name, *title, *description;
    const tool_field *fields;
    const char *output; /* JSON Schema (2020-12) of its structured result */
    unsigned hints;     /* enum tool_hints */
    /* Begins CALL, whose arguments are checked, and answers it now or later. */
    void (*start)(struct call *call);
} tool;

/* In the order in which they are listed; the last has no name. */
extern const tool tools[];
const tool *tool_find(const char *name);
/* As tools/list has it; a new object. */
json_t *tool_json(const tool *self);

/* Why ARGUMENTS (an object) do not fit FIELDS, a new string for the model; NULL: they do. */
char *tool_check(const tool_field *fields, json_t *arguments);
/* Checked arguments by name. TEXT: NULL when it is not given; numbers and flags: the fallback. */
const char *tool_text(json_t *arguments, const char *name);
double tool_number(const tool *self, json_t *arguments, const char *name);
gboolean tool_flag(json_t *arguments, const char *name);

/* Paths that a model gives: only text. What a path leads to is looked at in the box alone. */

#define PROJECT_PATH_OUTSIDE "paths must lie below the project: give one that is relative to it"

/* TEXT (relative to PROJECT, or an absolute path below it) relative to PROJECT; "." for itself. A
 * new string; NULL when it lies outside, or is too long. */
char *project_path(const char *project, const char *text);
