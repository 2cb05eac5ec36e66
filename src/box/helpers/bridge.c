#include "box/helpers/bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/helpers/start.h"
#include "box/registry/box.h"
#include "common/fs.h"
#include "common/paths.h"
#include "config/settings.h"
#include "console/ask.h"
#include "console/log.h"
#include "net/desktop_sockets.h"
#include "plan/plan.h"
#include "proto/bridge_protocol.h"
#include "proto/desktop_request.h"
#include "sys/debug.h"

/* For a start. A bridge gives up earlier on a compositor that hangs
 * (host/bridge/wayland/wayland.c).
 */
#define TIMEOUT_MS 5000
/* Bytes of /proc/PID/net/unix that are read. */
#define SOCKETS_MAX (4 << 20)

/* keeps_umask: the bridge's desktop helper starts the user's browser. */
static const struct helper bridge = {.name = BRIDGE_HELPER,
                                     .program = "litterbox-bridge",
                                     .timeout_ms = TIMEOUT_MS,
                                     .keeps_umask = TRUE};

/* A running box. */
typedef struct {
    const struct box *self;
    const struct runtime_config *known;
    pid_t pid; /* of its PID 1 */
} box_run;

static char *consent_path(const struct box *self)
{
    g_autofree char *tail = g_build_filename("plain-wayland", self->base, NULL);
    return paths_state(tail);
}

static gboolean has_consent(const struct box *self)
{
    g_autofree char *path = consent_path(self);
    return access(path, F_OK) == 0;
}

static gboolean ask_consent(const struct box *self)
{
    g_autofree char *question = g_strdup_printf(
        "box: your compositor cannot tell windows of box '%s' from those of other programs\n"
        "(it has no security contexts). With access to it, programs in the box may be able to see "
        "the screen\nand the clipboard, and to type into other windows. Allow this access?",
        self->name);
    if (!ask_can() || !ask_yes(question))
        return FALSE;
    g_autofree char *path = consent_path(self);
    g_autofree char *folder = g_path_get_dirname(path);
    return fs_make_folder(folder, 0700, NULL) && fs_write(path, "", 0, 0600, NULL);
}

/* What the bridge is to serve besides desktop requests: the settings, limited to what the host has.
 */
typedef struct {
    enum wayland_access wayland;
    enum x11_access x11;
    gboolean sound;
} bridge_access;

/* The settings that reach the bridge as options, with ACCESS in place of the same settings. */
static void add_settings(GPtrArray *arguments, const settings *known, const bridge_access *access)
{
    settings wanted = *known; /* shares the strings of KNOWN */
    wanted.desktop.wayland = access->wayland;
    wanted.desktop.x11 = access->x11;
    if (!access->sound) {
        wanted.desktop.sound = SOUND_NONE;
        wanted.desktop.microphone = FALSE;
    }
    settings_to_options(&wanted, REACHES_BRIDGE, arguments);
}

static GPtrArray *make_arguments(const box_run *run, const bridge_access *access)
{
    const struct box *self = run->self;
    GPtrArray *arguments = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(arguments, g_strdup(self->runtime));
    g_ptr_array_add(arguments, g_strconcat("dev.litterbox.", self->name, NULL));
    g_ptr_array_add(arguments, g_strdup_printf("%d", (int)run->pid));
    g_ptr_array_add(arguments, g_strconcat("name=", self->name, NULL));
    g_ptr_array_add(arguments, g_strconcat("project=", self->project, NULL));
    add_settings(arguments, run->known->settings, access);
    g_ptr_array_add(arguments, NULL);
    return arguments;
}

static void serve(const box_run *run, const bridge_access *access);

/* Starts the bridge without anything that needs the compositor. The bridge that was killed has left
 * its sockets, which the new one removes. */
static void serve_without_compositor(const box_run *run, const bridge_access *access)
{
    gboolean nested = access->x11 == X11_NESTED;
    bridge_access next = {WAYLAND_NONE, nested ? X11_NONE : access->x11, access->sound};
    if (access->wayland == WAYLAND_NONE && !nested)
        return;
    if (access->wayland != WAYLAND_NONE)
        state_flag_set(run->self, STATE_FLAG_NO_WINDOWS);
    if (nested)
        state_flag_set(run->self, STATE_FLAG_NO_X11);
    log_warning("the compositor does not answer: box '%s' has no windows until its next start",
                run->self->name);
    serve(run, &next);
}

/* The compositor has no security contexts: uses its plain socket if the user agrees, else shares no
 * windows. */
static void serve_without_contexts(const box_run *run, const bridge_access *access)
{
    gboolean plain = has_consent(run->self) || ask_consent(run->self);
    bridge_access next = {plain ? WAYLAND_PLAIN : WAYLAND_NONE, access->x11, access->sound};
    if (!plain) {
        state_flag_set(run->self, STATE_FLAG_NO_WINDOWS);
        log_note(
            "the compositor has no security contexts: box '%s' gets no windows; [desktop] wayland "
            "= \"plain\" gives it full access to the compositor",
            run->self->name);
    }
    serve(run, &next);
}

static gboolean has_compositor(void)
{
    char path[PATH_MAX];
    return desktop_wayland_socket(path, sizeof path) == 0;
}

static void report_x11(const box_run *run, enum bridge_outcome outcome)
{
    if (outcome == BRIDGE_NO_CLIPBOARD) {
        log_note(
            "the compositor does not share its clipboard (no data-control protocol): box '%s' has "
            "a clipboard of its own",
            run->self->name);
        return;
    }
    if (outcome == BRIDGE_NO_SERVER)
        log_note("box '%s' has no X11 windows: [desktop] x11 = \"nested\" needs %s on this machine",
                 run->self->name,
                 has_compositor() ? "Xwayland (package xwayland)"
                                  : "Xephyr (package xserver-xephyr)");
    else if (outcome == BRIDGE_FAILED)
        log_warning("cannot create the X11 display of box '%s'", run->self->name);
    else
        return;
    state_flag_set(run->self, STATE_FLAG_NO_X11);
}

static gboolean has_sound(const struct runtime_config *known)
{
    return known->settings->desktop.sound != SOUND_NONE || known->settings->desktop.microphone;
}

/* FALSE without a sound server. The user is told once. */
static gboolean should_share_sound(const struct box *self, const struct runtime_config *known)
{
    char path[PATH_MAX];
    if (!has_sound(known))
        return FALSE;
    if (desktop_sound_socket(path, sizeof path) == 0)
        return TRUE;
    if (state_flag_is_set(self, STATE_FLAG_NO_SOUND))
        return FALSE;
    state_flag_set(self, STATE_FLAG_NO_SOUND);
    log_note(
        "box '%s' has no sound: neither PulseAudio nor PipeWire (package pipewire-pulse) answers "
        "on this machine",
        self->name);
    return FALSE;
}

static void report_sound(const struct box *self, enum bridge_outcome outcome)
{
    if (outcome == BRIDGE_SHARED)
        state_flag_clear(self, STATE_FLAG_NO_SOUND);
    else if (outcome == BRIDGE_FAILED)
        log_warning("cannot create the sound socket of box '%s'", self->name);
}

static void report(const box_run *run, const bridge_access *access,
                   const struct bridge_status *status)
{
    if (status->windows == BRIDGE_NO_CONTEXTS) {
        serve_without_contexts(run, access);
        return;
    }
    if (status->windows == BRIDGE_FAILED) {
        state_flag_set(run->self, STATE_FLAG_NO_WINDOWS);
        log_warning("the compositor refuses the socket of box '%s': it has no windows",
                    run->self->name);
    }
    report_x11(run, status->x11);
    report_sound(run->self, status->sound);
}

static void serve(const box_run *run, const bridge_access *access)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(GPtrArray) arguments = make_arguments(run, access);
    g_autofree char *result = NULL;
    struct bridge_status status;
    struct helper_request request = {run->self->runtime, run->pid,
                                     (const char *const *)arguments->pdata};
    debug_log(DEBUG_HELPER, "box '%s': bridge for wayland %d, x11 %d, sound %d", run->self->name,
              (int)access->wayland, (int)access->x11, access->sound);
    switch (box_helper_start(&bridge, &request, &result, &problem)) {
    case HELPER_READY:
    case HELPER_DONE:
        if (bridge_status_parse(result, &status) == 0)
            report(run, access, &status);
        break;
    case HELPER_RUNNING:
        break;
    case HELPER_TIMEOUT:
        serve_without_compositor(run, access);
        break;
    case HELPER_NOT_READY:
        log_warning("%s; the box has no access to your desktop", problem->message);
        break;
    }
}

static gboolean is_set(const char *name)
{
    const char *value = g_getenv(name);
    return value && *value;
}

static enum wayland_access wanted_wayland(const struct box *self,
                                          const struct runtime_config *known)
{
    if (!has_compositor() || state_flag_is_set(self, STATE_FLAG_NO_WINDOWS))
        return WAYLAND_NONE;
    return known->settings->desktop.wayland;
}

static enum x11_access wanted_x11(const struct box *self, const struct runtime_config *known)
{
    return state_flag_is_set(self, STATE_FLAG_NO_X11) ? X11_NONE : known->settings->desktop.x11;
}

static gboolean wants_anything(const struct runtime_config *known)
{
    const settings *wanted = known->settings;
    return wanted->desktop.wayland != WAYLAND_NONE || wanted->desktop.x11 != X11_NONE ||
           wanted->desktop.sound != SOUND_NONE || wanted->desktop.microphone ||
           settings_wants_requests(wanted);
}

void bridge_ensure_running(const struct box *self, const struct runtime_config *known, pid_t pid)
{
    gboolean display = is_set("WAYLAND_DISPLAY") || is_set("DISPLAY");
    box_run run = {.self = self, .known = known, .pid = pid};
    if (!display || !wants_anything(known) || pid <= 0)
        return;
    if (helper_is_running(&bridge, self->runtime, pid) || !(has_compositor() || is_set("DISPLAY")))
        return;
    bridge_access access = {wanted_wayland(self, known), wanted_x11(self, known),
                            should_share_sound(self, known)};
    if (access.wayland != WAYLAND_NONE || access.x11 != X11_NONE || access.sound ||
        settings_wants_requests(known->settings))
        serve(&run, &access);
}

static gboolean has_socket(const struct box *self, const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(self->runtime, folder, name, NULL);
    return access(path, F_OK) == 0;
}

static void add_sound_environment(const struct box *self, const struct runtime_config *known,
                                  GPtrArray *env)
{
    g_autofree char *path = g_build_filename(self->runtime, BRIDGE_FOLDER, BRIDGE_SOUND, NULL);
    if (known && has_sound(known) && access(path, F_OK) == 0)
        g_ptr_array_add(env, g_strdup("PULSE_SERVER=unix:" PLAN_DESKTOP "/" BRIDGE_SOUND));
}

void bridge_add_environment(const struct box *self, const struct runtime_config *known,
                            GPtrArray *env)
{
    gboolean has_wayland = known && known->settings->desktop.wayland != WAYLAND_NONE &&
                           has_socket(self, BRIDGE_FOLDER, BRIDGE_WAYLAND);
    gboolean has_x11 = known && known->settings->desktop.x11 != X11_NONE &&
                       has_socket(self, BRIDGE_X11, BRIDGE_X11_SOCKET);
    if (has_wayland)
        g_ptr_array_add(env, g_strdup("WAYLAND_DISPLAY=" PLAN_DESKTOP "/" BRIDGE_WAYLAND));
    if (has_x11) {
        g_ptr_array_add(env, g_strdup("DISPLAY=" BRIDGE_X11_DISPLAY));
        g_ptr_array_add(env, g_strdup("XAUTHORITY=" PLAN_DESKTOP "/" BRIDGE_COOKIE));
    }
    add_sound_environment(self, known, env);
    if (has_wayland || has_x11)
        g_ptr_array_add(env,
                        g_strconcat("XDG_SESSION_TYPE=", has_wayland ? "wayland" : "x11", NULL));
}

gboolean bridge_clear_sockets(const struct box *self, GError **error)
{
    static const char *const names[] = {
        BRIDGE_FOLDER "/" BRIDGE_WAYLAND, BRIDGE_FOLDER "/" BRIDGE_COOKIE,
        BRIDGE_FOLDER "/" BRIDGE_SOUND, BRIDGE_FOLDER "/" REQUEST_SOCKET,
        BRIDGE_X11 "/" BRIDGE_X11_SOCKET};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(self->runtime, names[i], NULL);
        if (unlink(path) < 0 && errno != ENOENT) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot remove '%s': %s", path,
                        g_strerror(errno));
            return FALSE;
        }
    }
    return TRUE;
}

void bridge_forget_consent(const struct box *self)
{
    g_autofree char *path = consent_path(self);
    if (!self->branch)
        unlink(path);
}

gboolean bridge_rename_consent(const struct box *from, const struct box *to, GError **error)
{
    g_autofree char *old = consent_path(from), *new = consent_path(to);
    return fs_rename(old, new, error);
}

/*
 * /proc/net/unix lists connected sockets as "… 0001 03 INODE PATH". The listener's end of a
 * connection has the listener's path, and is listed in the network namespace of the process that
 * connected (unix(7); af_unix.c of the kernel).
 */
int bridge_count_clients(const struct box *self, pid_t pid)
{
    g_autofree char *wayland =
        g_strconcat(" ", self->runtime, "/" BRIDGE_FOLDER "/" BRIDGE_WAYLAND, NULL);
    g_autofree char *x11 =
        g_strconcat(" ", self->runtime, "/" BRIDGE_X11 "/" BRIDGE_X11_SOCKET, NULL);
    g_autofree char *list = g_strdup_printf("/proc/%d/net/unix", (int)pid);
    g_autofree char *text = NULL;
    int count = 0;
    if ((access(wayland + 1, F_OK) < 0 && access(x11 + 1, F_OK) < 0) ||
        !fs_read(AT_FDCWD, list, SOCKETS_MAX, &text, NULL, NULL))
        return -1;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        count += (g_str_has_suffix(*line, wayland) || g_str_has_suffix(*line, x11)) &&
                 strstr(*line, " 0001 03 ");
    return count;
}
