#include "session/client_query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/unix_socket.h"

/* How long a box may take to say what runs in it. */
#define ANSWER_TIMEOUT_S 2

int client_query(int connection, struct session_info *info)
{
    struct session_header header;
    char *body;
    int fds[3];
    unix_socket_limit_waiting(connection, ANSWER_TIMEOUT_S);
    if (session_send(connection, SESSION_QUERY, NULL, 0, NULL, 0) < 0)
        return -1;
    int got = session_receive(connection, &header, &body, fds);
    if (got != 1) {
        errno = got == 0 ? ECONNRESET : errno;
        return -1;
    }
    int ok = header.type == SESSION_INFO;
    if (ok)
        session_info_read(info, body, header.length);
    free(body);
    errno = EPROTO;
    return ok ? 0 : -1;
}
