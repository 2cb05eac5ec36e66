#include "guest/init/proc_stat.h"

#include <stdio.h>
#include <string.h>

/* The name in parentheses may hold anything, ") Z 1" included, but is short. */
int proc_stat_parse(const char *line, struct process *process)
{
    const char *open = strchr(line, '('), *close = strrchr(line, ')');
    *process = (struct process){0};
    if (!open || !close || close < open || sscanf(line, "%d (", &process->pid) != 1 ||
        sscanf(close + 1, " %c %d %*d %*d %d", &process->state, &process->parent,
               &process->terminal) != 3)
        return -1;
    size_t length = (size_t)(close - open - 1);
    if (length >= PROCESS_NAME_MAX)
        length = PROCESS_NAME_MAX - 1;
    memcpy(process->name, open + 1, length);
    return 0;
}
