/*
 * litterbox-bridge: what one box has of the user's desktop, for as long as the box runs.
 *
 * litterbox-bridge RUNTIME APP_ID RUN [plain], with a pidfd of the box's PID 1 as stdin. It makes
 * the Wayland socket in the folder of RUNTIME that is mounted into the box; prints one line, how
 * that went (bridge/outcome.h), closes stdout, and waits for the end of the box or of the
 * compositor.
 *
 * The compositor itself serves the box's clients: no byte of theirs comes by here.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bridge/outcome.h"
#include "bridge/security_context.h"

/* The pidfd of the box, as stdin. */
#define BOX 0
#define BACKLOG 64

static int runtime, folder; /* the box's runtime folder, and the one in it that is mounted */

static int say(const char *outcome)
{
    printf("%s\n", outcome);
    fflush(stdout);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    return null < 0 || dup2(null, STDOUT_FILENO) < 0 ? -1 : 0;
}

/*
 * One bridge a box: who holds the lock of the folder serves it. The file says for which run of the
 * box, by which `box` knows one that is just ending from one that serves.
 */
static int take_lock(const char *run)
{
    int lock = openat(runtime, BRIDGE_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0)
        return -1;
    return ftruncate(lock, 0) < 0 || write(lock, run, strlen(run)) < 0 ? -1 : lock;
}

/*
 * A socket that listens as NAME in the folder; other users have no access. It has its whole path
 * for a name where that fits (sun_path): then `box` finds its connections in /proc/net/unix.
 */
static int listen_as(const char *path, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int length =
        snprintf(address.sun_path, sizeof address.sun_path, "%s/" BRIDGE_FOLDER "/%s", path, name);
    umask(0177);
    unlinkat(folder, name, 0);
    if (length >= (int)sizeof address.sun_path)
        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, name);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The compositor's own socket under a name that the box sees: a second name of the same file. */
static const char *share_plain(void)
{
    const char *name = getenv("WAYLAND_DISPLAY"), *where = getenv("XDG_RUNTIME_DIR");
    char path[PATH_MAX];
    if (!name || !*name || (*name != '/' && !where))
        return BRIDGE_NO_DISPLAY;
    snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : where, *name == '/' ? "" : "/", name);
    unlinkat(folder, BRIDGE_WAYLAND, 0);
    return linkat(AT_FDCWD, path, folder, BRIDGE_WAYLAND, 0) < 0 ? BRIDGE_FAILED : BRIDGE_SHARED;
}

/* Our end of the pipe whose end is the end of the context, in *HELD. */
static const char *share_wayland(struct security_context *wayland, char **argv, int *held)
{
    int ends[2], listener;
    if (!security_context_is_known(wayland))
        return BRIDGE_UNKNOWN;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return BRIDGE_FAILED;
    listener = listen_as(argv[1], BRIDGE_WAYLAND);
    if (listener < 0 || security_context_listen(wayland, listener, ends[0], argv[2], argv[3]) < 0)
        return BRIDGE_FAILED;
    *held = ends[1];
    return BRIDGE_SHARED;
}

static int watch_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_SETMASK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Until the box ends, the compositor does, or somebody says so. */
static void wait_for_end(struct security_context *wayland)
{
    struct pollfd polls[] = {{.fd = BOX, .events = POLLIN},
                             {.fd = watch_signals(), .events = POLLIN},
                             {.fd = security_context_fd(wayland), .events = POLLIN}};
    while (poll(polls, 3, -1) < 0
               ? errno == EINTR
               : !polls[0].revents && !polls[1].revents && security_context_dispatch(wayland) == 0)
        ;
}

static int open_folders(const char *path)
{
    runtime = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    folder = openat(runtime, BRIDGE_FOLDER, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return folder;
}

int main(int argc, char **argv)
{
    int held = -1;
    if (argc < 4 || argc > 5 || open_folders(argv[1]) < 0) {
        fprintf(stderr, "litterbox-bridge: is started by box\n");
        return 64;
    }
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (take_lock(argv[3]) < 0)
        return 0;
    struct security_context *wayland = security_context_connect();
    const char *outcome = !wayland    ? BRIDGE_NO_DISPLAY
                          : argc == 5 ? share_plain()
                                      : share_wayland(wayland, argv, &held);
    say(outcome);
    if (strcmp(outcome, BRIDGE_SHARED) == 0)
        wait_for_end(wayland);
    unlinkat(folder, BRIDGE_WAYLAND, 0);
    return 0;
}
