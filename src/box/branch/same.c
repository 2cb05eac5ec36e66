#include "box/branch/same.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

mode_t branch_taken_rights(mode_t mode)
{
    return mode & 0777 & ~(mode_t)S_IWOTH;
}

static int same_link(int branch, int host, const char *name)
{
    char one[PATH_MAX], other[PATH_MAX];
    ssize_t n = readlinkat(branch, name, one, sizeof one);
    ssize_t m = readlinkat(host, name, other, sizeof other);
    return n < 0 ? -1 : n == m && memcmp(one, other, (gsize)n) == 0;
}

static int open_file(int folder, const char *name)
{
    return fs_open_beneath(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
}

/* A call less for each of the user's own files, which are most. */
static gboolean may_read(int folder, const char *name, const struct stat *st)
{
    if (st->st_uid == geteuid())
        return (st->st_mode & S_IRUSR) != 0;
    return faccessat(folder, name, R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0;
}

int branch_is_same(int branch, int host, const char *name, const struct stat *branch_st,
                   const struct stat *host_st)
{
    gboolean alike = (branch_st->st_mode & S_IFMT) == (host_st->st_mode & S_IFMT);
    if (S_ISLNK(branch_st->st_mode))
        return alike ? same_link(branch, host, name) : 0;
    if (!host_st->st_mode)
        return may_read(branch, name, branch_st) ? 0 : -1;
    int ours = open_file(branch, name);
    if (ours < 0)
        return -1;
    gboolean same =
        alike && branch_st->st_size == host_st->st_size &&
        branch_taken_rights(branch_st->st_mode) == branch_taken_rights(host_st->st_mode);
    int theirs = same ? open_file(host, name) : -1;
    same = theirs >= 0 && fs_same_contents(ours, theirs);
    if (theirs >= 0)
        close(theirs);
    close(ours);
    return same;
}
