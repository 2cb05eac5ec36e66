#include "box/json.h"

#include <stdio.h>
#include <unistd.h>

void json_print(json_t *value)
{
    json_dumpf(value, stdout, isatty(STDOUT_FILENO) ? JSON_INDENT(2) : JSON_COMPACT);
    putchar('\n');
    json_decref(value);
}
