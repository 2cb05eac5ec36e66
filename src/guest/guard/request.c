#include "guest/guard/request.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/procfs.h"
#include "sys/seccomp_filter.h"

#define PAGE 4096 /* the smallest of any machine: a copy in pieces of it misses nothing */
#define SHORT_TEXT 256

/* Of openat2(2). */
#define PATH_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OTHER_FLAGS                                                                               \
    (O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_DSYNC |        \
     O_SYNC | O_ASYNC | O_DIRECT | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | O_CLOEXEC | O_TMPFILE | \
     LARGE_FILE)
#define RESOLVE_FLAGS                                                                  \
    (RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH | \
     RESOLVE_IN_ROOT | RESOLVE_CACHED)
#define MODES 07777
/* What every open is on this machine; libc says 0 for it. */
#define LARGE_FILE COMPAT(0100000, 0400000)

/* Up to SIZE bytes at ADDRESS of the caller, as many as there are. How many, or -1. */
static ssize_t copy_memory(const struct guard_request *self, uint64_t address, void *to,
                           size_t size)
{
    size_t to_page_end = PAGE - (size_t)(address & (PAGE - 1));
    size_t first = to_page_end < size ? to_page_end : size;
    struct iovec here = {to, size};
    /* Two pieces, as the second page may not be there. */
    struct iovec there[2] = {{(void *)(uintptr_t)address, first},
                             {(void *)(uintptr_t)(address + first), size - first}};
    return process_vm_readv(self->pid, &here, 1, there, there[1].iov_len ? 2 : 1, 0);
}

/* The string at ADDRESS of the caller, as getname() of the kernel would take it. */
static int read_text(const struct guard_request *self, uint64_t address, char text[PATH_MAX])
{
    /* Most are short; pages that need not be looked at save time. */
    ssize_t n = copy_memory(self, address, text, SHORT_TEXT);
    if (n == SHORT_TEXT && !memchr(text, '\0', SHORT_TEXT))
        n = copy_memory(self, address, text, PATH_MAX);
    if (n < 0)
        return errno;
    if (memchr(text, '\0', (size_t)n))
        return 0;
    return n == PATH_MAX ? ENAMETOOLONG : EFAULT;
}

int guard_request_waits(const struct guard_request *self)
{
    return ioctl(self->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &self->id) == 0;
}

static int differs(int pid, const char *name)
{
    char path[64], theirs[64] = "", ours[64] = "";
    snprintf(path, sizeof path, "/proc/%d/ns/%s", pid, name);
    if (readlink(path, theirs, sizeof theirs - 1) < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/ns/%s", name);
    if (readlink(path, ours, sizeof ours - 1) < 0)
        return -1;
    return strcmp(theirs, ours) != 0;
}

static int same_place(int a, int b)
{
    struct statx one, other;
    unsigned mask = STATX_INO | STATX_MNT_ID;
    return statx(a, "", AT_EMPTY_PATH, mask, &one) == 0 &&
           statx(b, "", AT_EMPTY_PATH, mask, &other) == 0 && one.stx_ino == other.stx_ino &&
           one.stx_mnt_id == other.stx_mnt_id;
}

/* Does the caller see the box as the guard does? In plain boxes a session has no way not to. */
static int read_view(struct guard_request *self)
{
    struct guard_view *view = &self->view;
    if (self->kind == GUARD_FOR_USER && !self->options->nested)
        return 0;
    int user = differs(self->pid, "user"), mount = differs(self->pid, "mnt");
    int here = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), error = guard_caller_know(self);
    view->root = guard_procfs_open_of(self, "root", 0);
    view->abroad = user || mount || !same_place(view->root, here);
    view->namespaces = (user ? CLONE_NEWUSER : 0) | (mount ? CLONE_NEWNS : 0);
    view->cwd = view->abroad ? guard_procfs_open_of(self, "cwd", 0) : -1;
    view->pidfd = view->abroad && view->namespaces && !error
                      ? (int)syscall(SYS_pidfd_open, self->status.tgid, 0)
                      : -1;
    close(here);
    if (!error && (user < 0 || mount < 0 || view->root < 0 || (view->abroad && view->cwd < 0) ||
                   (view->namespaces && view->pidfd < 0)))
        error = EPERM;
    return error;
}

/* What a call on the caller's descriptor FD works on. 0, or an errno. */
static int read_descriptor(struct guard_request *self, struct guard_path *path, int fd)
{
    path->base = guard_fetch(self, fd);
    if (path->base < 0)
        return errno;
    int flags = fcntl(path->base, F_GETFL);
    return flags >= 0 && (flags & O_PATH) && guard_caller_is_path_only(self, fd) ? EBADF : 0;
}

/* What a path starts from; FLAGS: O_DIRECTORY, where that has to be one. The one before is taken
 * where it is the same. */
static int open_base(struct guard_request *self, int dirfd, int flags)
{
    if (dirfd != AT_FDCWD)
        return guard_procfs_descriptor(self, dirfd, flags);
    if (self->cwd < 0)
        self->cwd = guard_procfs_open_of(self, "cwd", 0);
    return self->cwd;
}

/* 1 when PATH may be empty, and then means the descriptor that it starts from. */
static int may_be_empty(const struct guard_request *self, const struct guard_path *path)
{
    int has_flag = self->act == GUARD_CHMOD || self->act == GUARD_SETXATTR ||
                   self->act == GUARD_REMOVEXATTR ||
                   (self->act == GUARD_LINK && path == &self->old);
    return has_flag && (self->flags & AT_EMPTY_PATH);
}

/* Reads the path of NAME and opens what it starts from. */
static int read_path(struct guard_request *self, struct guard_path *path,
                     const struct guard_name *name, const struct seccomp_data *data, int is_text)
{
    path->text[0] = '\0';
    if (name->path < 0 && name->dirfd >= 0)
        return read_descriptor(self, path, (int)data->args[name->dirfd]);
    if (name->path < 0)
        return 0;
    int error = read_text(self, data->args[name->path], path->text);
    if (error || is_text || (path->text[0] == '/' && !(self->resolve & RESOLVE_IN_ROOT)))
        return error;
    if (!path->text[0] && !may_be_empty(self, path))
        return ENOENT;
    path->base = open_base(self, name->dirfd < 0 ? AT_FDCWD : (int)data->args[name->dirfd],
                           path->text[0] ? O_DIRECTORY : 0);
    return path->base < 0 ? errno : 0;
}

static int makes(uint64_t flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* Takes flags, mode and resolve of HOW. 0, or an errno when the kernel would not take them. */
static int take_how(struct guard_request *request, const struct open_how *how)
{
    uint64_t flags = how->flags, known = flags & O_PATH ? PATH_FLAGS : OTHER_FLAGS;
    if ((flags & ~known) || (how->resolve & ~(uint64_t)RESOLVE_FLAGS) ||
        (how->mode & ~(uint64_t)(makes(flags) ? MODES : 0)) ||
        ((how->resolve & RESOLVE_BENEATH) && (how->resolve & RESOLVE_IN_ROOT)))
        return EINVAL;
    if (how->resolve & RESOLVE_CACHED)
        return EAGAIN;
    request->flags = (int)flags & ~LARGE_FILE;
    request->mode = (mode_t)how->mode;
    request->resolve = how->resolve;
    return 0;
}

/* The argument of openat2(2) that ADDRESS and SIZE say. */
static int read_how(struct guard_request *self, uint64_t address, uint64_t size)
{
    unsigned char bytes[PAGE];
    struct open_how how;
    if (size < sizeof how)
        return EINVAL;
    if (size > sizeof bytes)
        return E2BIG;
    ssize_t n = copy_memory(self, address, bytes, size);
    if (n < (ssize_t)size)
        return n < 0 ? errno : EFAULT;
    for (size_t i = sizeof how; i < size; i++) {
        if (bytes[i])
            return E2BIG; /* of a newer kernel's */
    }
    memcpy(&how, bytes, sizeof how);
    return take_how(self, &how);
}

/* The attribute's value, at ADDRESS; its name and flags as setxattr(2) wants them. */
static int read_value(struct guard_request *self, uint64_t address)
{
    size_t length = strlen(self->old.text), size = (size_t)self->number;
    if (self->mode & ~(mode_t)(XATTR_CREATE | XATTR_REPLACE))
        return EINVAL;
    if (!length || length > XATTR_NAME_MAX)
        return ERANGE;
    if (self->number > XATTR_SIZE_MAX)
        return E2BIG;
    if (!size)
        return 0;
    self->value = malloc(size);
    if (!self->value)
        return ENOMEM;
    struct iovec here = {self->value, size}, there = {(void *)(uintptr_t)address, size};
    ssize_t n = process_vm_readv(self->pid, &here, 1, &there, 1, 0);
    return n < 0 ? errno : (size_t)n < size ? EFAULT : 0;
}

/* The address at ADDRESS that a socket is to get, as move_addr_to_kernel() of the kernel takes it.
 */
static int read_address(struct guard_request *self, uint64_t address)
{
    const size_t before = offsetof(struct sockaddr_un, sun_path);
    int length = (int)self->number;
    socklen_t size = sizeof self->flags;
    if (getsockopt(self->old.base, SOL_SOCKET, SO_DOMAIN, &self->flags, &size) < 0)
        return errno;
    if (length < 0 || (size_t)length > sizeof(struct sockaddr_storage))
        return EINVAL;
    self->number = (uint64_t)length;
    self->value = calloc(1, sizeof(struct sockaddr_storage));
    if (!self->value)
        return ENOMEM;
    ssize_t n = copy_memory(self, address, self->value, (size_t)length);
    if (n < length)
        return n < 0 ? errno : EFAULT;
    const struct sockaddr_un *name = self->value;
    if (self->flags != AF_UNIX || name->sun_family != AF_UNIX || (size_t)length <= before ||
        (size_t)length > sizeof *name || !name->sun_path[0])
        return 0; /* no name of a file */
    snprintf(self->made.text, sizeof self->made.text, "%.*s", length - (int)before, name->sun_path);
    if (name->sun_path[0] != '/')
        self->made.base = open_base(self, AT_FDCWD, O_DIRECTORY);
    return self->made.base < 0 && name->sun_path[0] != '/' ? errno : 0;
}

static void read_numbers(struct guard_request *self, const struct guard_call *call,
                         const struct seccomp_data *data)
{
    int native = data->arch == ARCH_NATIVE;
    self->act = call->act;
    self->flags = call->flags < 0 ? call->fixed : (int)data->args[call->flags];
    self->mode = call->mode < 0 ? 0 : (mode_t)data->args[call->mode];
    self->number = call->number < 0 ? 0 : data->args[call->number];
    if (call->halves)
        self->number = (uint32_t)self->number | data->args[call->number + 1] << 32;
    else if (!native && call->act == GUARD_TRUNCATE)
        self->number = (uint64_t)(int32_t)self->number;
}

/* 0, or an errno for flags that the kernel refuses before it looks at the path. */
static int check_flags(const struct guard_request *self)
{
    const int folder = O_CREAT | O_DIRECTORY;
    return self->act == GUARD_OPEN && (self->flags & folder) == folder ? EINVAL : 0;
}

/* 1 when what a path stands for in other calls is a text. */
static int has_text(enum guard_act act)
{
    return act == GUARD_SYMLINK || act == GUARD_SETXATTR || act == GUARD_REMOVEXATTR;
}

int guard_request_read(struct guard_request *self, const struct seccomp_notif *notice)
{
    const struct guard_call *call = guard_filter_call(&notice->data);
    self->id = notice->id;
    self->pid = (int)notice->pid;
    self->knows = self->lingers = self->truncates = self->is_answered = 0;
    self->resolve = 0;
    self->value = NULL;
    self->made.base = self->old.base = AT_FDCWD;
    self->made.text[0] = self->old.text[0] = '\0';
    self->cwd = -1;
    self->view = (struct guard_view){0, -1, -1, -1, 0};
    if (!call || !self->pid)
        return ENOSYS;
    read_numbers(self, call, &notice->data);
    int error = check_flags(self);
    if (!error && self->act == GUARD_OPEN_HOW)
        error = read_how(self, notice->data.args[call->flags], notice->data.args[call->number]);
    if (!error)
        error = read_path(self, &self->old, &call->old, &notice->data, has_text(self->act));
    if (!error && self->act == GUARD_SETXATTR)
        error = read_value(self, notice->data.args[call->old.path + 1]);
    if (!error)
        error = self->act == GUARD_BIND
                    ? read_address(self, notice->data.args[call->made.path])
                    : read_path(self, &self->made, &call->made, &notice->data, 0);
    if (!error && self->kind == GUARD_FOR_ROOT)
        error = guard_caller_know(self);
    if (!error)
        error = read_view(self);
    /* What was opened in /proc was the caller's only if it is still there. */
    if (!error && !guard_request_waits(self))
        error = ESRCH;
    if (error)
        guard_request_release(self);
    return error;
}

static void release(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = AT_FDCWD;
}

/* A descriptor of the caller's own. A box may have closed all others of a connection by now, and
 * SO_LINGER would let the guard wait for what is still to be sent. */
static void release_fetched(int *fd)
{
    int domain;
    socklen_t size = sizeof domain;
    int lingers = *fd >= 0 && getsockopt(*fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
                  domain != AF_UNIX && guard_interrupt_every(FIFO_SLICE_MS) == 0;
    release(fd);
    if (lingers)
        guard_interrupt_every(0);
}

void guard_request_release(struct guard_request *self)
{
    if (self->made.base != self->cwd)
        release(&self->made.base);
    if (self->old.base != self->cwd)
        release_fetched(&self->old.base);
    release(&self->cwd);
    release(&self->view.root);
    release(&self->view.cwd);
    release(&self->view.pidfd);
    free(self->value);
    self->value = NULL;
}
