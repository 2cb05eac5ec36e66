#include "box/session/connection.h"

#include <errno.h>
#include <unistd.h>

#include "box/registry/branch.h"
#include "box/registry/branch_names.h"
#include "net/unix_socket.h"
#include "session/client_connect.h"

int box_connect(const struct box *self)
{
    if (state_flag_is_set(self, STATE_FLAG_STOPPING)) {
        errno = ECONNREFUSED;
        return -1;
    }
    g_autofree char *ctl = g_build_filename(self->runtime, "ctl", NULL);
    return unix_socket_connect_in(ctl, SESSION_SOCKET, SOCK_STREAM);
}

pid_t box_find_init(const struct box *self)
{
    int fd = box_connect(self);
    pid_t pid = fd < 0 ? 0 : unix_socket_peer_pid(fd);
    if (fd >= 0)
        close(fd);
    return MAX(pid, 0);
}

gboolean box_query_sessions(const struct box *self, struct session_info *info)
{
    int fd = box_connect(self);
    gboolean known = fd >= 0 && client_query(fd, info) == 0;
    if (fd >= 0)
        close(fd);
    return known;
}

gboolean box_check_branches_stopped(const struct box *self, gboolean copies, const char *why,
                                    GError **error)
{
    g_auto(GStrv) names = branch_names(self->name);
    for (char **name = names; *name; name++) {
        g_autoptr(box) branch = branch_find(self, *name, NULL);
        if (!branch || (branch->isolated && !copies) || !box_find_init(branch))
            continue;
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE, "branch '%s' %s: run 'box stop %s' first",
                    *name, why, branch->name);
        return FALSE;
    }
    return TRUE;
}

void box_set_paused_error(const struct box *self, GError **error)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                "box '%s' is paused: run 'podman unpause %s' to resume it, or 'box restart'",
                self->name, self->container);
}
