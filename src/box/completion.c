#include "box/completion.h"

#include <string.h>

completion_value completion_value_of(const option *row)
{
    static const struct {
        const char *argument;
        completion_value value;
    } known[] = {
        {"DIR", VALUE_FOLDER},
        {"PATH", VALUE_FILE},
        {"FILE", VALUE_FILE},
        {"K=V", VALUE_VARIABLE},
    };

    if (row->kind == OPTION_FLAG)
        return VALUE_NONE;
    if (row->choices)
        return VALUE_CHOICE;
    for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
        if (g_strcmp0(row->argument, known[i].argument) == 0)
            return known[i].value;
    return VALUE_ANYTHING;
}
