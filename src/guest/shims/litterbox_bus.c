/*
 * litterbox-bus: starts the session bus of a box. box-init runs it in a session of the box's user
 * at the first connection to the bus; stdin is the listening socket.
 *
 * The bus is the dbus-daemon of the box's image, with our configuration: that of the image, with
 * our portal before the image's services. A dbus-daemon that was built without support for
 * inherited sockets (Alpine's) listens on its own socket at the same path; connections that wait at
 * ours are then closed, the first one too. Without a dbus-daemon the box has no session bus, and
 * the box's log says so. dbus-broker does not work, as it needs systemd.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/bridge_protocol.h"
#include "sys/clock.h"
#include "sys/signals.h"

#define FOLDER "/run/litterbox"
#define WAYLAND FOLDER "/desktop/" BRIDGE_WAYLAND
#define COOKIE FOLDER "/desktop/" BRIDGE_COOKIE
#define SOUND FOLDER "/desktop/" BRIDGE_SOUND
#define X11 "/tmp/.X11-unix/" BRIDGE_X11_SOCKET
/* The first descriptor of sd_listen_fds(3). */
#define LISTENER 3
/* A dbus-daemon that cannot use the socket exits with this status within this time. */
#define NOT_STARTED 1
#define NOT_STARTED_MS 500

static int fail(const char *what)
{
    fprintf(stderr, "litterbox-bus: %s: %s\n", what, strerror(errno));
    return 127;
}

static int move_listener(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    return null < 0 || dup2(STDIN_FILENO, LISTENER) < 0 || dup2(null, STDIN_FILENO) < 0 ? -1 : 0;
}

/* Sets the variables that `box` sets for other sessions, for programs that the bus starts. */
static void add_desktop(void)
{
    int has_wayland = access(WAYLAND, F_OK) == 0;
    int has_x11 = access(X11, F_OK) == 0 && access(COOKIE, F_OK) == 0;
    if (has_wayland)
        setenv("WAYLAND_DISPLAY", WAYLAND, 0);
    if (has_x11) {
        setenv("DISPLAY", BRIDGE_X11_DISPLAY, 0);
        setenv("XAUTHORITY", COOKIE, 0);
    }
    if (access(SOUND, F_OK) == 0)
        setenv("PULSE_SERVER", "unix:" SOUND, 0);
    if (has_wayland || has_x11)
        setenv("XDG_SESSION_TYPE", has_wayland ? "wayland" : "x11", 0);
}

static int run(const char *option)
{
    char *const argv[] = {"dbus-daemon",  "--config-file=" FOLDER "/bin/dbus/session.conf",
                          (char *)option, "--nofork",
                          "--nopidfile",  NULL};
    execvp(argv[0], argv);
    return fail("the box has no session bus: dbus-daemon");
}

static int run_on_listener(pid_t parent)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    signals_end_with(parent);
    unsetenv("LISTEN_FDNAMES");
    if (setenv("LISTEN_PID", pid, 1) < 0 || setenv("LISTEN_FDS", "1", 1) < 0)
        return fail("the socket of the bus");
    return run("--address=systemd:");
}

/* Runs a bus on our socket. Returns its exit status; NOT_STARTED: it cannot use the socket. */
static int try_listener(void)
{
    int status = 0;
    int64_t begun = clock_ms();
    pid_t self = getpid(), pid = fork();
    if (pid == 0)
        _exit(run_on_listener(self));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    int code = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
    return code == NOT_STARTED && clock_ms() - begun >= NOT_STARTED_MS ? 127 : code;
}

/* Runs a bus on a socket of its own, in place of ours. */
static int run_on_own_socket(void)
{
    static const char start[] = "--address=unix:path=";
    char option[4096];
    const char *folder = getenv("XDG_RUNTIME_DIR");
    snprintf(option, sizeof option, "%s%s/bus", start, folder ? folder : "");
    unlink(option + strlen(start));
    for (int fd; (fd = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC)) >= 0;)
        close(fd);
    close(LISTENER);
    return run(option);
}

int main(void)
{
    if (move_listener() < 0)
        return fail("the socket of the bus");
    add_desktop();
    int status = try_listener();
    return status == NOT_STARTED ? run_on_own_socket() : status;
}
