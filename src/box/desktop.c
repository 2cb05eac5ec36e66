#include "box/desktop.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/background.h"
#include "box/notes.h"
#include "box/say.h"
#include "bridge/outcome.h"
#include "bridge/request.h"
#include "common/ask.h"
#include "common/fs.h"
#include "common/paths.h"
#include "plan/plan.h"

#define READY_MS 5000
/* How long the bridge of a run that is over may take to end. */
#define ENDING_MS 1000
#define LOOK_MS 10
/* Largest list of a box's sockets that is read. */
#define SOCKETS_MAX (4 << 20)

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

/* Starts a bridge, with windows as WAYLAND says (NULL: without); how that went, a new string, or
 * NULL. */
static char *start(const box_run *run, const char *wayland)
{
    const box *self = run->self;
    g_autoptr(GError) problem = NULL;
    g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *program = paths_libexec("litterbox-bridge");
    g_autofree char *messages = g_build_filename(self->runtime, "bridge.err", NULL);
    g_ptr_array_add(arguments, g_strdup(self->runtime));
    g_ptr_array_add(arguments, g_strconcat("dev.litterbox.", self->name, NULL));
    g_ptr_array_add(arguments, g_strdup(run->name));
    add_option(arguments, "wayland", wayland);
    add_option(arguments, "open", run->known->open[0]);
    add_option(arguments, "notify", run->known->notify[0]);
    add_option(arguments, "name", self->name);
    add_option(arguments, "project", self->project);
    g_ptr_array_add(arguments, NULL);
    int pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
    background wanted = {program, (const char *const *)arguments->pdata, pidfd, messages, READY_MS};
    char *outcome = NULL;
    if (pidfd < 0)
        return NULL;
    if (!background_start(&wanted, &outcome, &problem))
        say_warning("%s; the box has nothing of your desktop", problem->message);
    close(pidfd);
    return outcome;
}

static gboolean may_ask(const record *known)
{
    return known->open[0] || known->notify[0];
}

/* The box has no windows before its next start, only what else there is. */
static void give_up_windows(const box_run *run)
{
    note_make(run->self, NOTE_NO_WINDOWS);
    /* One that was ended has left its socket: this one also takes that away. */
    g_free(start(run, NULL));
}

static void serve(const box_run *run, const char *wayland)
{
    const char *name = run->self->name;
    g_autofree char *outcome = start(run, wayland);
    if (g_strcmp0(outcome, BRIDGE_SERVED) == 0) {
        is_served(run); /* what it makes is about to be there */
    } else if (wayland && outcome && !*outcome) {
        say_warning(
            "the compositor does not answer, and box '%s' has no windows before its next start",
            name);
        give_up_windows(run);
    } else if (g_strcmp0(outcome, BRIDGE_UNKNOWN) == 0 &&
               (has_consent(run->self) || ask_consent(run->self))) {
        serve(run, "plain");
    } else if (g_strcmp0(outcome, BRIDGE_UNKNOWN) == 0) {
        say_note("the compositor has no security contexts, and box '%s' gets no windows; "
                 "[desktop] wayland = \"plain\" gives it the compositor's own socket",
                 name);
        give_up_windows(run);
    } else if (g_strcmp0(outcome, BRIDGE_FAILED) == 0) {
        say_warning("the compositor did not take the socket of box '%s', which has no windows",
                    name);
        give_up_windows(run);
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
    if (!known->wayland[0] || !is_set("WAYLAND_DISPLAY") || note_is_there(self, NOTE_NO_WINDOWS))
        return NULL;
    return known->wayland[0];
}

void desktop_wake(const box *self, const record *known, pid_t pid)
{
    gboolean display = is_set("WAYLAND_DISPLAY") || is_set("DISPLAY");
    box_run run = {.self = self, .known = known, .pid = pid};
    if (!display || (!known->wayland[0] && !may_ask(known)) || pid <= 0)
        return;
    g_snprintf(run.name, sizeof run.name, "%d", (int)pid);
    if (is_served(&run))
        return;
    const char *windows = wanted_windows(self, known);
    if (windows || may_ask(known))
        serve(&run, windows);
}

void desktop_environment(const box *self, const record *known, GPtrArray *env)
{
    g_autofree char *socket = g_build_filename(self->runtime, BRIDGE_FOLDER, BRIDGE_WAYLAND, NULL);
    if (!known || !known->wayland[0] || access(socket, F_OK) < 0)
        return;
    g_ptr_array_add(env, g_strdup("WAYLAND_DISPLAY=" PLAN_DESKTOP "/" BRIDGE_WAYLAND));
    g_ptr_array_add(env, g_strdup("XDG_SESSION_TYPE=wayland"));
}

/*
 * In /proc/net/unix a connected socket, "… 0001 03 INODE PATH", of the listener's side has its
 * name, and is listed in the network namespace of who has connected (unix(7), net/unix/af_unix.c).
 */
int desktop_clients(const box *self, pid_t pid)
{
    g_autofree char *socket = g_build_filename(self->runtime, BRIDGE_FOLDER, BRIDGE_WAYLAND, NULL);
    g_autofree char *end = g_strconcat(" ", socket, NULL);
    g_autofree char *list = g_strdup_printf("/proc/%d/net/unix", (int)pid);
    g_autofree char *text = NULL;
    int count = 0;
    if (access(socket, F_OK) < 0 || !fs_read(AT_FDCWD, list, SOCKETS_MAX, &text, NULL, NULL))
        return -1;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        count += g_str_has_suffix(*line, end) && strstr(*line, " 0001 03 ");
    return count;
}

gboolean desktop_clear(const box *self, GError **error)
{
    static const char *const names[] = {BRIDGE_WAYLAND, REQUEST_SOCKET};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(self->runtime, BRIDGE_FOLDER, names[i], NULL);
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
