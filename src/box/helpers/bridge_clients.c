#include "box/helpers/bridge.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "proto/bridge_status.h"

/* Largest list of a box's sockets that is read. */
#define SOCKETS_MAX (4 << 20)

/*
 * In /proc/net/unix a connected socket, "… 0001 03 INODE PATH", of the listener's side has its
 * name, and is listed in the network namespace of who has connected (unix(7), af_unix.c of the
 * kernel).
 */
int desktop_clients(const struct box *self, pid_t pid)
{
    g_autofree char *wayland =
        g_strconcat(" ", self->runtime, "/" BRIDGE_FOLDER "/" BRIDGE_WAYLAND, NULL);
    g_autofree char *x11 =
        g_strconcat(" ", self->runtime, "/" BRIDGE_X11 "/" BRIDGE_X11_SOCKET, NULL);
    g_autofree char *list = g_strdup_printf("/proc/%d/net/unix", (int)pid);
    g_autofree char *text = NULL;
    int count = 0;
    if ((access(wayland + 1, F_OK) < 0 && access(x11 + 1, F_OK) < 0) ||
        !fs_read(AT_FDCWD, list, SOCKETS_MAX, &text, NULL, NULL))
        return -1;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        count += (g_str_has_suffix(*line, wayland) || g_str_has_suffix(*line, x11)) &&
                 strstr(*line, " 0001 03 ");
    return count;
}
