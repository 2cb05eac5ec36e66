#include "proto/agent_control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

char *json_line(const json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    char *line = g_strconcat(text ? text : "", "\n", NULL);
    free(text);
    return line;
}

gboolean json_line_send(int fd, const json_t *object)
{
    g_autofree char *line = json_line(object);
    for (gsize sent = 0, length = strlen(line); sent < length;) {
        gssize n = send(fd, line + sent, length - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return FALSE;
        sent += (gsize)n;
    }
    return TRUE;
}
