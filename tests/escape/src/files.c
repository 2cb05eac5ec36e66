/* Attacks on paths: protected files by every call that could change them, devices, handles. */
#include "attack.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define RENAME_SWAP 2 /* RENAME_EXCHANGE */

static int done(int result, const char *what)
{
    return result < 0 ? refused(errno, what) : succeeded("%s", what);
}

/* attack open-write PATH: by each way of opening that could write. */
static int attack_open_write(char **arguments)
{
    static const int ways[] = {
        O_WRONLY,           O_RDWR,           O_WRONLY | O_APPEND, O_WRONLY | O_TRUNC,
        O_WRONLY | O_CREAT, O_RDWR | O_DIRECT};
    int error = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (open(arguments[0], ways[i], 0600) >= 0)
            return succeeded("open %s with %#x", arguments[0], (unsigned)ways[i]);
        error = errno;
    }
    return refused(error, "open");
}

/* attack open-path PATH: an O_PATH descriptor, opened anew through /proc/self/fd for writing. */
static int attack_open_path(char **arguments)
{
    char again[64];
    int fd = open(arguments[0], O_PATH);
    if (fd < 0)
        return refused(errno, "O_PATH");
    snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
    if (open(again, O_RDWR) >= 0 || open(again, O_WRONLY | O_TRUNC) >= 0 ||
        open(again, O_TMPFILE | O_RDWR, 0600) >= 0)
        return succeeded("opened anew");
    return refused(errno, "open through /proc/self/fd");
}

/* attack open-how PATH: openat2 by each way of walking, making and writing. */
static int attack_open_how(char **arguments)
{
    static const uint64_t ways[] = {0, RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS,
                                    RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS, RESOLVE_BENEATH};
    static const uint64_t flags[] = {O_WRONLY | O_CREAT, O_RDWR, O_RDONLY | O_CREAT | O_EXCL,
                                     O_WRONLY | O_TRUNC};
    int error = 0;
    for (size_t i = 0; i < 4 * sizeof ways / sizeof *ways; i++) {
        struct open_how how = {.flags = flags[i % 4], .resolve = ways[i / 4]};
        how.mode = how.flags & O_CREAT ? 0600 : 0;
        if (syscall(SYS_openat2, AT_FDCWD, arguments[0], &how, sizeof how) >= 0)
            return succeeded("openat2 with %#lx, %#lx", (long)how.flags, (long)how.resolve);
        error = errno;
    }
    return refused(error, "openat2");
}

static int attack_truncate(char **arguments)
{
    return done(truncate(arguments[0], 0), "truncate");
}

static int attack_unlink(char **arguments)
{
    if (unlink(arguments[0]) == 0 || rmdir(arguments[0]) == 0)
        return succeeded("removed");
    return refused(errno, "unlink, rmdir");
}

static int attack_rename(char **arguments)
{
    return done(rename(arguments[0], arguments[1]), "rename");
}

/* attack exchange A B: both change places in one step. */
static int attack_exchange(char **arguments)
{
    return done(
        (int)syscall(SYS_renameat2, AT_FDCWD, arguments[0], AT_FDCWD, arguments[1], RENAME_SWAP),
        "renameat2 RENAME_EXCHANGE");
}

static int attack_link(char **arguments)
{
    if (link(arguments[0], arguments[1]) == 0)
        return succeeded("linked");
    int fd = open(arguments[0], O_PATH);
    char again[64];
    snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
    return done(linkat(AT_FDCWD, again, AT_FDCWD, arguments[1], AT_SYMLINK_FOLLOW), "link");
}

/* attack meta PATH: mode, owner, times, extended attributes. */
static int attack_meta(char **arguments)
{
    const char *path = arguments[0];
    if (chmod(path, 0777) == 0 || chown(path, getuid(), getgid()) == 0 || utimes(path, NULL) == 0 ||
        setxattr(path, "user.evil", "x", 1, 0) == 0)
        return succeeded("changed %s", path);
    return refused(errno, "chmod, chown, utimes, setxattr");
}

/* attack below FOLDER: anything new in it. */
static int attack_below(char **arguments)
{
    int dir = open(arguments[0], O_PATH | O_DIRECTORY);
    if (dir < 0)
        return refused(errno, "open");
    if (openat(dir, "evil", O_WRONLY | O_CREAT, 0700) >= 0 || mkdirat(dir, "evil", 0700) == 0 ||
        symlinkat("/", dir, "evil") == 0 || mknodat(dir, "evil", S_IFIFO | 0600, 0) == 0)
        return succeeded("made something");
    return refused(errno, "make something");
}

/* attack bind FROM TO: a mount, in this namespace or in one of our own. */
static int attack_bind(char **arguments)
{
    if (mount(arguments[0], arguments[1], NULL, MS_BIND, NULL) == 0)
        return succeeded("bind mount");
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
        mount(arguments[0], arguments[1], NULL, MS_BIND, NULL) == 0)
        return succeeded("bind mount in a namespace of our own");
    return refused(errno, "mount, unshare");
}

/* attack uncover PATH: takes a mount away. */
static int attack_uncover(char **arguments)
{
    return done(umount2(arguments[0], MNT_DETACH), "umount2");
}

/* A copy of the mount at PATH without those on it: what a mount covers would show. */
static int attack_clone_tree(char **arguments)
{
    char folder[4096], *slash;
    snprintf(folder, sizeof folder, "%s", arguments[0]);
    slash = strrchr(folder, '/');
    snprintf(slash ? slash : folder, 2, ".");
    int tree = (int)syscall(SYS_open_tree, AT_FDCWD, folder, OPEN_TREE_CLONE);
    if (tree < 0)
        return refused(errno, "open_tree");
    const char *name = slash ? arguments[0] + (slash - folder) + 1 : arguments[0];
    int fd = openat(tree, name, O_RDWR);
    return fd < 0 ? refused(errno, "open below the copy") : succeeded("opened below a copy");
}

/* The mount at PATH made writable, itself or a copy. */
static int attack_writable_tree(char **arguments)
{
    struct mount_attr attr = {.attr_clr = MOUNT_ATTR_RDONLY};
    int tree = (int)syscall(SYS_open_tree, AT_FDCWD, arguments[0], OPEN_TREE_CLONE | AT_RECURSIVE);
    if (tree >= 0 && syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof attr) == 0)
        return succeeded("a writable copy");
    return done((int)syscall(SYS_mount_setattr, AT_FDCWD, arguments[0], 0, &attr, sizeof attr),
                "mount_setattr");
}

/* attack socket PATH: a socket node by bind(2), which is none of the calls that make files. */
static int attack_socket(char **arguments)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", arguments[0]);
    return done(bind(fd, (struct sockaddr *)&address, sizeof address), "bind");
}

/* attack socket-by-compat PATH: the same by the 32-bit ABI: bind(2), and as one of socketcall(2).
 * Static, so that its pointers fit. */
static int attack_socket_by_compat(char **arguments)
{
    static struct sockaddr_un address = {.sun_family = AF_UNIX};
    static uint32_t words[3];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", arguments[0]);
    words[0] = (uint32_t)fd;
    words[1] = (uint32_t)(uintptr_t)&address;
    words[2] = sizeof address;
    long first = call_by_compat(361, fd, words[1], sizeof address);
    long second = first < 0 ? call_by_compat(102, 2, (long)(uintptr_t)words, 0) : first;
    if (second >= 0)
        return succeeded("bind by the 32-bit ABI");
    printf("%s, ", strerrorname_np((int)-first));
    return refused((int)-second, "bind by the 32-bit ABI");
}

static int attack_remount(char **arguments)
{
    return done(mount(NULL, arguments[0], NULL, MS_REMOUNT | MS_BIND, NULL), "remount writable");
}

static int attack_mknod(char **arguments)
{
    unsigned major = (unsigned)atoi(arguments[1]), minor = (unsigned)atoi(arguments[2]);
    mode_t type = !strcmp(arguments[3], "b") ? S_IFBLK : S_IFCHR;
    if (mknod(arguments[0], type | 0666, makedev(major, minor)) < 0)
        return refused(errno, "mknod");
    int fd = open(arguments[0], O_RDWR);
    return fd < 0 ? refused(errno, "open the device") : succeeded("opened the device");
}

/* attack handle PATH: "shocker": a file by its number, past every mount. */
static int attack_handle(char **arguments)
{
    struct {
        struct file_handle head;
        unsigned char room[128];
    } handle = {.head.handle_bytes = 128};
    int mount_id;
    if (name_to_handle_at(AT_FDCWD, arguments[0], &handle.head, &mount_id, 0) < 0)
        return broken("name_to_handle_at");
    int mount = open(arguments[0], O_RDONLY);
    return done(open_by_handle_at(mount, &handle.head, O_RDONLY), "open_by_handle_at");
}

static int attack_chroot(char **arguments)
{
    return done(chroot(arguments[0]), "chroot");
}

/* attack walk-out: ".." from a folder that came as descriptor 0. */
static int attack_walk_out(char **arguments)
{
    (void)arguments;
    struct stat st;
    if (fstat(0, &st) < 0 || !S_ISDIR(st.st_mode))
        return refused(ENOTDIR, "stdin is no folder");
    return done(openat(0, "../..", O_RDONLY | O_DIRECTORY), "walk out of stdin");
}

/* attack reopen FD: descriptor FD anew with the other rights. */
static int attack_reopen(char **arguments)
{
    char path[64];
    struct stat st;
    int fd = atoi(arguments[0]);
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
        return refused(ENXIO, "no file behind it");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return done(open(path, fd == 0 ? O_WRONLY : O_RDONLY), "open anew");
}

/* What the racer changes while the other thread's call is being looked at. */
static char raced[4096];
static volatile int racing = 1;

static void *flip(void *data)
{
    const char *wanted = data;
    size_t last = strlen(wanted) - 1;
    while (racing) {
        raced[last] = '~';
        raced[last] = wanted[last];
    }
    return NULL;
}

/* attack race PATH SECONDS: makes PATH while its name in memory changes all the time (TOCTOU). */
static int attack_race(char **arguments)
{
    pthread_t racer;
    time_t end = time(NULL) + atoi(arguments[1]);
    strncpy(raced, arguments[0], sizeof raced - 1);
    if (pthread_create(&racer, NULL, flip, arguments[0]) != 0)
        return broken("pthread_create");
    long tries = 0;
    while (time(NULL) < end) {
        int fd = open(raced, O_WRONLY | O_CREAT, 0600);
        if (fd >= 0)
            close(fd);
        tries++;
        if (access(arguments[0], F_OK) == 0)
            return succeeded("after %ld tries", tries);
        char other[4096];
        snprintf(other, sizeof other, "%.*s~", (int)strlen(arguments[0]) - 1, arguments[0]);
        unlink(other);
    }
    printf("%ld tries\n", tries);
    return refused(EROFS, "race");
}

const struct attack file_attacks[] = {
    {"open-write", 1, attack_open_write},
    {"open-path", 1, attack_open_path},
    {"open-how", 1, attack_open_how},
    {"truncate", 1, attack_truncate},
    {"unlink", 1, attack_unlink},
    {"rename", 2, attack_rename},
    {"exchange", 2, attack_exchange},
    {"link", 2, attack_link},
    {"meta", 1, attack_meta},
    {"below", 1, attack_below},
    {"bind", 2, attack_bind},
    {"uncover", 1, attack_uncover},
    {"clone-tree", 1, attack_clone_tree},
    {"writable-tree", 1, attack_writable_tree},
    {"socket", 1, attack_socket},
    {"socket-by-compat", 1, attack_socket_by_compat},
    {"remount", 1, attack_remount},
    {"mknod", 4, attack_mknod},
    {"handle", 1, attack_handle},
    {"chroot", 1, attack_chroot},
    {"walk-out", 0, attack_walk_out},
    {"reopen", 1, attack_reopen},
    {"race", 2, attack_race},
    {0},
};
