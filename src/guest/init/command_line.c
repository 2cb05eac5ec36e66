#include "guest/init/command_line.h"

#include <stdlib.h>
#include <string.h>

char **command_line_hide(int argc, char **argv)
{
    char **copy = calloc((size_t)argc + 1, sizeof *copy);
    for (int i = 0; copy && i < argc; i++) {
        if (!(copy[i] = strdup(argv[i])))
            return NULL;
    }
    if (!copy || argc < 2)
        return copy;
    /* The kernel lays the words out one behind the other. Where the last byte is not NUL it takes
     * them for overwritten as by setproctitle(3), and shows them up to the first NUL. */
    char *end = argv[argc - 1] + strlen(argv[argc - 1]);
    memset(argv[1], 0, (size_t)(end - argv[1]));
    *end = '.';
    return copy;
}
