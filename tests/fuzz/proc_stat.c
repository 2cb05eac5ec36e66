/* Fuzzes the parser of /proc/PID/stat, in which a process has chosen its name. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/proc_stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct proc_stat process;
    char *line = malloc(size + 1);
    memcpy(line, data, size);
    line[size] = '\0';
    if (proc_stat_parse(&process, line) == 0)
        assert(strlen(process.name) < PROC_STAT_NAME_MAX && process.state);
    free(line);
    return 0;
}
