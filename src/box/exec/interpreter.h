/* Programs of a box that read code from standard input. */
#pragma once

#include <glib.h>

typedef struct {
    const char *language;
    const char *program, *instead; /* INSTEAD: where there is no PROGRAM; or NULL */
    const char *argument;          /* the code is on standard input */
} interpreter;

/* All languages, as the choices of an option. */
#define INTERPRETER_LANGUAGES "bash node perl python ruby sh"

/* NULL: unknown. */
const interpreter *interpreter_find(const char *language);
/* A new array of borrowed words: what runs it, with the words ARGUMENTS (may be NULL) for the code.
 */
char **interpreter_command(const interpreter *self, char **arguments);
