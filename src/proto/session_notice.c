#include "proto/session_notice.h"

#include <errno.h>
#include <stdlib.h>

char *notice_name(int terminal, int client)
{
    return g_strdup_printf("%d.%d", terminal, client);
}

/* Reads the number at the start of *NAME, and moves *NAME behind it. */
static gboolean read_number(const char **name, int least, int *number)
{
    char *end;
    errno = 0;
    long value = strtol(*name, &end, 10);
    if (errno || end == *name || value < least || value > G_MAXINT32)
        return FALSE;
    *number = (int)value;
    *name = end;
    return TRUE;
}

gboolean notice_name_parse(const char *name, int *terminal)
{
    int client;
    return read_number(&name, NOTICE_NO_TERMINAL, terminal) && *name++ == '.' &&
           read_number(&name, 1, &client) && !*name;
}
