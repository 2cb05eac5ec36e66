#include "box/exec/interpreter.h"

#include <string.h>

static const interpreter interpreters[] = {
    {"bash", "bash", "sh", "-s"}, {"node", "node", "nodejs", "-"},
    {"perl", "perl", NULL, "-"},  {"python", "python3", "python", "-"},
    {"ruby", "ruby", NULL, "-"},  {"sh", "sh", NULL, "-s"},
};

const interpreter *interpreter_find(const char *language)
{
    for (gsize i = 0; i < G_N_ELEMENTS(interpreters); i++) {
        if (strcmp(interpreters[i].language, language) == 0)
            return &interpreters[i];
    }
    return NULL;
}

char **interpreter_command(const interpreter *self, char **arguments)
{
    GPtrArray *words = g_ptr_array_new();
    g_ptr_array_add(words, (gpointer)self->program);
    g_ptr_array_add(words, (gpointer)self->argument);
    if (arguments && *arguments && strcmp(self->argument, "-s") == 0)
        g_ptr_array_add(words, (gpointer) "--");
    for (; arguments && *arguments; arguments++)
        g_ptr_array_add(words, *arguments);
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}
