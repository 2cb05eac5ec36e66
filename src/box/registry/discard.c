#include "box/registry/discard.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/subid.h"

/* newuidmap PID 0 ID 1 1 START COUNT: maps the user to root, then the user's subordinate ids. */
static gboolean map_ids(const char *program, const char *file, pid_t child, guint user)
{
    subid_range range;
    int status;
    if (!subid_first(file, &range))
        return FALSE;
    g_autofree char *pid = g_strdup_printf("%d", (int)child);
    g_autofree char *id = g_strdup_printf("%u", user);
    g_autofree char *from = g_strdup_printf("%" G_GUINT64_FORMAT, range.start);
    g_autofree char *many = g_strdup_printf("%" G_GUINT64_FORMAT, range.count);
    char *argv[] = {(char *)program, pid,  (char *)"0", id,  (char *)"1",
                    (char *)"1",     from, many,        NULL};
    return g_spawn_sync("/", argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status,
                        NULL) &&
           status == 0;
}

static int remove_as_root(const char *path, int parent)
{
    char byte;
    if (unshare(CLONE_NEWUSER) < 0)
        return 1;
    /* Tells the parent that the namespace exists, and waits until the ids are mapped. */
    if (write(parent, "x", 1) != 1 || read(parent, &byte, 1) != 1 || setresgid(0, 0, 0) < 0 ||
        setresuid(0, 0, 0) < 0)
        return 1;
    return fs_remove_tree(path, NULL) ? 0 : 1;
}

static gboolean remove_in_namespace(const char *path)
{
    int pair[2], status = 1;
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return FALSE;
    pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        _exit(remove_as_root(path, pair[1]));
    }
    close(pair[1]);
    gboolean mapped = child > 0 && read(pair[0], &byte, 1) == 1 &&
                      map_ids("newuidmap", "/etc/subuid", child, getuid()) &&
                      map_ids("newgidmap", "/etc/subgid", child, getgid());
    if (mapped && write(pair[0], "x", 1) != 1)
        mapped = FALSE;
    close(pair[0]); /* without the byte, the child exits */
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return mapped && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

gboolean discard_tree(const char *path, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (fs_remove_tree(path, &problem) || remove_in_namespace(path))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}
