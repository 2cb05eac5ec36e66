#include "common/cgroup.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
/* Bytes of the files that are read here, which have a few lines. */
#define CGROUP_FILE_MAX 8192

char *cgroup_parse_path(const char *text)
{
    const char *line = strstr(text, "0::/");

    if (!line || (line != text && line[-1] != '\n'))
        return NULL;
    line += strlen("0::");
    return g_strndup(line, strcspn(line, "\n"));
}

/* The cgroup of the process PROC ("self", or a PID), a new string; or NULL. */
static char *cgroup_of(const char *process)
{
    g_autofree char *proc = g_build_filename("/proc", process, "cgroup", NULL);
    g_autofree char *text = fs_read_text(proc, CGROUP_FILE_MAX);

    return text ? cgroup_parse_path(text) : NULL;
}

/* The file NAME of CGROUP, which may be NULL; or NULL. */
static char *read_cgroup_file(const char *cgroup, const char *name)
{
    g_autofree char *path = cgroup ? g_build_filename(CGROUP_ROOT, cgroup, name, NULL) : NULL;

    return path ? fs_read_text(path, CGROUP_FILE_MAX) : NULL;
}

gboolean cgroup_has_user_bus(void)
{
    g_autofree char *runtime = paths_users_runtime(NULL);
    g_autofree char *bus = runtime ? g_build_filename(runtime, "bus", NULL) : NULL;

    return bus && access(bus, F_OK) == 0;
}

char *cgroup_delegated_controllers(guint uid)
{
    g_autofree char *service = g_strdup_printf(
        CGROUP_ROOT "/user.slice/user-%u.slice/user@%u.service/cgroup.controllers", uid, uid);
    g_autofree char *words = fs_read_text(service, CGROUP_FILE_MAX);

    if (words && !cgroup_has_user_bus())
        return NULL;
    if (!words) {
        g_autofree char *own = cgroup_of("self");
        words = read_cgroup_file(own, "cgroup.controllers");
    }
    return words && *g_strstrip(words) ? g_steal_pointer(&words) : NULL;
}

gboolean cgroup_has_controller(const char *words, const char *name)
{
    g_auto(GStrv) list = g_strsplit(words ? words : "", " ", -1);

    return g_strv_contains((const char *const *)list, name);
}

gboolean cgroup_is_frozen(pid_t pid)
{
    g_autofree char *process = g_strdup_printf("%d", (int)pid);
    g_autofree char *cgroup = pid > 0 ? cgroup_of(process) : NULL;
    g_autofree char *events = read_cgroup_file(cgroup, "cgroup.events");
    /* Set at once; "frozen" follows when the last process has stopped. */
    g_autofree char *wanted = read_cgroup_file(cgroup, "cgroup.freeze");

    return (events && strstr(events, "frozen 1")) || (wanted && wanted[0] == '1');
}

#define CONTAINER_ID 64

static const char *skip(const char *text, const char *prefix)
{
    return g_str_has_prefix(text, prefix) ? text + strlen(prefix) : text;
}

/* The length of PATH up to the end of its last part that has a container's ID: "libpod-ID.scope",
 * "libpod-ID", or "ID" where crun has named it. 0: there is none. */
static gsize container_length(const char *path)
{
    gsize found = 0;
    for (const char *part = path; (part = strchr(part, '/'));) {
        const char *id = skip(++part, "libpod-");
        const char *rest = id + strspn(id, "0123456789abcdef");
        if (rest - id != CONTAINER_ID)
            continue;
        rest = skip(rest, ".scope");
        if (!*rest || *rest == '/')
            found = (gsize)(rest - path);
    }
    return found;
}

char *cgroup_parse_container(const char *text, const char *own)
{
    g_autofree char *path = cgroup_parse_path(text), *mine = cgroup_parse_path(own);
    gsize length = path ? container_length(path) : 0;
    /* "/..": it is outside of what this process sees. */
    if (!length || !mine || strstr(path, "/../"))
        return NULL;
    path[length] = '\0';
    return fs_is_below(mine, path) ? NULL : g_steal_pointer(&path);
}

char *cgroup_of_container(pid_t pid)
{
    g_autofree char *file = g_strdup_printf("/proc/%d/cgroup", (int)pid);
    g_autofree char *text = pid > 0 ? fs_read_text(file, CGROUP_FILE_MAX) : NULL;
    g_autofree char *own = fs_read_text("/proc/self/cgroup", CGROUP_FILE_MAX);
    return text && own ? cgroup_parse_container(text, own) : NULL;
}

int cgroup_open_freezer(const char *cgroup)
{
    g_autofree char *path = g_build_filename(CGROUP_ROOT, cgroup, "cgroup.freeze", NULL);
    return open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
}

gboolean cgroup_has_frozen(const char *cgroup)
{
    g_autofree char *events = read_cgroup_file(cgroup, "cgroup.events");
    return events && strstr(events, "frozen 1");
}
