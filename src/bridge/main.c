/*
 * litterbox-bridge: what one box has of the user's desktop, for as long as the box runs.
 *
 * litterbox-bridge RUNTIME APP_ID RUN [KEY=VALUE…], with a pidfd of the box's PID 1 as stdin. It
 * makes the sockets in the folder of RUNTIME that is mounted into the box; prints one line, how
 * that went (bridge/outcome.h), closes stdout, and waits for the end of the box or of the
 * compositor. The options: wayland=auto|plain (wayland.h); x11=nested|host (x11.h);
 * clipboard=to-box|from-box|both (clipboard/clipboard.h); sound=playback
 * and microphone=true (sound.h); open=ask|allow and notify=true, what may be asked for (door.h),
 * with name= and project=, the box's, for the questions.
 *
 * The compositor itself serves the box's windows: no byte of theirs comes by here.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridge/bridge.h"
#include "host/bridge/request_socket.h"
#include "host/bridge/launcher.h"
#include "bridge/loop.h"
#include "bridge/outcome.h"
#include "host/bridge/audio/sound.h"
#include "host/bridge/wayland/wayland.h"
#include "host/bridge/x11/x11.h"
#include "sys/confine.h"

/* The pidfd of the box, as stdin. */
#define BOX 0

static int is_of_use; /* the box has something of it */

/* How it went with the windows, the X display, and sound: BRIDGE_… of outcome.h. */
struct outcome {
    const char *windows, *display, *sound;
};

static void say(const struct outcome *outcome)
{
    printf("%s %s %s\n", outcome->windows, outcome->display, outcome->sound);
    fflush(stdout);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0)
        dup2(null, STDOUT_FILENO);
}

/* TYPE: F_WRLCK or F_UNLCK. Not flock: `box` looks at it, and a look must keep nobody out. */
static int set_lock(int lock, short type)
{
    struct flock all = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(lock, F_OFD_SETLK, &all);
}

/*
 * One bridge a box: who holds the lock of the folder serves it, or is about to. Once it does, the
 * file says for which run of the box: one that is just ending, or starting, is known by that.
 */
static int take_lock(void)
{
    int lock = openat(bridge.runtime, BRIDGE_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0 || set_lock(lock, F_WRLCK) < 0)
        return -1;
    return ftruncate(lock, 0) < 0 ? -1 : lock;
}

/* Whoever comes meanwhile waits for it (box/desktop.c). */
static int announce(int lock)
{
    size_t length = strlen(bridge.run);
    return write(lock, bridge.run, length) == (ssize_t)length ? 0 : -1;
}

static void on_end(void *owner, short what)
{
    loop_end();
}

/* The box ends, or somebody says so. */
static void watch_for_end(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_SETMASK, &set, NULL);
    loop_add(signalfd(-1, &set, SFD_CLOEXEC), POLLIN, on_end, NULL);
    loop_add(BOX, POLLIN, on_end, NULL);
}

static int open_place(char **argv)
{
    bridge.path = argv[1];
    bridge.app_id = argv[2];
    bridge.run = argv[3];
    bridge.options = argv + 4;
    bridge.runtime = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
    bridge.folder =
        openat(bridge.runtime, BRIDGE_FOLDER, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return bridge.folder;
}

static int is_shared(const char *outcome)
{
    return strcmp(outcome, BRIDGE_SHARED) == 0 || strcmp(outcome, BRIDGE_APART) == 0;
}

/* Whether windows are wanted without a security context is for the user
 * to say, and for `box` to ask: it starts another bridge then. And without the compositor nothing
 * can be asked; with the next one there are windows, too. */
static struct outcome begin(int launcher)
{
    struct outcome outcome = {wayland_begin(), BRIDGE_NO_DISPLAY, BRIDGE_NO_DISPLAY};
    is_of_use = is_shared(outcome.windows);
    if (!is_of_use && *bridge_option("wayland") && strcmp(outcome.windows, BRIDGE_FAILED) != 0)
        return outcome;
    outcome.display = x11_begin();
    outcome.sound = sound_begin();
    int asks = door_begin(launcher);
    if (asks < 0)
        fprintf(stderr, "litterbox-bridge: nothing can be asked of the desktop\n");
    is_of_use = is_of_use || is_shared(outcome.display) || is_shared(outcome.sound) || asks > 0;
    return outcome;
}

/* From here on it reads what the box writes, and nothing is left to it but its sockets. */
static void confine(void)
{
    char folder[PATH_MAX], x11[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/" BRIDGE_FOLDER, bridge.path);
    snprintf(x11, sizeof x11, "%s/" BRIDGE_X11, bridge.path);
    const struct confine_path paths[] = {{folder, CONFINE_REMOVE}, {x11, CONFINE_REMOVE}};
    /* Where the kernel knows only one of them, that one holds. */
    int files = confine_files(paths, 2), calls = confine_calls(0);
    if (files < 0 || calls < 0)
        fprintf(stderr, "litterbox-bridge: this kernel cannot confine it\n");
}

int main(int argc, char **argv)
{
    if (argc < 4 || open_place(argv) < 0) {
        fprintf(stderr, "litterbox-bridge: is started by box\n");
        return 64;
    }
    int lock = take_lock();
    if (lock < 0) {
        if (errno == EAGAIN)
            puts(BRIDGE_SERVED);
        return 0;
    }
    int launcher = door_is_wanted() ? launcher_start() : -1;
    /* The user's is for what that one starts. */
    umask(077);
    confine_harden();
    struct outcome outcome = begin(launcher);
    if (is_of_use && announce(lock) < 0) {
        is_of_use = 0;
        outcome = (struct outcome){BRIDGE_FAILED, BRIDGE_FAILED, BRIDGE_FAILED};
    }
    if (is_of_use) {
        watch_for_end();
        say(&outcome);
        confine();
        loop_run();
    }
    wayland_end();
    x11_end();
    sound_end();
    door_end();
    if (!is_of_use) {
        /* Who hears of it may start another one at once. */
        set_lock(lock, F_UNLCK);
        say(&outcome);
    }
    return 0;
}
