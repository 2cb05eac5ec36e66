/* Folders that a box has written, seen and removed as the box's root does it (box.h). */
#include "box/registry/registry.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/subid.h"

/* What to do with a path. A result; -1: it failed. */
typedef gint64 (*tree_action)(const char *path);

/* newuidmap PID 0 ID 1 1 START COUNT: maps the user to root, then the user's subordinate ids. */
static gboolean map_ids(const char *program, const char *file, pid_t child, guint user)
{
    subid_range range;
    int status;
    g_autofree char *found = subid_first(file, &range) ? safe_path_find(program) : NULL;
    if (!found)
        return FALSE;
    g_autofree char *pid = g_strdup_printf("%d", (int)child);
    g_autofree char *id = g_strdup_printf("%u", user);
    g_autofree char *from = g_strdup_printf("%" G_GUINT64_FORMAT, range.start);
    g_autofree char *many = g_strdup_printf("%" G_GUINT64_FORMAT, range.count);
    char *argv[] = {found, pid, (char *)"0", id, (char *)"1", (char *)"1", from, many, NULL};
    return g_spawn_sync("/", argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, NULL) &&
           status == 0;
}

/* In the child: sends the result to PARENT. */
static int act_as_root(tree_action act, const char *path, int parent)
{
    char byte;
    if (unshare(CLONE_NEWUSER) < 0)
        return 1;
    /* Tells the parent that the namespace exists, and waits until the ids are mapped. */
    if (write(parent, "x", 1) != 1 || read(parent, &byte, 1) != 1 || setresgid(0, 0, 0) < 0 ||
        setresuid(0, 0, 0) < 0)
        return 1;
    gint64 result = act(path);
    return write(parent, &result, sizeof result) == sizeof result ? 0 : 1;
}

static gint64 act_in_namespace(tree_action act, const char *path)
{
    int pair[2];
    gint64 result = -1;
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        _exit(act_as_root(act, path, pair[1]));
    }
    close(pair[1]);
    gboolean mapped = child > 0 && read(pair[0], &byte, 1) == 1 &&
                      map_ids("newuidmap", "/etc/subuid", child, getuid()) &&
                      map_ids("newgidmap", "/etc/subgid", child, getgid()) &&
                      write(pair[0], "x", 1) == 1;
    if (!mapped || read(pair[0], &result, sizeof result) != sizeof result)
        result = -1;
    close(pair[0]); /* without the byte, the child exits */
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return result;
}

static gint64 remove_tree(const char *path)
{
    return fs_remove_tree(path, NULL) ? 0 : -1;
}

gboolean discard_tree(const char *path, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (fs_remove_tree(path, &problem) || act_in_namespace(remove_tree, path) == 0)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

gboolean discard_runtime(const char *path, GError **error)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *each = g_build_filename(path, name, NULL);
        if (strcmp(name, "lock") != 0 && !discard_tree(each, error))
            return FALSE;
    }
    return discard_tree(path, error);
}

static gint64 measure_all(const char *path)
{
    return fs_disk_freed(path, NULL);
}

gint64 discard_tree_frees(const char *path)
{
    gboolean complete;
    gint64 bytes = fs_disk_freed(path, &complete);
    gint64 all = complete ? bytes : act_in_namespace(measure_all, path);
    return MAX(MAX(bytes, all), 0);
}
