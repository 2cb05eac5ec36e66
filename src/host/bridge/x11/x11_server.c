#include "host/bridge/x11/x11.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/bridge/core/bridge.h"
#include "host/bridge/core/x_display.h"
#include "host/bridge/wayland/wayland.h"
#include "host/supervisor/launcher.h"
#include "net/unix_socket.h"
#include "proto/bridge_protocol.h"

#define WINDOW_MANAGER "litterbox-wm"

/* Descriptors of the server, and of its window manager. LISTENER is the number that systemd's
 * socket activation uses (sd_listen_fds(3)). */
enum { LISTENER = 3, WAYLAND, CONNECTION, PROBE, PROGRAM, N_DESCRIPTORS };
#define LISTENER_TEXT "3"
#define WAYLAND_TEXT "4"
_Static_assert(CONNECTION == WM_CONNECTION && PROBE == WM_PROBE,
               "litterbox-wm expects these numbers");
#define SIZE "1280x800"
#define DISPLAY_SIZE (sizeof "DISPLAY=:" + HOST_DISPLAY_MAX)
/* The server ends after so many seconds without clients; the window manager does not count. */
#define IDLE_S "10"
/* In the root folder of the jail. */
#define HOST_COOKIE_FILE "/tmp/host-cookie"

/*
 * Without MIT-SHM, which shares System V memory: the ids of a box's IPC namespace mean nothing
 * here. Without a GPU: a box that has none must not reach one through its X server.
 */
#define COMMON                                                                          \
    ":0", "-auth", WM_COOKIE_FILE, "-nolisten", "tcp", "-nolisten", "local", "-nolock", \
        "-terminate", IDLE_S, "-extension", "MIT-SHM"

struct x11_server {
    const char *program;
    int is_wayland;
    const char *arguments[24];
    /* Options that are used when the output of -help has them, each with its value. */
    const char *optional[4][2];
    const char *environment[8];
};

/*
 * In order of preference. Not xwayland-satellite, although it makes each window one of the desktop:
 * it ignores [desktop] clipboard and always shares it, has -auth only in new
 * versions, and does not end with its last client.
 */
static const struct x11_server servers[] = {
    {"Xwayland",
     1,
     {COMMON, "-listenfd", LISTENER_TEXT, "-shm", NULL},
     {{"-geometry", SIZE}, {"-decorate", NULL}},
     {"WAYLAND_SOCKET=" WAYLAND_TEXT, NULL}},
    {"Xephyr",
     0,
     {COMMON, "-screen", SIZE, "-resizeable", "-no-host-grab", "-name", "litterbox", NULL},
     {{NULL}},
     {"LISTEN_FDS=1", "XAUTHORITY=" HOST_COOKIE_FILE, NULL}},
};

#define N_SERVERS (sizeof servers / sizeof *servers)
/* Bytes of -help that are read. */
#define HELP_MAX 65536

static int find_program(const char *name, char *path, size_t size)
{
    const char *rest = getenv("PATH");
    while (rest && *rest) {
        size_t length = strcspn(rest, ":");
        int n = snprintf(path, size, "%.*s/%s", (int)length, rest, name);
        if (*rest == '/' && n > 0 && (size_t)n < size && access(path, X_OK) == 0)
            return 0;
        rest += length + (rest[length] == ':');
    }
    return -1;
}

const struct x11_server *x11_server_find(int has_wayland, char *path, size_t size)
{
    char number[HOST_DISPLAY_MAX];
    int has_x11 = host_display_number(number) == 0;
    for (size_t i = 0; i < N_SERVERS; i++) {
        if ((servers[i].is_wayland ? has_wayland : has_x11) &&
            find_program(servers[i].program, path, size) == 0)
            return &servers[i];
    }
    return NULL;
}

static int write_cookie(const char *path, const unsigned char *cookie)
{
    return xauthority_save(AT_FDCWD, path, cookie);
}

/* The output of PATH -help, a new string. Call it in the jail only: $PATH chose the program, but no
 * file that a box can write is visible there. */
static char *read_help(const char *path)
{
    char *help = calloc(1, HELP_MAX);
    size_t length = 0;
    int ends[2];
    if (!help || pipe2(ends, O_CLOEXEC) < 0)
        return help;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execl(path, path, "-help", NULL);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t n = 1; n > 0 && length<HELP_MAX - 1; length += n> 0 ? (size_t)n : 0)
        n = read(ends[0], help + length, HELP_MAX - 1 - length);
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return help;
}

/* -help lists each option at the start of a line. */
static int has_option(const char *help, const char *option)
{
    size_t length = strlen(option);
    for (const char *at = help; at && (at = strstr(at, option)); at += length) {
        if ((at == help || at[-1] == '\n') && strchr(" \t\n", at[length]))
            return 1;
    }
    return 0;
}

static void collect_arguments(const struct x11_server *self, const char *path, const char **argv)
{
    char *help = self->optional[0][0] ? read_help(path) : NULL;
    *argv++ = WINDOW_MANAGER;
    *argv++ = path;
    for (const char *const *each = self->arguments; *each; each++)
        *argv++ = *each;
    for (size_t i = 0; help && self->optional[i][0]; i++) {
        if (!has_option(help, self->optional[i][0]))
            continue;
        *argv++ = self->optional[i][0];
        if (self->optional[i][1])
            *argv++ = self->optional[i][1];
    }
    *argv = NULL;
    free(help);
}

static void collect_environment(const struct x11_server *self, char *display, const char **envp)
{
    char number[HOST_DISPLAY_MAX];
    *envp++ = "PATH=/usr/bin:/bin";
    *envp++ = "HOME=/tmp";
    *envp++ = "XDG_RUNTIME_DIR=/tmp";
    for (const char *const *each = self->environment; *each; each++)
        *envp++ = *each;
    if (!self->is_wayland && host_display_number(number) == 0) {
        snprintf(display, DISPLAY_SIZE, "DISPLAY=:%s", number);
        *envp++ = display;
    }
    *envp = NULL;
}

/* Gives each descriptor in FDS its index as number (-1: closes that) and closes all others. They
 * are moved above all indexes first, as their numbers may be among those. */
static int place_descriptors(const int *fds)
{
    int high[N_DESCRIPTORS], null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < N_DESCRIPTORS; fd++) {
        int from = fd < LISTENER ? null : fds[fd];
        high[fd] = from < 0 ? -1 : fcntl(from, F_DUPFD_CLOEXEC, N_DESCRIPTORS);
        if (high[fd] < 0 && (from >= 0 || fd < LISTENER))
            return -1;
    }
    for (int fd = 0; fd < N_DESCRIPTORS; fd++) {
        if (high[fd] < 0)
            close(fd);
        else if (dup3(high[fd], fd, fd == PROGRAM ? O_CLOEXEC : 0) < 0)
            return -1;
    }
    return close_range(N_DESCRIPTORS, ~0u, 0);
}

/* In the child of x11_jail_fork(). Returns only on failure. */
static void exec_server(const struct x11_server *self, const char *path,
                        const unsigned char *cookie, const int *fds)
{
    unsigned char host_cookie[XAUTHORITY_COOKIE];
    char socket[PATH_MAX] = "", name[DISPLAY_SIZE];
    const char *argv[40], *envp[16];
    collect_environment(self, name, envp);
    int has_cookie = !self->is_wayland && host_display_cookie(host_cookie) == 0;
    if (!self->is_wayland && host_display_socket(socket, sizeof socket) < 0)
        return;
    if (x11_jail_enter(*socket ? socket : NULL) < 0 || write_cookie(WM_COOKIE_FILE, cookie) < 0 ||
        (has_cookie && write_cookie(HOST_COOKIE_FILE, host_cookie) < 0))
        return;
    collect_arguments(self, path, argv);
    if (place_descriptors(fds) == 0)
        fexecve(PROGRAM, (char *const *)argv, (char *const *)envp);
}

static int open_wm_program(void)
{
    char path[PATH_MAX];
    return program_beside(WINDOW_MANAGER, path, sizeof path) < 0 ? -1
                                                                 : open(path, O_PATH | O_CLOEXEC);
}

/* Through the folder's descriptor: the whole path may be longer than sun_path (unix(7)). */
static int connect_to_display(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d/" BRIDGE_X11 "/" BRIDGE_X11_SOCKET,
             bridge.runtime);
    return unix_socket_connect(path, SOCK_STREAM | SOCK_NONBLOCK);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Opens litterbox-wm and two connections to the display, whose server is yet to start. -1, with
 * none of them: it is not installed, or too many clients wait for the server. */
static int open_window_manager(int *program, int *connection, int *probe)
{
    *program = open_wm_program();
    *connection = *program < 0 ? -1 : connect_to_display();
    *probe = *connection < 0 ? -1 : connect_to_display();
    if (*probe >= 0)
        return 0;
    close_fd(program);
    close_fd(connection);
    return -1;
}

pid_t x11_server_start(const struct x11_server *self, const char *path, int listener,
                       const unsigned char *cookie)
{
    int fds[N_DESCRIPTORS] = {[LISTENER] = listener, [WAYLAND] = -1};
    pid_t pid = -1;
    int has_manager = open_window_manager(&fds[PROGRAM], &fds[CONNECTION], &fds[PROBE]) == 0;
    if (has_manager && self->is_wayland)
        fds[WAYLAND] = wayland_connect_private();
    if (has_manager && (!self->is_wayland || fds[WAYLAND] >= 0))
        pid = x11_jail_fork();
    if (pid == 0) {
        exec_server(self, path, cookie, fds);
        _exit(126);
    }
    for (int fd = WAYLAND; fd < N_DESCRIPTORS; fd++) {
        if (fds[fd] >= 0)
            close(fds[fd]);
    }
    return pid;
}
