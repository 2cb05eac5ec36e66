/*
 * litterbox-bridge: what one box has of the user's desktop, for as long as the box runs.
 *
 * litterbox-bridge RUNTIME APP_ID RUN [KEY=VALUE…], with a pidfd of the box's PID 1, which is RUN,
 * as stdin (host/supervisor/helper_start.h). It makes the sockets in the folder of RUNTIME that is
 * mounted into the box, says how that went (proto/bridge_status.h), and waits for the end of the
 * box or of the compositor. The options: the settings whose row in config/schema.c has
 * REACHES_BRIDGE, as section.key=VALUE, and name= and project= of the box, for the questions to the
 * user.
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

#include "host/bridge/audio/sound.h"
#include "host/bridge/core/bridge.h"
#include "host/bridge/launcher.h"
#include "host/bridge/request_socket.h"
#include "host/bridge/wayland/wayland.h"
#include "host/bridge/x11/x11.h"
#include "host/supervisor/supervise.h"
#include "net/event_loop.h"
#include "proto/bridge_status.h"
#include "sys/confine.h"
#include "sys/debug.h"

#define PROGRAM "litterbox-bridge"

static int launcher = -1; /* where desktop requests go */
static struct bridge_status status;

static void on_signal(struct event_watch *self, uint32_t events)
{
    event_loop_quit();
}

static void watch_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_SETMASK, &set, NULL);
    static struct event_watch signals = {.ready = on_signal};
    signals.fd = signalfd(-1, &set, SFD_CLOEXEC);
    event_watch_set(&signals, EPOLLIN);
}

static int open_place(char **argv)
{
    bridge.path = argv[1];
    bridge.app_id = argv[2];
    bridge.run = argv[3];
    bridge.runtime = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
    bridge.folder =
        openat(bridge.runtime, BRIDGE_FOLDER, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return bridge.folder;
}

static int is_shared(enum bridge_outcome outcome)
{
    return outcome == BRIDGE_SHARED || outcome == BRIDGE_NO_CLIPBOARD;
}

/* What it starts has the rights and the umask of the user. */
static enum stage_result start_launcher(void *data)
{
    if (door_is_wanted())
        launcher = launcher_start();
    umask(077);
    confine_harden();
    return STAGE_NEXT;
}

static void remove_sockets(void)
{
    wayland_end();
    x11_end();
    sound_end();
    door_end();
}

static enum stage_result end_without_use(void)
{
    char line[BRIDGE_STATUS_MAX];
    remove_sockets();
    bridge_status_format(&status, line);
    worker_result(line);
    return STAGE_DONE;
}

/*
 * Whether windows are wanted without a security context is the user's decision, and `box` asks: it
 * starts another bridge then. Without the compositor nothing can be asked; with the next one there
 * are windows, too.
 */
static enum stage_result make_sockets(void *data)
{
    status = (struct bridge_status){.windows = wayland_begin()};
    int has_windows = is_shared(status.windows);
    if (!has_windows && bridge.settings.wayland != WAYLAND_NONE && status.windows != BRIDGE_FAILED)
        return end_without_use();
    status.x11 = x11_begin();
    status.sound = sound_begin();
    int requests = door_begin(launcher);
    if (requests < 0)
        fprintf(stderr, PROGRAM ": desktop requests are not possible\n");
    debug_log(DEBUG_BRIDGE, "windows %d, x11 %d, sound %d, requests %d", status.windows, status.x11,
              status.sound, requests);
    if (has_windows || is_shared(status.x11) || is_shared(status.sound) || requests > 0)
        return STAGE_NEXT;
    return end_without_use();
}

/* From here on it reads what the box writes, and nothing is left to it but its sockets. */
static enum stage_result confine_to_folders(void *data)
{
    char folder[PATH_MAX], x11[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/" BRIDGE_FOLDER, bridge.path);
    snprintf(x11, sizeof x11, "%s/" BRIDGE_X11, bridge.path);
    const struct confine_path paths[] = {{folder, CONFINE_REMOVE}, {x11, CONFINE_REMOVE}};
    if (confine_files(paths, 2) < 0)
        fprintf(stderr, PROGRAM ": Landlock does not work here: %s\n", strerror(errno));
    return STAGE_NEXT;
}

static enum stage_result confine_to_sockets(void *data)
{
    if (confine_calls(0) < 0)
        fprintf(stderr, PROGRAM ": the filter for system calls does not work here\n");
    return STAGE_NEXT;
}

static enum stage_result serve(void *data)
{
    char line[BRIDGE_STATUS_MAX];
    watch_signals();
    bridge_status_format(&status, line);
    worker_ready(line);
    event_loop_run();
    remove_sockets();
    return bridge.has_failed ? STAGE_FAILED : STAGE_DONE;
}

static const struct stage stages[] = {
    {"launcher", start_launcher},    {"sockets", make_sockets}, {"landlock", confine_to_folders},
    {"seccomp", confine_to_sockets}, {"serving", serve},        {0},
};

int main(int argc, char **argv)
{
    if (argc < 4 || open_place(argv) < 0 || bridge_read_options(argv + 4) < 0) {
        fprintf(stderr, PROGRAM ": is started by box\n");
        return 64;
    }
    debug_start(PROGRAM);
    const struct supervised self = {.name = BRIDGE_HELPER,
                                    .program = PROGRAM,
                                    .run = bridge.run,
                                    .argv = argv,
                                    .folder = bridge.runtime,
                                    .box = STDIN_FILENO,
                                    .stages = stages};
    return supervise(&self);
}
