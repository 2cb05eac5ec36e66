#include "box/helpers/bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/background.h"
#include "box/desktop_sound.h"
#include "box/notes.h"
#include "box/say.h"
#include "bridge/outcome.h"
#include "proto/desktop_request.h"
#include "common/ask.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/wayland_socket.h"
#include "plan/plan.h"

#define READY_MS 5000
/* How long the bridge of a run that is over may take to end. */
#define ENDING_MS 1000
#define LOOK_MS 10

/* The run of a box: its PID 1, as the bridge writes it into its lock. */
typedef struct {
    const box *self;
    const record *known;
    pid_t pid;
    char name[16];
} box_run;

/* Whose bridge holds the lock: 0 nobody's, 1 that of this run, -1 another's, or one that starts. */
static int holder(const box_run *run)
{
    g_autofree char *path = g_build_filename(run->self->runtime, BRIDGE_LOCK, NULL);
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char text[sizeof run->name] = "";
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), held = 0;
    if (fd < 0)
        return 0;
    if (fcntl(fd, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK)
        held = read(fd, text, sizeof text - 1) > 0 && strcmp(text, run->name) == 0 ? 1 : -1;
    close(fd);
    return held;
}

static gboolean is_served(const box_run *run)
{
    int held = holder(run);
    for (int waited = 0; held < 0 && waited < ENDING_MS; waited += LOOK_MS) {
        g_usleep(LOOK_MS * 1000);
        held = holder(run);
    }
    return held > 0;
}

static char *consent_path(const box *self)
{
    g_autofree char *tail = g_build_filename("plain-wayland", self->base, NULL);
    return paths_state(tail);
}

static gboolean has_consent(const box *self)
{
    g_autofree char *path = consent_path(self);
    return access(path, F_OK) == 0;
}

static gboolean ask_consent(const box *self)
{
    g_autofree char *question = g_strdup_printf(
        "box: your compositor cannot tell the windows of box '%s' from those of other programs\n"
        "(it has no security contexts). With its plain socket, programs in the box may be able to see the "
        "screen\nand the clipboard, and to type into other windows. Give the box that socket?",
        self->name);
    if (!ask_can() || !ask_yes(question))
        return FALSE;
    g_autofree char *path = consent_path(self);
    g_autofree char *folder = g_path_get_dirname(path);
    return fs_make_folder(folder, 0700, NULL) && fs_write(path, "", 0, 0600, NULL);
}

static void add_option(GPtrArray *arguments, const char *key, const char *value)
{
    if (value)
        g_ptr_array_add(arguments, g_strdup_printf("%s=%s", key, value));
}

/* What a bridge is to make besides the door: its options of these names; NULL: not at all. */
typedef struct {
    const char *wayland, *x11;
    gboolean sound;
} desktop_wish;

/* Starts a bridge; how that went, for windows, X11 and sound (nothing: it has not answered), or
 * NULL. */
static char **start(const box_run *run, const desktop_wish *wish)
{
    const box *self = run->self;
    g_autoptr(GError) problem = NULL;
    g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *program = paths_libexec("litterbox-bridge");
    g_autofree char *messages = g_build_filename(self->runtime, "bridge.err", NULL);
    g_ptr_array_add(arguments, g_strdup(self->runtime));
    g_ptr_array_add(arguments, g_strconcat("dev.litterbox.", self->name, NULL));
    g_ptr_array_add(arguments, g_strdup(run->name));
    add_option(arguments, "wayland", wish->wayland);
    add_option(arguments, "x11", wish->x11);
    add_option(arguments, "clipboard", wish->x11 ? run->known->clipboard[0] : NULL);
    add_option(arguments, "sound", wish->sound ? run->known->sound[0] : NULL);
    add_option(arguments, "microphone", wish->sound ? run->known->microphone[0] : NULL);
    add_option(arguments, "open", run->known->open[0]);
    add_option(arguments, "notify", run->known->notify[0]);
    add_option(arguments, "name", self->name);
    add_option(arguments, "project", self->project);
    g_ptr_array_add(arguments, NULL);
    int pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
    /* One of its errands starts the user's browser, with our umask. */
    background wanted = {program, (const char *const *)arguments->pdata, pidfd, messages, READY_MS,
                         TRUE};
    g_autofree char *outcome = NULL;
    if (pidfd < 0)
        return NULL;
    if (!background_start(&wanted, &outcome, &problem))
        say_warning("%s; the box has nothing of your desktop", problem->message);
    close(pidfd);
    return outcome ? g_strsplit(outcome, " ", 3) : NULL;
}

static gboolean may_ask(const record *known)
{
    return known->open[0] || known->notify[0];
}

static void serve(const box_run *run, const desktop_wish *wish);

/* Without all that the compositor has a part in. A bridge that was ended has left its sockets: the
 * next one takes those away, too. */
static void serve_without_compositor(const box_run *run, const desktop_wish *wish)
{
    gboolean nested = g_strcmp0(wish->x11, "nested") == 0;
    desktop_wish next = {NULL, nested ? NULL : wish->x11, wish->sound};
    if (!wish->wayland && !nested)
        return;
    if (wish->wayland)
        note_make(run->self, NOTE_NO_WINDOWS);
    if (nested)
        note_make(run->self, NOTE_NO_X11);
    say_warning("the compositor does not answer, and box '%s' has no windows before its next start",
                run->self->name);
    serve(run, &next);
}

/* The compositor has no security contexts: with the user's consent without, else no windows. */
static void serve_without_contexts(const box_run *run, const desktop_wish *wish)
{
    gboolean plain = has_consent(run->self) || ask_consent(run->self);
    desktop_wish next = {plain ? "plain" : NULL, wish->x11, wish->sound};
    if (!plain) {
        note_make(run->self, NOTE_NO_WINDOWS);
        say_note("the compositor has no security contexts, and box '%s' gets no windows; "
                 "[desktop] wayland = \"plain\" gives it the compositor's own socket",
                 run->self->name);
    }
    serve(run, &next);
}

static gboolean has_compositor(void)
{
    char path[PATH_MAX];
    return wayland_socket_path(path, sizeof path) == 0;
}

static void report_x11(const box_run *run, const char *outcome)
{
    if (g_strcmp0(outcome, BRIDGE_APART) == 0) {
        say_note(
            "the compositor lets no program share its clipboard (it has no data-control protocol), "
            "and box '%s' keeps its own",
            run->self->name);
        return;
    }
    if (g_strcmp0(outcome, BRIDGE_NO_SERVER) == 0)
        say_note("box '%s' has no X11 windows: [desktop] x11 = \"nested\" needs %s on this machine",
                 run->self->name,
                 has_compositor() ? "Xwayland (package xwayland)"
                                  : "Xephyr (package xserver-xephyr)");
    else if (g_strcmp0(outcome, BRIDGE_FAILED) == 0)
        say_warning("the X11 display of box '%s' could not be made", run->self->name);
    else
        return;
    note_make(run->self, NOTE_NO_X11);
}

static void serve(const box_run *run, const desktop_wish *wish)
{
    g_auto(GStrv) outcome = start(run, wish);
    if (!outcome)
        return;
    if (!outcome[0]) {
        serve_without_compositor(run, wish);
    } else if (strcmp(outcome[0], BRIDGE_SERVED) == 0) {
        is_served(run); /* what it makes is about to be there */
    } else if (strcmp(outcome[0], BRIDGE_UNKNOWN) == 0) {
        serve_without_contexts(run, wish);
    } else {
        if (strcmp(outcome[0], BRIDGE_FAILED) == 0) {
            note_make(run->self, NOTE_NO_WINDOWS);
            say_warning("the compositor did not take the socket of box '%s', which has no windows",
                        run->self->name);
        }
        report_x11(run, outcome[1]);
        if (outcome[1])
            desktop_sound_report(run->self, outcome[2]);
    }
}

static gboolean is_set(const char *name)
{
    const char *value = g_getenv(name);
    return value && *value;
}

/* How windows are to be made, the "wayland" of the bridge; NULL: not at all. */
static const char *wanted_windows(const box *self, const record *known)
{
    if (!known->wayland[0] || !has_compositor() || note_is_there(self, NOTE_NO_WINDOWS))
        return NULL;
    return known->wayland[0];
}

static const char *wanted_x11(const box *self, const record *known)
{
    return note_is_there(self, NOTE_NO_X11) ? NULL : known->x11[0];
}

static gboolean wants_anything(const record *known)
{
    return known->wayland[0] || known->x11[0] || known->sound[0] || known->microphone[0] ||
           may_ask(known);
}

void desktop_wake(const box *self, const record *known, pid_t pid)
{
    gboolean display = is_set("WAYLAND_DISPLAY") || is_set("DISPLAY");
    box_run run = {.self = self, .known = known, .pid = pid};
    if (!display || !wants_anything(known) || pid <= 0)
        return;
    g_snprintf(run.name, sizeof run.name, "%d", (int)pid);
    if (is_served(&run) || !(has_compositor() || is_set("DISPLAY")))
        return;
    desktop_wish wish = {wanted_windows(self, known), wanted_x11(self, known),
                         desktop_sound_wanted(self, known)};
    if (wish.wayland || wish.x11 || wish.sound || may_ask(known))
        serve(&run, &wish);
}

static gboolean has_socket(const box *self, const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(self->runtime, folder, name, NULL);
    return access(path, F_OK) == 0;
}

void desktop_environment(const box *self, const record *known, GPtrArray *env)
{
    gboolean has_wayland =
        known && known->wayland[0] && has_socket(self, BRIDGE_FOLDER, BRIDGE_WAYLAND);
    gboolean has_x11 = known && known->x11[0] && has_socket(self, BRIDGE_X11, BRIDGE_X11_SOCKET);
    if (has_wayland)
        g_ptr_array_add(env, g_strdup("WAYLAND_DISPLAY=" PLAN_DESKTOP "/" BRIDGE_WAYLAND));
    if (has_x11) {
        g_ptr_array_add(env, g_strdup("DISPLAY=" BRIDGE_X11_DISPLAY));
        g_ptr_array_add(env, g_strdup("XAUTHORITY=" PLAN_DESKTOP "/" BRIDGE_COOKIE));
    }
    desktop_sound_environment(self, known, env);
    if (has_wayland || has_x11)
        g_ptr_array_add(env,
                        g_strconcat("XDG_SESSION_TYPE=", has_wayland ? "wayland" : "x11", NULL));
}

gboolean desktop_clear(const box *self, GError **error)
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

void desktop_forget(const box *self)
{
    g_autofree char *path = consent_path(self);
    unlink(path);
}
