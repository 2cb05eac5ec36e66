#include "common/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text.h"

/* Retries of openat2, which fails with EAGAIN if a folder is renamed while it resolves the path. */
#define OPENAT2_TRIES 64
/* First buffer for files of /proc and /sys, whose st_size is 0; most of them are smaller. */
#define SIZE_UNKNOWN ((gsize)1024)
/* Random names to try for a temporary file before giving up. */
#define NAME_TRIES 64
/* ".litterbox-PID-XXXXXX": PID tells fs_remove_temporary() whether the writer still lives. */
#define TEMPORARY_PREFIX ".litterbox-"
/* fs_lock() polls this long before it calls back and blocks. */
#define LOCK_POLL_US 500000
#define LOCK_POLL_INTERVAL_US 10000

gboolean fs_fail(GError **error, const char *verb, const char *path)
{
    int saved = errno;
    if (!error) /* the words for errno load tables of character sets */
        return FALSE;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved), "cannot %s '%s': %s", verb,
                safe, g_strerror(saved));
    return FALSE;
}

/* For what we refuse although no system call failed. Returns FALSE. */
static gboolean refuse(GError **error, const char *path, const char *why)
{
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s' %s", safe, why);
    return FALSE;
}

static int open_resolving(int dirfd, const char *path, int flags, mode_t mode, guint64 resolve)
{
    /* openat2 fails with EINVAL if O_NOCTTY is combined with O_PATH, or a mode with neither
     * O_CREAT nor O_TMPFILE. */
    int always = O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY);
    gboolean creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    struct open_how how = {
        .flags = (guint)(flags | always),
        .mode = creates ? mode : 0,
        .resolve = resolve,
    };
    int fd = -1;

    /* No fallback on ENOSYS: without openat2 a path below a hostile folder cannot be opened safely.
     */
    for (int i = 0; i < OPENAT2_TRIES && fd < 0; i++) {
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

int fs_open_below(const char *folder, const char *path, int flags)
{
    int top = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int fd = top < 0 ? -1 : fs_open_beneath(top, path, flags, 0);
    int saved = errno;
    if (top >= 0)
        close(top);
    errno = saved;
    return fd;
}

int fs_open_real(const char *path, int flags)
{
    return fs_open_below("/", path[1] ? path + 1 : ".", flags);
}

gboolean fs_leads_out(int dirfd, const char *path)
{
    int fd = open_resolving(dirfd, path, O_PATH, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
    int problem = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return problem == EXDEV || problem == ELOOP;
}

int fs_open_in_root(int root, const char *path, int flags)
{
    return open_resolving(root, path, flags, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

int fs_open_on_mount(int root, const char *path, int flags)
{
    return open_resolving(root, path, flags, 0,
                          RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
}

gboolean fs_is_below(const char *path, const char *folder)
{
    gsize length = strlen(folder);

    if (strcmp(folder, "/") == 0)
        return path[0] == '/';
    return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

gboolean fs_make_folder(const char *path, mode_t mode, GError **error)
{
    struct stat st;

    if (g_mkdir_with_parents(path, mode) < 0)
        return fs_fail(error, "make the folder", path);
    if (stat(path, &st) < 0)
        return fs_fail(error, "inspect the folder", path);
    if (!S_ISDIR(st.st_mode))
        return refuse(error, path, "is not a folder");
    if (st.st_uid != geteuid())
        return refuse(error, path, "belongs to another user");
    return TRUE;
}

gboolean fs_read_fd(int fd, const char *name, gsize max, char **data, gsize *length, GError **error)
{
    struct stat st;
    gsize used = 0;

    if (fstat(fd, &st) < 0)
        return fs_fail(error, "inspect", name);
    if (!S_ISREG(st.st_mode))
        return refuse(error, name, "is not a regular file");
    if ((guint64)st.st_size > max)
        return refuse(error, name, "is too large");

    /* One byte more than st_size: a full buffer shows that the file has grown since fstat(). */
    gsize capacity = st.st_size > 0 ? (gsize)st.st_size + 1 : MIN(SIZE_UNKNOWN, max + 1);
    g_autofree char *buffer = g_malloc(capacity + 1);
    for (;;) {
        ssize_t got = read(fd, buffer + used, capacity - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fs_fail(error, "read", name);
        if (got == 0)
            break;
        used += got;
        if (used > max)
            return refuse(error, name, "is too large");
        if (used == capacity) {
            capacity = MIN(2 * capacity, max + 1);
            buffer = g_realloc(buffer, capacity + 1);
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
    /* O_NONBLOCK: without it, open() of a FIFO that has no writer would block. */
    int fd = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fs_fail(error, "open", path);
    gboolean ok = fs_read_fd(fd, path, max, data, length, error);
    close(fd);
    return ok;
}

char *fs_read_text(const char *path, gsize max)
{
    char *text = NULL;

    return fs_read(AT_FDCWD, path, max, &text, NULL, NULL) ? text : NULL;
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

/* Makes a rename in FOLDER survive a crash. */
static gboolean sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return FALSE;
    int result = fsync(fd);
    close(fd);
    /* Some file systems (FUSE) cannot sync a folder; that is not an error. */
    return result == 0 || errno == EINVAL;
}

/* Opens an unnamed file (O_TMPFILE), which disappears if we are killed before it gets a name. Where
 * that is not supported (NFS, old overlayfs) creates TEMPORARY, whose XXXXXX are replaced. */
static int open_temporary(const char *folder, char *temporary, gboolean *unnamed)
{
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    *unnamed = fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL);
    return *unnamed ? fd : mkostemp(temporary, O_CLOEXEC);
}

int fs_open_unnamed(const char *folder, GError **error)
{
    g_autofree char *temporary =
        g_strdup_printf("%s/" TEMPORARY_PREFIX "%d-XXXXXX", folder, (int)getpid());
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        fd = mkostemp(temporary, O_CLOEXEC);
        if (fd >= 0)
            unlink(temporary);
    }
    if (fd < 0)
        fs_fail(error, "write into", folder);
    return fd;
}

/* Links the unnamed file FD as PATH, which must not exist. -1 with errno. */
static int link_fd(int fd, const char *path)
{
    g_autofree char *self = g_strdup_printf("/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* The same as TEMPORARY, whose XXXXXX are replaced. */
static gboolean link_unnamed(int fd, char *temporary)
{
    char *digits = temporary + strlen(temporary) - strlen("XXXXXX");
    for (int i = 0; i < NAME_TRIES; i++) {
        g_snprintf(digits, strlen("XXXXXX") + 1, "%06x", g_random_int() & 0xffffff);
        if (link_fd(fd, temporary) == 0)
            return TRUE;
        if (errno != EEXIST)
            break;
    }
    /* The caller unlinks TEMPORARY on failure, and the last name tried may be another process's. */
    memcpy(digits, "XXXXXX", strlen("XXXXXX"));
    return FALSE;
}

char *fs_temporary_path(const char *folder)
{
    return g_strdup_printf("%s/" TEMPORARY_PREFIX "%d-XXXXXX", folder, (int)getpid());
}

void fs_remove_temporary(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        const char *digits = name + strlen(TEMPORARY_PREFIX);
        char *end;
        if (!g_str_has_prefix(name, TEMPORARY_PREFIX))
            continue;
        guint64 pid = g_ascii_strtoull(digits, &end, 10);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (*end == '-' && pid > 0 && pid <= INT_MAX && kill((pid_t)pid, 0) < 0 && errno == ESRCH)
            unlink(path);
    }
}

/* Names the written file FD, unnamed or TEMPORARY, PATH. -1 with errno. */
static int put_in_place(int fd, gboolean unnamed, const char *folder, char *temporary,
                        const char *path)
{
    /* A new file needs no other name first, which a kill could leave. */
    if (unnamed && link_fd(fd, path) == 0)
        return 0;
    if (unnamed && errno != EEXIST)
        return -1;
    /* Here one may have been left. */
    fs_remove_temporary(folder);
    if (unnamed && !link_unnamed(fd, temporary))
        return -1;
    return rename(temporary, path);
}

gboolean fs_write(const char *path, const char *data, gssize length, mode_t mode, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *temporary = fs_temporary_path(folder);
    gboolean unnamed;
    int fd = open_temporary(folder, temporary, &unnamed);
    if (fd < 0)
        return fs_fail(error, "write into", folder);

    gboolean ok = fchmod(fd, mode) == 0 &&
                  fs_write_all(fd, data, length < 0 ? strlen(data) : (gsize)length) &&
                  fsync(fd) == 0 && put_in_place(fd, unnamed, folder, temporary, path) == 0;
    int saved = errno;
    close(fd);
    if (!ok) {
        unlink(temporary);
        errno = saved;
        return fs_fail(error, "write", path);
    }
    return sync_folder(folder) || fs_fail(error, "sync", folder);
}

/* TRUE if PATH still names the open file FD: the previous holder of the lock may have removed it.
 */
static gboolean is_same_file(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* Polls first, so that the user hears about a lock that takes long, then blocks. */
static gboolean wait_for_lock(int fd, const char *path, gboolean *notified,
                              void (*waited)(const char *path))
{
    for (int spent = 0; !*notified && spent < LOCK_POLL_US; spent += LOCK_POLL_INTERVAL_US) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return TRUE;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return FALSE;
        g_usleep(LOCK_POLL_INTERVAL_US);
    }
    if (waited && !*notified)
        waited(path);
    *notified = TRUE;
    while (flock(fd, LOCK_EX) < 0) {
        if (errno != EINTR)
            return FALSE;
    }
    return TRUE;
}

gboolean fs_rename(const char *from, const char *to, GError **error)
{
    if (rename(from, to) == 0 || errno == ENOENT || errno == ENOTDIR)
        return TRUE;
    fs_fail(error, "rename", from);
    return FALSE;
}

int fs_lock(const char *path, void (*waited)(const char *path), GError **error)
{
    gboolean notified = FALSE;
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
        if (fd < 0) {
            fs_fail(error, "open the lock", path);
            return -1;
        }
        if (!wait_for_lock(fd, path, &notified, waited)) {
            fs_fail(error, "lock", path);
            close(fd);
            return -1;
        }
        if (is_same_file(fd, path))
            return fd;
        close(fd);
    }
}

int fs_try_lock(const char *path)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
            int saved = errno;
            close(fd);
            errno = saved;
            return -1;
        }
        if (fd < 0 || is_same_file(fd, path))
            return fd;
        close(fd);
    }
}
