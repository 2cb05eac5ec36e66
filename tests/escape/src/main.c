#include "attack.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int succeeded(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("SUCCEEDED ", stdout);
    vprintf(format, values);
    putchar('\n');
    va_end(values);
    return SUCCEEDED;
}

int refused(int error, const char *what)
{
    const char *name = strerrorname_np(error);
    printf("refused: %s %s\n", name ? name : "?", what);
    return REFUSED;
}

int broken(const char *what)
{
    printf("broken: %s: %s\n", what, strerror(errno));
    return BROKEN;
}

static const struct attack *find(const char *name)
{
    const struct attack *const tables[] = {calls_attacks, process_attacks, file_attacks,
                                           socket_attacks, terminal_attacks};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct attack *row = tables[i]; row->name; row++) {
            if (!strcmp(row->name, name))
                return row;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct attack *attack = argc > 1 ? find(argv[1]) : NULL;
    if (!attack || argc - 2 < attack->arguments) {
        fputs("usage: attack NAME [ARGUMENT...]\n", stderr);
        return BROKEN;
    }
    return attack->run(argv + 2);
}
