#include "host/bridge/x11/window_manager.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "host/bridge/core/bridge.h"
#include "net/unix_socket.h"
#include "proto/bridge_status.h"

static int open_program(void)
{
    char path[PATH_MAX];
    return bridge_beside(X11_MANAGER, path, sizeof path) < 0 ? -1 : open(path, O_PATH | O_CLOEXEC);
}

/* By the folder: the whole path may be too long for a socket's name. */
static int connect_to_display(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d/" BRIDGE_X11 "/" BRIDGE_X11_SOCKET,
             bridge.runtime);
    return unix_socket_connect(path, SOCK_STREAM | SOCK_NONBLOCK);
}

static void drop(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int x11_manager_open(int *program, int *connection, int *probe)
{
    *program = open_program();
    *connection = *program < 0 ? -1 : connect_to_display();
    *probe = *connection < 0 ? -1 : connect_to_display();
    if (*probe >= 0)
        return 0;
    drop(program);
    drop(connection);
    return -1;
}
