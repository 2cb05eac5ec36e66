#include "box/frozen.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#include "common/fs.h"

/* Both files are a few lines. */
#define CGROUP_MAX 8192

static char *read_text(const char *path)
{
    char *text = NULL;
    return fs_read(AT_FDCWD, path, CGROUP_MAX, &text, NULL, NULL) ? text : NULL;
}

/* The cgroup v2 of PID, "/user.slice/…"; NULL when there is none. */
static char *cgroup_of(pid_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/cgroup", (int)pid);
    g_autofree char *text = read_text(path);
    const char *line = text ? strstr(text, "0::/") : NULL;
    if (!line || (line != text && line[-1] != '\n'))
        return NULL;
    line += strlen("0::");
    return g_strndup(line, strcspn(line, "\n"));
}

gboolean frozen_is(int connection)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 || peer.pid <= 0)
        return FALSE;
    g_autofree char *cgroup = cgroup_of(peer.pid);
    if (!cgroup)
        return FALSE;
    g_autofree char *path = g_strconcat("/sys/fs/cgroup", cgroup, "/cgroup.events", NULL);
    g_autofree char *events = read_text(path);
    return events && strstr(events, "frozen 1") != NULL;
}
