#include "common/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text.h"

/* How often openat2 is tried again when somebody renames folders while it resolves. */
#define BENEATH_TRIES 64
/* Files of /proc and /sys say that they are empty; most fit into this. */
#define SIZE_UNKNOWN ((gsize)1024)
/* Names that a temporary file tries, should others have the first. */
#define NAME_TRIES 64
/* How long fs_lock waits before it says so, and how often it looks meanwhile. */
#define LOCK_PATIENCE_US 500000
#define LOCK_STEP_US 10000

/* Sets a G_FILE_ERROR from errno: "cannot VERB 'PATH': …". Returns FALSE. */
static gboolean fail(GError **error, const char *verb, const char *path)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved), "cannot %s '%s': %s", verb,
                safe, g_strerror(saved));
    return FALSE;
}

/* The same for what is not the system's but our own refusal. */
static gboolean refuse(GError **error, const char *path, const char *why)
{
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s' %s", safe, why);
    return FALSE;
}

static int open_resolving(int dirfd, const char *path, int flags, mode_t mode, guint64 resolve)
{
    /* O_PATH takes no O_NOCTTY, and openat2 checks. */
    int always = O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY);
    gboolean makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    struct open_how how = {
        .flags = (guint)(flags | always),
        .mode = makes ? mode : 0,
        .resolve = resolve,
    };
    int fd = -1;

    /* No fallback on ENOSYS: without openat2 nothing below a hostile folder is opened. */
    for (int i = 0; i < BENEATH_TRIES && fd < 0; i++) {
        fd = syscall(SYS_openat2, dirfd, path, &how, sizeof how);
        if (fd < 0 && errno != EAGAIN && errno != EINTR)
            break;
    }
    return fd;
}

int fs_open_beneath(int dirfd, const char *path, int flags, mode_t mode)
{
    return open_resolving(dirfd, path, flags, mode,
                          RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

int fs_open_in_root(int root, const char *path, int flags)
{
    return open_resolving(root, path, flags, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

gboolean fs_make_folder(const char *path, mode_t mode, GError **error)
{
    struct stat st;

    if (g_mkdir_with_parents(path, mode) < 0)
        return fail(error, "make the folder", path);
    if (stat(path, &st) < 0)
        return fail(error, "look at the folder", path);
    if (!S_ISDIR(st.st_mode))
        return refuse(error, path, "is no folder");
    if (st.st_uid != geteuid())
        return refuse(error, path, "belongs to another user");
    return TRUE;
}

gboolean fs_read_fd(int fd, const char *name, gsize max, char **data, gsize *length, GError **error)
{
    struct stat st;
    gsize used = 0;

    if (fstat(fd, &st) < 0)
        return fail(error, "look at", name);
    if (!S_ISREG(st.st_mode))
        return refuse(error, name, "is not a regular file");
    if ((guint64)st.st_size > max)
        return refuse(error, name, "is too large");

    /* One more than the size: a file that grows meanwhile is noticed, and is read to its end. */
    gsize room = st.st_size > 0 ? (gsize)st.st_size + 1 : MIN(SIZE_UNKNOWN, max + 1);
    g_autofree char *buffer = g_malloc(room + 1);
    for (;;) {
        ssize_t got = read(fd, buffer + used, room - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(error, "read", name);
        if (got == 0)
            break;
        used += got;
        if (used > max)
            return refuse(error, name, "is too large");
        if (used == room) {
            room = MIN(2 * room, max + 1);
            buffer = g_realloc(buffer, room + 1);
        }
    }
    buffer[used] = '\0';
    *data = g_steal_pointer(&buffer);
    if (length)
        *length = used;
    return TRUE;
}

gboolean fs_read(int dirfd, const char *path, gsize max, char **data, gsize *length, GError **error)
{
    /* O_NONBLOCK: a FIFO with no writer must not hold us here. */
    int fd = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fail(error, "open", path);
    gboolean ok = fs_read_fd(fd, path, max, data, length, error);
    close(fd);
    return ok;
}

gboolean fs_write_all(int fd, const char *data, gsize length)
{
    while (length > 0) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return FALSE;
        data += n;
        length -= n;
    }
    return TRUE;
}

/* After this the rename itself survives a crash. */
static gboolean sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return FALSE;
    int result = fsync(fd);
    close(fd);
    /* Some file systems (FUSE) cannot sync a folder: nothing more can be done there. */
    return result == 0 || errno == EINVAL;
}

/* A file without a name, which a kill at any moment takes with it; where there are none (NFS, an
 * old overlayfs), one that is called TEMPORARY. */
static int open_temporary(const char *folder, char *temporary, gboolean *unnamed)
{
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    *unnamed = fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL);
    return *unnamed ? fd : mkostemp(temporary, O_CLOEXEC);
}

/* Calls FD, which has no name, TEMPORARY, whose XXXXXX are replaced. */
static gboolean give_name(int fd, char *temporary)
{
    g_autofree char *self = g_strdup_printf("/proc/self/fd/%d", fd);
    char *digits = temporary + strlen(temporary) - strlen("XXXXXX");
    for (int i = 0; i < NAME_TRIES; i++) {
        g_snprintf(digits, strlen("XXXXXX") + 1, "%06x", g_random_int() & 0xffffff);
        if (linkat(AT_FDCWD, self, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0)
            return TRUE;
        if (errno != EEXIST)
            break;
    }
    memcpy(digits, "XXXXXX", strlen("XXXXXX")); /* the last name is another's */
    return FALSE;
}

gboolean fs_write(const char *path, const char *data, gssize length, mode_t mode, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *temporary = g_build_filename(folder, ".litterbox-XXXXXX", NULL);
    gboolean unnamed;
    int fd = open_temporary(folder, temporary, &unnamed);
    if (fd < 0)
        return fail(error, "write into", folder);

    gboolean ok = fchmod(fd, mode) == 0 &&
                  fs_write_all(fd, data, length < 0 ? strlen(data) : (gsize)length) &&
                  fsync(fd) == 0 && (!unnamed || give_name(fd, temporary));
    int written = errno;
    if (close(fd) < 0 && ok) {
        ok = FALSE;
        written = errno;
    }
    errno = written;
    if (!ok || rename(temporary, path) < 0) {
        int saved = errno;
        unlink(temporary);
        errno = saved;
        return fail(error, "write", path);
    }
    return sync_folder(folder) || fail(error, "sync", folder);
}

/* TRUE when PATH still names the file that FD has open: the holder before us may have removed it.
 */
static gboolean still_there(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static gboolean flock_patiently(int fd, const char *path, gboolean *told,
                                void (*waited)(const char *path))
{
    for (int spent = 0; !*told && spent < LOCK_PATIENCE_US; spent += LOCK_STEP_US) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return TRUE;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return FALSE;
        g_usleep(LOCK_STEP_US);
    }
    if (waited && !*told)
        waited(path);
    *told = TRUE;
    while (flock(fd, LOCK_EX) < 0) {
        if (errno != EINTR)
            return FALSE;
    }
    return TRUE;
}

int fs_lock(const char *path, void (*waited)(const char *path), GError **error)
{
    gboolean told = FALSE;
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
        if (fd < 0) {
            fail(error, "open the lock", path);
            return -1;
        }
        if (!flock_patiently(fd, path, &told, waited)) {
            fail(error, "take the lock", path);
            close(fd);
            return -1;
        }
        if (still_there(fd, path))
            return fd;
        close(fd);
    }
}
