#include "box/registry/branch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"

#define MADE_BY_MCP "mcp"
#define USED "used"

static char *mark_file(const struct box *self, const char *name)
{
    return g_build_filename(self->data, name, NULL);
}

/* When that is unknown, it is the user's. */
branch_owner branch_owner_of(const struct box *self)
{
    struct stat st;
    g_autofree char *made = mark_file(self, MADE_BY_MCP), *used = mark_file(self, USED);
    if (lstat(made, &st) < 0)
        return BRANCH_OF_USER;
    return lstat(used, &st) < 0 && errno == ENOENT ? BRANCH_OF_MCP : BRANCH_OF_BOTH;
}

const char *branch_owner_name(branch_owner self)
{
    static const char *const names[] = {
        [BRANCH_OF_USER] = "user", [BRANCH_OF_MCP] = "mcp", [BRANCH_OF_BOTH] = "both"};
    return names[self];
}

gboolean branch_owner_set_mcp(const struct box *self, GError **error)
{
    g_autofree char *made = mark_file(self, MADE_BY_MCP);
    return fs_write(made, "", 0, 0600, error);
}

gboolean branch_owner_join(const struct box *self, GError **error)
{
    g_autofree char *used = mark_file(self, USED);
    return branch_owner_of(self) != BRANCH_OF_MCP || fs_write(used, "", 0, 0600, error);
}

int branch_owner_hold(const struct box *self)
{
    g_autofree char *made = mark_file(self, MADE_BY_MCP);
    int fd = open(made, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

gboolean branch_owner_holds(const struct box *self, int lock)
{
    struct stat own, held;
    g_autofree char *made = mark_file(self, MADE_BY_MCP);
    return lstat(made, &own) == 0 && fstat(lock, &held) == 0 && own.st_dev == held.st_dev &&
           own.st_ino == held.st_ino;
}
