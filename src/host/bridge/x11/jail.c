#include "host/bridge/x11/x11.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/box_filter.h"

#define NAMESPACES \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID)
/* The new root is mounted over this folder, which every system has and no X server needs. */
#define NEW_ROOT "/sys"
#define ROOT_OPTIONS "mode=0755,size=64m,nr_inodes=1024"
/* The box can make the server allocate pixmaps and windows outside of the box's memory limit. When
 * memory is short, the kernel kills the server before any program of the user (oom_score_adj). */
#define MEMORY_MAX ((rlim_t)4 << 30)
#define OOM_SCORE_MAX "1000"

/* Programs, libraries, keyboard maps and fonts of the host: links are copied, the rest is mounted.
 */
static const char *const shown[] = {
    "/usr",         "/bin",       "/sbin",
    "/lib",         "/lib32",     "/lib64",
    "/nix/store",   "/gnu/store", "/etc/ld.so.cache",
    "/etc/X11",     "/etc/fonts", "/etc/alternatives",
    "/dev/null",    "/dev/zero",  "/dev/random",
    "/dev/urandom", NULL,
};

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    if (fd >= 0)
        close(fd);
    return n < 0 ? -1 : 0;
}

/* Maps the user's own ids to themselves, so nobody is root in the namespace. */
static int map_ids(uid_t uid, gid_t gid)
{
    char uids[64], gids[64];
    snprintf(uids, sizeof uids, "%u %u 1", uid, uid);
    snprintf(gids, sizeof gids, "%u %u 1", gid, gid);
    return write_file("/proc/self/uid_map", uids) < 0 ||
                   write_file("/proc/self/setgroups", "deny") < 0
               ? -1
               : write_file("/proc/self/gid_map", gids);
}

/* PARENT is a pidfd, by which a parent that ended before the prctl() is noticed. */
static int die_with(int parent)
{
    struct pollfd ended = {.fd = parent, .events = POLLIN};
    return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || poll(&ended, 1, 0) != 0 ? -1 : 0;
}

pid_t x11_jail_fork(void)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    int ours = (int)syscall(SYS_pidfd_open, getpid(), 0);
    struct clone_args args = {.flags = NAMESPACES, .exit_signal = SIGCHLD};
    pid_t pid = ours < 0 ? -1 : (pid_t)syscall(SYS_clone3, &args, sizeof args);
    /* The files in /proc of a process that is not dumpable belong to root (proc(5)). */
    if (pid == 0 &&
        (prctl(PR_SET_DUMPABLE, 1) < 0 || map_ids(uid, gid) < 0 ||
         write_file("/proc/self/oom_score_adj", OOM_SCORE_MAX) < 0 || die_with(ours) < 0))
        _exit(126);
    if (ours >= 0)
        close(ours);
    return pid;
}

/* Makes the folders above PATH (absolute), below the working directory. */
static int make_parents(const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path - 1), path + 1);
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

static int show_link(const char *path)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return -1;
    target[length] = '\0';
    return symlink(target, path + 1);
}

/* Mounts PATH read-only below the working directory. */
static int show_mount(const char *path, int is_folder)
{
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID};
    int made = is_folder ? mkdir(path + 1, 0755) : mknodat(AT_FDCWD, path + 1, S_IFREG | 0600, 0);
    if (made < 0 || mount(path, path + 1, NULL, MS_BIND | MS_REC, NULL) < 0)
        return -1;
    return mount_setattr(AT_FDCWD, path + 1, AT_RECURSIVE, &attributes, sizeof attributes);
}

static int show(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : -1;
    if (make_parents(path) < 0)
        return -1;
    return S_ISLNK(st.st_mode) ? show_link(path) : show_mount(path, S_ISDIR(st.st_mode));
}

static int make_root(const char *socket)
{
    umask(022);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", NEW_ROOT, "tmpfs", MS_NOSUID | MS_NODEV, ROOT_OPTIONS) < 0 ||
        chdir(NEW_ROOT) < 0 || mkdir("tmp", 0700) < 0)
        return -1;
    for (const char *const *path = shown; *path; path++) {
        if (show(*path) < 0)
            return -1;
    }
    if (socket && show(socket) < 0)
        return -1;
    if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0)
        return -1;
    return chdir("/");
}

static int set_limits(void)
{
    struct rlimit none = {0}, memory = {MEMORY_MAX, MEMORY_MAX};
    return setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_AS, &memory) < 0 ? -1 : 0;
}

int x11_jail_enter(const char *socket)
{
    if (make_root(socket) < 0 || set_limits() < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return box_filter_install(0);
}
