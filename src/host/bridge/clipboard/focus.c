#include "host/bridge/clipboard/focus.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/bridge/clipboard/xrequest.h"

#define SERVERS_MAX 8

/* A connection of its own: its answers are waited for. */
static struct xlink desktop;
static uint8_t resource;
static uint32_t servers[SERVERS_MAX];
static int n_servers;

int focus_begin(int fd, const unsigned char *cookie)
{
    if (xlink_greet(&desktop, fd, cookie) < 0 || xlink_welcome(&desktop) < 0)
        return -1;
    resource = x_extension(&desktop, "X-Resource", NULL);
    return resource ? 0 : -1;
}

/* A kernel without that file leaves nobody: nothing is shared. */
void focus_of(pid_t server)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)server, (int)server);
    servers[n_servers++] = (uint32_t)server;
    FILE *children = fopen(path, "re");
    while (children && n_servers < SERVERS_MAX && fscanf(children, "%u", &servers[n_servers]) == 1)
        n_servers++;
    if (children)
        fclose(children);
}

int focus_is_there(void)
{
    uint32_t window = x_focus(&desktop);
    uint32_t pid = window == X_NONE ? 0 : x_resource_pid(&desktop, resource, window);
    for (int i = 0; pid && i < n_servers; i++) {
        if (servers[i] == pid)
            return 1;
    }
    return 0;
}
