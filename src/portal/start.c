/*
 * litterbox-bus: becomes the session bus of a box. box-init starts it, in a session of the box's
 * user, when somebody connects to the bus for the first time; stdin is the socket that listens.
 *
 * The bus is the dbus-daemon of the box's image (of the host's programs, where that is the image),
 * with a configuration of ours that puts our portal in front of the image's services and otherwise
 * says what the image's own does. Without a dbus-daemon, or with one that was built without support
 * for sockets handed over (Alpine's), the box has no bus, which the box's log tells.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bridge/outcome.h"

#define FOLDER "/run/litterbox"
#define WAYLAND FOLDER "/desktop/" BRIDGE_WAYLAND
#define COOKIE FOLDER "/desktop/" BRIDGE_COOKIE
#define X11 "/tmp/.X11-unix/" BRIDGE_X11_SOCKET
/* Where the protocol of sd_listen_fds(3) begins. */
#define LISTENER 3

static int fail(const char *what)
{
    fprintf(stderr, "litterbox-bus: %s: %s\n", what, strerror(errno));
    return 127;
}

static int hand_over(void)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (dup2(STDIN_FILENO, LISTENER) < 0)
        return -1;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0)
        return -1;
    unsetenv("LISTEN_FDNAMES");
    return setenv("LISTEN_PID", pid, 1) < 0 || setenv("LISTEN_FDS", "1", 1) < 0 ? -1 : 0;
}

/* What sessions get of their display from `box` (desktop.c), for the programs that the bus starts.
 */
static void add_display(void)
{
    int has_wayland = access(WAYLAND, F_OK) == 0;
    int has_x11 = access(X11, F_OK) == 0 && access(COOKIE, F_OK) == 0;
    if (has_wayland)
        setenv("WAYLAND_DISPLAY", WAYLAND, 0);
    if (has_x11) {
        setenv("DISPLAY", BRIDGE_X11_DISPLAY, 0);
        setenv("XAUTHORITY", COOKIE, 0);
    }
    if (has_wayland || has_x11)
        setenv("XDG_SESSION_TYPE", has_wayland ? "wayland" : "x11", 0);
}

int main(void)
{
    static char *const argv[] = {
        "dbus-daemon",        "--config-file=" FOLDER "/bin/dbus/session.conf",
        "--address=systemd:", "--nofork",
        "--nopidfile",        NULL};
    if (hand_over() < 0)
        return fail("the socket of the bus");
    add_display();
    execvp(argv[0], argv);
    return fail("the box has no session bus: dbus-daemon");
}
