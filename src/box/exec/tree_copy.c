#include "box/exec/tree_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/exec/sessions.h"
#include "box/inspect/project_scan.h"
#include "box/lifecycle/lifecycle.h"
#include "box/session/freeze.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "net/unix_socket.h"
#include "plan/plan.h"
#include "tree/tree.h"

/* The box's end has said that it is done, or is not listened to any more. */
#define SESSION_END_MS 2000

#define GUEST PLAN_BIN "/litterbox-copy"

void tree_place_clear(tree_place *self)
{
    if (self->folder >= 0)
        close(self->folder);
    g_free(self->name);
    g_free(self->path);
    *self = (tree_place){.folder = -1};
}

static char *absolute_path(const char *path)
{
    char here[PATH_MAX];
    if (*path == '/' || !getcwd(here, sizeof here))
        return g_strdup(path);
    return g_build_filename(here, path, NULL);
}

static gboolean fail_errno(const char *path, GError **error)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s': %s", safe, g_strerror(saved));
    return FALSE;
}

/* Where PATH (absolute) leads; NULL with errno when it does not exist, or with ERROR too. */
static char *resolve(const char *path, GError **error)
{
    g_auto(GStrv) writable = registry_writable_folders();
    g_autofree char *link = NULL;
    char *real = safe_path_resolve(path, writable, &link);
    if (link) {
        g_autofree char *safe = text_safe(link, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' is a symbolic link that a box could have made: name what it leads to",
                    safe);
    }
    if (!real)
        errno = ENOENT;
    return real;
}

/* The folder at REAL, which is SELF's from now on. FALSE with errno when there is none. */
static gboolean open_folder(tree_place *self, char *real)
{
    self->path = real;
    self->folder = real ? fs_open_real(real, O_RDONLY | O_DIRECTORY) : -1;
    if (self->folder < 0)
        g_clear_pointer(&self->path, g_free);
    return self->folder >= 0;
}

static gboolean set_name(tree_place *self, const char *path, char *name, GError **error)
{
    self->name = name;
    if (tree_name_is_valid(name, strlen(name)))
        return TRUE;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "'%s' gives the copy no name: name a file or folder", safe);
    return FALSE;
}

gboolean tree_place_source(tree_place *self, const char *path, GError **error)
{
    *self = (tree_place){.folder = -1};
    g_autofree char *absolute = absolute_path(path);
    g_autofree char *real = resolve(absolute, error);
    if (!real)
        return error && *error ? FALSE : fail_errno(path, error);
    if (!open_folder(self, g_path_get_dirname(real)))
        return fail_errno(path, error);
    return set_name(self, path, g_path_get_basename(real), error);
}

gboolean tree_place_target(tree_place *self, const char *path, const char *name, GError **error)
{
    *self = (tree_place){.folder = -1};
    g_autoptr(GError) problem = NULL;
    g_autofree char *absolute = absolute_path(path);
    if (open_folder(self, resolve(absolute, &problem)))
        return set_name(self, name, g_strdup(name), error);
    if (!problem && ((errno != ENOENT && errno != ENOTDIR) || g_str_has_suffix(path, "/")))
        return fail_errno(path, error);
    g_autofree char *above = g_path_get_dirname(absolute);
    if (!problem && open_folder(self, resolve(above, &problem)))
        return set_name(self, path, g_path_get_basename(absolute), error);
    if (!problem)
        return fail_errno(above, error);
    g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

/* What was left out. */
typedef struct {
    guint count;
    const struct box *box;
    const settings *wanted;
    const char *folder;
    guint protected_count;
    char *protected_first;
} left_out;

static void note(void *data, const char *text)
{
    left_out *self = data;
    g_autofree char *safe = text_safe(text, -1);
    if (self->count++ < TREE_NOTES_MAX)
        log_warning("left out: %s", safe);
}

/* The user has named the top; what is in it the box has named. */
static int wants(void *data, const char *path)
{
    left_out *self = data;
    g_autofree char *whole = g_strconcat(self->folder, "/", path, NULL);
    if (!strchr(path, '/') || !project_scan_is_watched(self->wanted, whole))
        return 1;
    if (self->protected_count++ == 0)
        self->protected_first = g_strdup(path);
    return 0;
}

/* What the box of the project must not write, and perhaps not see. */
static int is_protected(void *data, const char *path)
{
    const left_out *self = data;
    g_autofree char *whole = g_strconcat(self->folder, "/", path, NULL);
    const char *name = whole;
    if (fs_is_below(whole, self->box->project))
        name += strlen(self->box->project); /* "" for the project itself */
    return branch_path_is_protected(self->wanted, name + strspn(name, "/"));
}

static gboolean report(const left_out *self, GError **error)
{
    if (self->protected_count) {
        g_autofree char *first = text_safe(self->protected_first, -1);
        log_warning("left out: %u file%s or folder%s that tools on this machine run or obey, such "
                    "as '%s'; --protected copies them, too",
                    self->protected_count, self->protected_count > 1 ? "s" : "",
                    self->protected_count > 1 ? "s" : "", first);
    }
    guint all = self->count + self->protected_count;
    if (!all)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the copy is not complete: %u %s left out", all,
                all > 1 ? "entries were" : "entry was");
    return FALSE;
}

/* A connection to SELF, which is started for it. -1 with ERROR. */
static int connect_started(struct box *self, GError **error)
{
    int connection = box_connect(self);
    if (connection < 0)
        connection = box_start(self, NULL, error);
    if (connection >= 0 && freeze_is_paused(unix_socket_peer_pid(connection))) {
        close(connection);
        box_set_paused_error(self, error);
        return -1;
    }
    return connection;
}

static pid_t start_session(struct box *self, char **command, gboolean root, int *connection, int in,
                           int out)
{
    session_options options = {
        .command = command, .workdir = "/", .quiet = TRUE, .root = root, .connection = connection};
    return session_child_start(self, &options, (int[]){in, out, -1}, -1);
}

static void kill_if(pid_t pid)
{
    if (pid > 0)
        kill(pid, SIGKILL);
}

/* Ends the session's client PID, if it does not end by itself, and the session with it. The exit
 * status; -1 when a signal ended it. */
static int reap(pid_t pid)
{
    int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (fd < 0 || poll(&wait, 1, SESSION_END_MS) != 1)
        kill_if(pid);
    if (fd >= 0)
        close(fd);
    return pid > 0 ? session_child_reap(pid) : -1;
}

static void set_error(const struct box *self, int status, const char *text, GError **error)
{
    g_autofree char *safe = text_safe(text, -1);
    if (status == 126 || status == 127)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' was started by an older version, which cannot copy: run 'box "
                    "restart'",
                    self->name);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot copy: %s", safe);
}

gboolean tree_copy_from_box(struct box *self, const char *path, const tree_place *to,
                            const tree_copy_options *options, GError **error)
{
    char *command[] = {(char *)GUEST, (char *)"send", (char *)path, NULL};
    left_out result = {.box = self, .wanted = options->wanted, .folder = to->path};
    struct tree_receiver receiver = {.folder = to->folder,
                                     .name = to->name,
                                     .wants = options->protected ? NULL : wants,
                                     .is_protected = is_protected,
                                     .note = note,
                                     .data = &result};
    char text[TREE_TEXT_MAX];
    int ends[2], connection = connect_started(self, error);
    if (connection < 0)
        return FALSE;
    if (pipe2(ends, O_CLOEXEC) < 0) {
        close(connection);
        return fail_errno("pipe", error);
    }
    pid_t pid = start_session(self, command, options->root, &connection, -1, ends[1]);
    close(connection);
    close(ends[1]);
    log_step("copying from box '%s'", self->name);
    gboolean done = tree_receive(ends[0], &receiver, text) == 0;
    log_step_done();
    /* A sender that goes on has nobody to send to. */
    close(ends[0]);
    int status = reap(pid);
    if (!done)
        set_error(self, status, text, error);
    done = done && report(&result, error);
    g_free(result.protected_first);
    return done;
}

/* Reads what the receiver in the box answers. FALSE with TEXT. */
static gboolean read_answer(int fd, left_out *result, char text[TREE_TEXT_MAX])
{
    struct tree_state state = {0};
    struct tree_header header;
    char body[TREE_TEXT_MAX + 1];
    for (;;) {
        gboolean is_read = tree_read(fd, &header, sizeof header) == 0;
        gboolean is_answer = is_read && header.type >= TREE_NOTE &&
                             tree_check_header(&state, &header) == 0 &&
                             tree_read(fd, body, header.length) == 0;
        g_strlcpy(text, is_read ? "the box breaks the protocol" : "the box has ended the copy",
                  TREE_TEXT_MAX);
        if (!is_answer)
            return FALSE;
        body[header.length] = '\0';
        if (header.type == TREE_DONE)
            return TRUE;
        if (header.type == TREE_FAILED)
            g_strlcpy(text, body, TREE_TEXT_MAX);
        if (header.type == TREE_FAILED)
            return FALSE;
        note(result, body);
    }
}

static pid_t fork_sender(const tree_place *from, int out, const int *others, int count)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    /* Without this the box would not see the end of what a killed sender sends. */
    for (int i = 0; i < count; i++)
        close(others[i]);
    signal(SIGPIPE, SIG_DFL);
    _exit(tree_send(out, from->folder, from->name, 0) < 0);
}

gboolean tree_copy_to_box(struct box *self, const tree_place *from, const char *path,
                          const char *name, const tree_copy_options *options, GError **error)
{
    char *command[] = {(char *)GUEST, (char *)"receive", (char *)path, (char *)name, NULL};
    left_out result = {0};
    char text[TREE_TEXT_MAX];
    int in[2], out[2] = {-1, -1}, connection = connect_started(self, error);
    if (connection < 0)
        return FALSE;
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) {
        close(connection);
        return fail_errno("pipe", error);
    }
    pid_t session = start_session(self, command, options->root, &connection, in[0], out[1]);
    close(connection);
    close(in[0]);
    close(out[1]);
    int others[] = {out[0]};
    pid_t sender = fork_sender(from, in[1], others, G_N_ELEMENTS(others));
    close(in[1]);
    log_step("copying into box '%s'", self->name);
    gboolean done = read_answer(out[0], &result, text);
    log_step_done();
    close(out[0]);
    kill_if(sender);
    reap(sender);
    int status = reap(session);
    if (!done)
        set_error(self, status, text, error);
    return done && report(&result, error);
}
