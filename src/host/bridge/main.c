/*
 * litterbox-bridge: shares parts of the user's desktop with one box, for as long as the box runs.
 *
 * litterbox-bridge RUNTIME APP_ID RUN [KEY=VALUE…], with a pidfd of the box's PID 1 on stdin
 * (host/supervisor/helper_start.h). RUN is the process id of that. The bridge makes sockets in the
 * folder of RUNTIME that is mounted into the box, reports the result (proto/bridge_protocol.h), and
 * runs until the box or the compositor ends. The options are the settings whose row in
 * config/schema.c has REACHES_BRIDGE, as section.key=VALUE, and name= and project= of the box, for
 * questions to the user.
 *
 * The compositor serves the box's windows directly; their data does not pass through the bridge.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/bridge/audio/sound.h"
#include "host/bridge/core/bridge.h"
#include "host/bridge/desktop_requests.h"
#include "host/bridge/wayland/wayland.h"
#include "host/bridge/x11/x11.h"
#include "host/supervisor/supervise.h"
#include "net/event_loop.h"
#include "proto/bridge_protocol.h"
#include "sys/confine.h"
#include "sys/debug.h"
#include "sys/signals.h"

#define BRIDGE_PROGRAM "litterbox-bridge"

static int launcher = -1; /* socket to it */
static struct bridge_status status;

static void on_signal(struct event_watch *self, uint32_t events)
{
    event_loop_quit();
}

static void watch_signals(void)
{
    static const int ending[] = {SIGTERM, SIGINT, SIGHUP};
    static struct event_watch signals = {.ready = on_signal};
    signals.fd = signals_watch(SIG_SETMASK, ending, sizeof ending / sizeof *ending);
    event_watch_set(&signals, EPOLLIN);
}

static int open_runtime(char **argv)
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

/* First: the programs that it starts need the user's rights and umask. */
static enum stage_result start_launcher(void *data)
{
    if (desktop_requests_are_allowed())
        launcher = desktop_requests_start_launcher();
    umask(077);
    confine_harden();
    return STAGE_NEXT;
}

static void remove_sockets(void)
{
    wayland_end();
    x11_end();
    sound_end();
    desktop_requests_end();
}

static enum stage_result end_unused(void)
{
    char line[BRIDGE_STATUS_MAX];
    remove_sockets();
    bridge_status_format(&status, line);
    worker_result(line);
    return STAGE_DONE;
}

/*
 * When the compositor cannot share its windows safely, the bridge ends without serving the rest:
 * `box` asks the user whether to do without a security context, and starts another bridge.
 */
static enum stage_result make_sockets(void *data)
{
    status = (struct bridge_status){.windows = wayland_begin()};
    int has_windows = is_shared(status.windows);
    if (!has_windows && bridge.settings.wayland != WAYLAND_NONE && status.windows != BRIDGE_FAILED)
        return end_unused();
    status.x11 = x11_begin();
    status.sound = sound_begin();
    int requests = desktop_requests_begin(launcher);
    if (requests < 0)
        fprintf(stderr, BRIDGE_PROGRAM ": cannot serve desktop requests\n");
    debug_log(DEBUG_BRIDGE, "windows %d, x11 %d, sound %d, requests %d", status.windows, status.x11,
              status.sound, requests);
    if (has_windows || is_shared(status.x11) || is_shared(status.sound) || requests > 0)
        return STAGE_NEXT;
    return end_unused();
}

/* From here on it reads data from the box, so it keeps no access but to its own sockets. */
static enum stage_result confine(void *data)
{
    char folder[PATH_MAX], x11[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/" BRIDGE_FOLDER, bridge.path);
    snprintf(x11, sizeof x11, "%s/" BRIDGE_X11, bridge.path);
    const struct confine_path paths[] = {{folder, CONFINE_REMOVE}, {x11, CONFINE_REMOVE}};
    confine_process(BRIDGE_PROGRAM, paths, 2, 0);
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
    {"launcher", start_launcher},
    {"sockets", make_sockets},
    {"confinement", confine},
    {"serving", serve},
    {0},
};

int main(int argc, char **argv)
{
    if (argc < 4 || open_runtime(argv) < 0 || bridge_read_options(argv + 4) < 0) {
        fprintf(stderr, BRIDGE_PROGRAM ": is started by box\n");
        return 64;
    }
    debug_start(BRIDGE_PROGRAM);
    const struct supervised self = {.name = BRIDGE_HELPER,
                                    .program = BRIDGE_PROGRAM,
                                    .run = bridge.run,
                                    .argv = argv,
                                    .folder = bridge.runtime,
                                    .box = STDIN_FILENO,
                                    .stages = stages};
    return supervise(&self);
}
