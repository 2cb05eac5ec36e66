#include "box/sessions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "appearance/appearance.h"
#include "box/helpers/agent.h"
#include "box/helpers/bridge.h"
#include "box/helpers/forwarder.h"
#include "box/frozen.h"
#include "box/lifecycle.h"
#include "box/record.h"
#include "box/report.h"
#include "box/say.h"
#include "common/ask.h"
#include "common/fs.h"
#include "common/text.h"
#include "plan/plan.h"
#include "session/client.h"

/* A box may end by itself between our connection and our request, or give up on what we do first,
 * but hardly so often in a row. */
#define TRIES 3

/* How long a detached program is watched for its window; and where none can be seen, whether it
 * ends at once. */
#define WINDOW_MS 15000
#define SETTLE_MS 2000
/* Looks for which a program has to stay with the display. */
#define WINDOW_CALM 5

#define STATUS_TIMED_OUT 124
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127

extern char **environ;

/* What a terminal program needs to look right; everything else of the host stays outside. */
static const char *const passed_always[] = {"TERM", "COLORTERM", "LANG", "LANGUAGE",
                                            "LC_*", "TZ",        NULL};

static gboolean matches(const char *const *patterns, const char *entry)
{
    gsize name = strcspn(entry, "=");
    for (; patterns && *patterns; patterns++) {
        gsize length = strlen(*patterns);
        gboolean prefix = length && (*patterns)[length - 1] == '*';
        if (prefix ? strncmp(entry, *patterns, length - 1) == 0
                   : length == name && strncmp(entry, *patterns, name) == 0)
            return TRUE;
    }
    return FALSE;
}

static char **make_environment(const box *self, const record *known, const session_wish *wish)
{
    GPtrArray *env = g_ptr_array_new();
    const char *const *pass = known ? (const char *const *)known->pass_env : NULL;
    /* As the files said when the box started; what our own environment says comes after it. */
    gboolean look = known && known->look[0];
    for (char **entry = look ? known->look + 1 : NULL; entry && *entry; entry++)
        g_ptr_array_add(env, g_strdup(*entry));
    for (char **entry = environ; *entry; entry++) {
        if (matches(passed_always, *entry) || matches(pass, *entry) ||
            (look && appearance_passes(*entry)))
            g_ptr_array_add(env, g_strdup(*entry));
    }
    for (const char *const *asked = wish->env; asked && *asked; asked++) {
        const char *value = strchr(*asked, '=') ? NULL : g_getenv(*asked);
        if (strchr(*asked, '='))
            g_ptr_array_add(env, g_strdup(*asked));
        else if (value)
            g_ptr_array_add(env, g_strconcat(*asked, "=", value, NULL));
    }
    desktop_environment(self, known, env);
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(env, FALSE);
}

/* The caller's folder inside the project, else "" for the box's own default. */
static char *caller_folder(const box *self)
{
    char cwd[PATH_MAX];
    /* Not $PWD, which may go through symlinks that the box has not got. */
    return g_strdup(getcwd(cwd, sizeof cwd) && plan_is_below(cwd, self->project) ? cwd : "");
}

/* What the hooks of a session know. */
typedef struct {
    box *self;
    pid_t pid;   /* PID 1 of the box */
    int clients; /* of the box's display, before; -1: unknown */
    int calm;    /* times in a row that there were more */
} hook_data;

static int has_window(void *data)
{
    hook_data *about = data;
    about->calm = desktop_clients(about->self, about->pid) > about->clients ? about->calm + 1 : 0;
    return about->calm >= WINDOW_CALM;
}

static int ask_sudo(const char *text, size_t length, void *data)
{
    const box *self = ((hook_data *)data)->self;
    gboolean yes = FALSE;
    g_autofree char *safe = text_safe_max(text, (gssize)length, 400);
    if (agent_ask_sudo(self, safe, &yes))
        return yes;
    g_autofree char *question = g_strdup_printf(
        "box: a program in box '%s' wants to run as root of the box:\n    %s\nAllow it?",
        self->name, safe);
    return ask_can() && ask_yes(question);
}

static int failed_folder(const char *folder, int code, GError **error)
{
    g_autofree char *safe = text_safe(folder, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot go to '%s' in the box: %s", safe,
                g_strerror(code));
    return -1;
}

static int failed_start(const session_wish *wish, const char *folder,
                        const struct session_failed *failure, GError **error)
{
    const char *program = wish->command ? wish->command[0] : "the shell";
    g_autofree char *safe = text_safe(program, -1);
    switch (failure->stage) {
    case SESSION_STAGE_EXEC:
        say_error("'%s': %s in this box", safe,
                  failure->error == ENOENT ? "command not found" : g_strerror(failure->error));
        if (failure->error == ENOENT && wish->missing)
            say_note("%s", wish->missing);
        return failure->error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
    case SESSION_STAGE_CHDIR:
        return failed_folder(folder, failure->error, error);
    default:
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box could not start the session: %s",
                    g_strerror(failure->error));
        return -1;
    }
}

static int interpret(const session_wish *wish, const char *folder,
                     const struct client_result *result, GError **error)
{
    switch (result->outcome) {
    case CLIENT_EXITED:
        if (result->timed_out)
            say_error("timed out after %g s", (double)wish->timeout_ms / 1000);
        return result->timed_out ? STATUS_TIMED_OUT : result->status;
    case CLIENT_DETACHED:
        return 0;
    case CLIENT_FAILED:
        return failed_start(wish, folder, &result->failure, error);
    case CLIENT_LOST:
    case CLIENT_REFUSED:
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box was stopped");
        return -1;
    case CLIENT_ERROR:
        break;
    }
    if (result->failure.error == ETIMEDOUT)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the box does not answer: 'box restart' may help, 'box logs' may tell");
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "session: %s",
                    g_strerror(result->failure.error));
    return -1;
}

static void note_changes(const record *known)
{
    const char *changed = known ? record_changed(known) : NULL;
    if (!changed)
        return;
    g_autofree char *safe = text_safe(changed, -1);
    say_note("'%s' has changed since the box was started; 'box apply' puts it into effect", safe);
}

static char *setup_marker(const box *self)
{
    return g_build_filename(self->data, "setup-done", NULL);
}

/* [home] setup, until it has worked once. Its failure is shown and keeps nobody out. */
static void run_setup(const box *self, const record *known)
{
    g_autofree char *marker = setup_marker(self);
    if (!known || !known->setup[0] || g_file_test(marker, G_FILE_TEST_EXISTS))
        return;
    int connection = lifecycle_connect(self);
    if (connection < 0)
        return;
    g_autofree char *safe = text_safe(known->setup[0], -1);
    g_autofree char *path = g_build_filename(self->project, known->setup[0], NULL);
    char *argv[] = {(char *)"/bin/sh", path, NULL};
    if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
        argv[0] = path, argv[1] = NULL;
    session_wish nothing = {0};
    g_auto(GStrv) env = make_environment(self, known, &nothing);
    struct session_command command = {.cwd = self->project, .argv = argv, .env = env};
    struct client_result result;
    say_note("running the home's setup '%s'", safe);
    client_run(connection, &command, NULL, &result);
    if (result.outcome == CLIENT_EXITED && result.status == 0)
        fs_write(marker, "", 0, 0600, NULL);
    else
        say_warning("setup '%s' failed; it runs again with the next session", safe);
}

/* *REFUSED: the box was just ending, or has not waited for the setup or an answer of the user's,
 * and nothing has been run. AGAIN: behind that. */
static int run_on(int connection, box *self, const session_wish *wish, gboolean again,
                  gboolean *refused, GError **error)
{
    g_autoptr(record) known = record_read(self);
    hook_data about = {self, client_peer(connection), -1, 0};
    if (!wish->quiet && !again) {
        note_changes(known);
        run_setup(self, known);
    }
    if (known && !wish->quiet)
        desktop_wake(self, known, about.pid);
    g_auto(GStrv) env = make_environment(self, known, wish);
    const char *workdir = wish->workdir ? wish->workdir : known ? known->workdir[0] : NULL;
    g_autofree char *folder = workdir ? g_strdup(workdir) : caller_folder(self);
    char *shell[] = {(char *)SESSION_SHELL, NULL};
    struct session_command command = {
        .start = {.flags = (wish->tty ? SESSION_TTY : 0u) | (wish->root ? SESSION_ROOT : 0u) |
                           (wish->detach ? SESSION_DETACH : 0u) |
                           (wish->command ? 0u : SESSION_LOGIN) | (workdir ? 0u : SESSION_CWD_HINT),
                  .wait = (guint32)wish->wait,
                  .timeout_ms = wish->timeout_ms},
        .cwd = folder,
        .argv = wish->command ? wish->command : shell,
        .env = env,
    };
    struct client_hooks hooks = {.ask = ask_sudo, .data = &about};
    if (wish->settle)
        about.clients = desktop_clients(self, about.pid);
    if (wish->settle && about.clients >= 0) {
        hooks.settle_ms = WINDOW_MS;
        hooks.settled = has_window;
    } else if (wish->settle) {
        hooks.settle_ms = SETTLE_MS;
    }
    struct client_result result;
    gint64 begun = g_get_real_time();
    client_run(connection, &command, &hooks, &result);
    if (wish->report && known)
        report_changes(self, known, begun);
    *refused = result.outcome == CLIENT_REFUSED;
    return interpret(wish, folder, &result, error);
}

/* Those of a box that runs already, should they have died. */
static void wake_helpers(const box *self)
{
    agent_wake(self);
    forwarder_wake(self);
}

static int take_connection(const box *self, const session_wish *wish)
{
    int connection = wish->connection ? *wish->connection : -1;
    if (connection < 0)
        return lifecycle_connect(self);
    *wish->connection = -1;
    return connection;
}

int sessions_run(box *self, const session_wish *wish, GError **error)
{
    for (int left = TRIES;; left--) {
        g_autoptr(GError) problem = NULL;
        gboolean refused = FALSE;
        int connection = take_connection(self, wish);
        if (connection >= 0)
            wake_helpers(self);
        else
            connection = lifecycle_start(self, wish->flags, error);
        if (connection < 0)
            return -1;
        if (frozen_is(connection)) {
            close(connection);
            container_say_paused(self, error);
            return -1;
        }
        int status = run_on(connection, self, wish, left < TRIES, &refused, &problem);
        if (refused && left > 1)
            continue;
        if (problem)
            g_propagate_error(error, g_steal_pointer(&problem));
        return status;
    }
}
