#include "box/exec/sessions.h"

#include <unistd.h>

#include "box/branch/branch_report.h"
#include "box/lifecycle/lifecycle.h"
#include "box/session/connection.h"
#include "box/session/freeze.h"
#include "net/unix_socket.h"
#include "session/client.h"
#include "sys/debug.h"

static int take_connection(const struct box *self, const session_options *options)
{
    int connection = options->connection ? *options->connection : -1;
    if (connection < 0)
        return box_connect(self);
    *options->connection = -1;
    return connection;
}

static void set_stopped_error(const struct box *self, GError **error)
{
    g_set_error(
        error, BOX_ERROR, BOX_ERROR_STATE,
        "box '%s' is stopped: run 'box start %s' first (calls whose output goes to a program do "
        "not start it)",
        self->name, self->name);
}

static int connect_or_start(struct box *self, const session_options *options, GError **error)
{
    int connection = take_connection(self, options);
    debug_log(DEBUG_SESSION, "box '%s': %s", self->name,
              connection >= 0 ? "runs, PID 1 answers: no Podman, no configuration is read"
                              : "no answer on the control socket");
    if (connection >= 0)
        running_session_wake_helpers(self, connection);
    else if (options->running_only)
        set_stopped_error(self, error);
    else {
        safe_path_set(); /* a shim comes here, too, by no other place that does this */
        connection = box_start(self, options->flags, error);
    }
    if (connection < 0 || !freeze_is_paused(unix_socket_peer_pid(connection)))
        return connection;
    close(connection);
    box_set_paused_error(self, error);
    return -1;
}

/* COMMAND with PROGRAM in place of its own; a new array of borrowed words. */
static char **with_program(char **command, const char *program)
{
    GPtrArray *words = g_ptr_array_new();
    g_ptr_array_add(words, (gpointer)program);
    for (command++; *command; command++)
        g_ptr_array_add(words, *command);
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

static int run_other_program(struct box *self, const session_options *options, GError **error)
{
    g_autofree char **command = with_program(options->command, options->instead);
    session_options other = *options;
    other.command = command;
    other.instead = NULL;
    return box_run_session(self, &other, error);
}

static void report_branch(const struct box *self, const session_options *options, gint64 since)
{
    if (!self->branch || options->detach || session_is_silent(options))
        return;
    g_autoptr(runtime_config) known = runtime_config_read(self);
    if (known)
        branch_report(self, known->settings, since);
}

/* FALSE: nothing has run. */
static gboolean has_run(const struct client_result *result)
{
    return result->outcome == CLIENT_EXITED || result->outcome == CLIENT_LOST;
}

int box_run_session(struct box *self, const session_options *options, GError **error)
{
    gboolean is_missing = FALSE;
    gint64 since = g_get_real_time();
    struct client_result result = {.outcome = CLIENT_REFUSED};
    session_options own = *options;
    own.result = &result;
    int status = running_session(self, &own, connect_or_start, &is_missing, error);
    if (is_missing)
        return run_other_program(self, options, error);
    if (options->result)
        *options->result = result;
    if (has_run(&result))
        report_branch(self, options, since);
    return status;
}
