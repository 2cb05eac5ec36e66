#include "box/frozen.h"

#include <fcntl.h>
#include <string.h>

#include "common/fs.h"
#include "session/client.h"

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
    pid_t pid = client_peer(connection);
    g_autofree char *cgroup = pid > 0 ? cgroup_of(pid) : NULL;
    if (!cgroup)
        return FALSE;
    g_autofree char *path = g_strconcat("/sys/fs/cgroup", cgroup, "/cgroup.events", NULL);
    g_autofree char *events = read_text(path);
    return events && strstr(events, "frozen 1") != NULL;
}
