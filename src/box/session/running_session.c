#include "box/session/running_session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "appearance/appearance.h"
#include "box/helpers/agent.h"
#include "box/helpers/bridge.h"
#include "box/helpers/forwarder.h"
#include "box/helpers/gate.h"
#include "box/helpers/secrets.h"
#include "box/inspect/network.h"
#include "box/inspect/project_changes.h"
#include "box/session/left_programs.h"
#include "box/session/login_files.h"
#include "box/session/new_home.h"
#include "box/session/notice_listener.h"
#include "box/session/placeholder_files.h"
#include "box/session/session_askers.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "net/unix_socket.h"
#include "session/client.h"
#include "session/terminal.h"
#include "sys/debug.h"

extern char **environ;

/* Variables that terminal programs need. Boxes get no others from the host. */
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

/* What a command in SELF gets of the caller's environment, "K=V", a new array. KNOWN may be NULL.
 */
static char **session_environment(const struct box *self, const struct runtime_config *known,
                                  const session_options *options)
{
    GPtrArray *env = g_ptr_array_new();
    const settings *wanted = known ? known->settings : NULL;
    const char *const *pass = wanted ? (const char *const *)wanted->box.pass_env : NULL;
    gboolean pass_appearance = wanted && settings_wants_appearance(wanted);
    /* The desktop's values when the box started; this process's environment overrides them. */
    for (char **entry = known ? known->appearance : NULL; entry && *entry; entry++)
        g_ptr_array_add(env, g_strdup(*entry));
    for (char **entry = environ; *entry; entry++) {
        if (matches(passed_always, *entry) || matches(pass, *entry) ||
            (pass_appearance && appearance_passes_variable(*entry)))
            g_ptr_array_add(env, g_strdup(*entry));
    }
    secrets_add_environment(self, env);
    for (const char *const *asked = options->env; asked && *asked; asked++) {
        const char *value = strchr(*asked, '=') ? NULL : g_getenv(*asked);
        if (strchr(*asked, '='))
            g_ptr_array_add(env, g_strdup(*asked));
        else if (value)
            g_ptr_array_add(env, g_strconcat(*asked, "=", value, NULL));
    }
    bridge_add_environment(self, known, env);
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(env, FALSE);
}

/* A box may end between the connection and the request, or during the setup of the home, but
 * hardly several times in a row. */
#define TRIES 3
/* The end of the guard, a large process, and the start of another. */
#define GUARD_RESTART_US 100000

/* How long to wait for the window of a detached program; and without a display, to see whether the
 * program fails at once. */
#define WINDOW_TIMEOUT_MS 15000
#define START_TIMEOUT_MS 2000
/* A window counts when this many polls in a row have seen the program's connection. */
#define WINDOW_POLLS 5

gboolean session_has_terminal(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* The caller's folder if it is in the project, else "" for the box's default. */
static char *caller_folder(const struct box *self)
{
    char cwd[PATH_MAX];
    /* Not $PWD, which may contain symbolic links that the box does not have. */
    return g_strdup(getcwd(cwd, sizeof cwd) && fs_is_below(cwd, self->project) ? cwd : "");
}

/* For the hooks of a session. */
typedef struct {
    struct box *self;
    pid_t pid;   /* PID 1 of the box */
    int clients; /* connections to the box's display before the session; -1: unknown */
    int polls;   /* that found more connections, in a row */
    copy_asker copies;
    notice_listener notices;
    const struct runtime_config *known; /* may be NULL */
    const session_options *options;
    gboolean again; /* the user knows already */
} hook_data;

static int has_window(void *data)
{
    hook_data *about = data;
    about->polls =
        bridge_count_clients(about->self, about->pid) > about->clients ? about->polls + 1 : 0;
    return about->polls >= WINDOW_POLLS;
}

static int ask_sudo(const char *text, size_t length, void *data)
{
    return sudo_asker_ask(((hook_data *)data)->self, text, length);
}

static int ask_copy(const char *text, size_t length, void *data)
{
    return copy_asker_begin(&((hook_data *)data)->copies, text, length);
}

static int answer_copy(int fd, void *data)
{
    return copy_asker_end(&((hook_data *)data)->copies, fd);
}

static void warn_of_network(const hook_data *about)
{
    if (about->known && !about->again && about->known->settings->network.mode == NETWORK_OPEN &&
        network_is_lost(about->pid))
        log_warning(
            "box '%s' has lost its network, as the program that connects it has ended; 'box "
            "restart' brings it back",
            about->self->name);
}

static void do_meanwhile(void *data)
{
    warn_of_network(data);
}

static int listen_for_notices(int terminal, void *data)
{
    return notice_listener_begin(&((hook_data *)data)->notices, terminal);
}

static void show_notice(int out, void *data)
{
    g_autofree char *text = NULL;
    if (notice_listener_read(&((hook_data *)data)->notices, &text))
        terminal_write(out, text, strlen(text));
}

static void pass_output(int fd, const char *bytes, size_t length, void *data)
{
    const session_options *options = ((hook_data *)data)->options;
    options->output(fd, bytes, length, options->output_data);
}

static void note_changes(const struct runtime_config *known)
{
    const char *changed = known ? runtime_config_changed_file(known) : NULL;
    if (!changed)
        return;
    g_autofree char *safe = text_safe(changed, -1);
    log_note("'%s' has changed since the box was started; run 'box apply' to use it", safe);
}

/* What the box's output may do to the user's terminal; nothing without a readable configuration. */
static unsigned terminal_policy(const struct runtime_config *known)
{
    const char *charset;
    const settings *wanted = known ? known->settings : NULL;
    /* Without a locale the charset is ASCII, also on terminals that show UTF-8. */
    gboolean is_8bit = !g_get_charset(&charset) && !strstr(charset, "ASCII") &&
                       !g_str_has_prefix(charset, "ANSI_X3.4");
    unsigned policy = is_8bit ? TERMINAL_8BIT : 0;
    if (!wanted)
        return policy;
    policy |= wanted->terminal.clipboard == TERMINAL_CLIPBOARD_ALLOW ? TERMINAL_CLIPBOARD : 0;
    policy |= wanted->terminal.clipboard == TERMINAL_CLIPBOARD_ASK ? TERMINAL_ASK_CLIPBOARD : 0;
    policy |= wanted->terminal.titles ? TERMINAL_TITLES : 0;
    policy |= wanted->terminal.notifications ? TERMINAL_NOTIFICATIONS : 0;
    policy |= wanted->terminal.links ? TERMINAL_LINKS : 0;
    policy |= wanted->terminal.images ? TERMINAL_IMAGES : 0;
    return policy;
}

static struct client_hooks make_hooks(hook_data *about, const struct runtime_config *known,
                                      const session_options *options)
{
    struct client_hooks hooks = {.ask = ask_sudo,
                                 .copy_ask = ask_copy,
                                 .copy_answer = answer_copy,
                                 .data = about,
                                 .terminal = terminal_policy(known),
                                 .apart_stderr = options->apart_stderr};
    if (options->output)
        hooks.output = pass_output;
    if (!session_is_silent(options)) {
        hooks.meanwhile = do_meanwhile;
        hooks.notices = listen_for_notices;
        hooks.notice_show = show_notice;
    }
    if (!options->watch_start)
        return hooks;
    about->clients = bridge_count_clients(about->self, about->pid);
    hooks.settle_ms = about->clients >= 0 ? WINDOW_TIMEOUT_MS : START_TIMEOUT_MS;
    if (about->clients >= 0)
        hooks.settled = has_window;
    return hooks;
}

/* A scan takes time as well: what a session shorter than this changed is found by the next scan, or
 * by `box status`. */
#define SCANNED_SESSION_US G_USEC_PER_SEC

static void report_changes(const struct box *self, const struct runtime_config *known,
                           const session_options *options, gint64 duration)
{
    if (!known || self->branch || options->detach || session_is_silent(options))
        return;
    if (!options->scan_project && duration < SCANNED_SESSION_US)
        return;
    log_start();
    project_changes_free(project_changes_update(self, known->settings, TRUE, TRUE));
}

/* Nothing ran, as the guard had just ended. Waits for PID 1, which starts another. */
static gboolean is_without_guard(const struct client_result *result)
{
    if (result->outcome != CLIENT_FAILED || result->failure.stage != SESSION_STAGE_GUARD)
        return FALSE;
    g_usleep(GUARD_RESTART_US);
    return TRUE;
}

/* Why nothing ran, so that it can be tried again. */
typedef enum { RETRY_NOT, RETRY_REFUSED, RETRY_INSTEAD } retry_reason;

static retry_reason find_retry(const session_options *options, const struct client_result *result)
{
    if (result->outcome == CLIENT_REFUSED || is_without_guard(result))
        return RETRY_REFUSED;
    gboolean is_missing = result->outcome == CLIENT_FAILED &&
                          result->failure.stage == SESSION_STAGE_EXEC &&
                          result->failure.error == ENOENT;
    return is_missing && options->instead ? RETRY_INSTEAD : RETRY_NOT;
}

/* Runs the session on CONNECTION, which it takes. */
static int run_command(int connection, hook_data *about, const struct runtime_config *known,
                       const session_options *options, retry_reason *retry, GError **error)
{
    struct box *self = about->self;
    g_auto(GStrv) env = session_environment(self, known, options);
    const char *workdir = options->workdir ? options->workdir
                          : known          ? known->settings->box.workdir
                                           : NULL;
    g_autofree char *folder = workdir ? g_strdup(workdir) : caller_folder(self);
    char *shell[] = {(char *)SESSION_SHELL, NULL};
    struct session_command command = {
        .start = {.flags = (options->tty ? SESSION_TTY : 0u) | (options->root ? SESSION_ROOT : 0u) |
                           (options->detach ? SESSION_DETACH : 0u) |
                           (options->command ? 0u : SESSION_LOGIN) |
                           (workdir ? 0u : SESSION_CWD_HINT),
                  .wait = (guint32)options->wait,
                  .timeout_ms = options->timeout_ms},
        .cwd = folder,
        .argv = options->command ? options->command : shell,
        .env = env,
    };
    struct client_hooks hooks = make_hooks(about, known, options);
    struct client_result result;
    gint64 started = g_get_monotonic_time();
    client_run(connection, &command, &hooks, &result);
    notice_listener_end(&about->notices);
    if (!session_is_silent(options))
        copy_asker_report(&about->copies, result.long_copies);
    copy_asker_clear(&about->copies);
    report_changes(self, known, options, g_get_monotonic_time() - started);
    if (!session_is_silent(options))
        left_programs_note(self->name, &result.left);
    *retry = find_retry(options, &result);
    if (options->result)
        *options->result = result;
    debug_log(DEBUG_SESSION, "box '%s': session of '%s' in '%s' ends: outcome %d, status %d",
              self->name, command.argv[0], folder, (int)result.outcome, result.status);
    return *retry == RETRY_INSTEAD ? -1 : session_exit_status(options, folder, &result, error);
}

static void prepare_home(const struct box *self, const struct runtime_config *known)
{
    session_options nothing = {0};
    gboolean is_new = new_home_is_pending(self, known), has_secrets = secrets_are_in_home(self);
    gboolean has_login = has_secrets && login_files_are_pending(self);
    gboolean has_file = has_secrets && placeholder_files_are_pending(self);
    if (!is_new && !has_login && !has_file)
        return;
    g_auto(GStrv) env = session_environment(self, known, &nothing);
    home_session before = {self, env, terminal_policy(known)};
    if (is_new)
        new_home_prepare(&before, known);
    if (has_login)
        login_files_write(&before);
    if (has_file)
        placeholder_files_update(&before);
}

/*
 * Takes CONNECTION. *RETRY is RETRY_REFUSED when the box was ending, or did not wait for the
 * setup or for the user's answer. AGAIN: after such a refusal, so the setup does not run once more.
 */
static int run_on(int connection, struct box *self, const session_options *options, gboolean again,
                  retry_reason *retry, GError **error)
{
    g_autoptr(runtime_config) known = runtime_config_read(self);
    hook_data about = {.self = self,
                       .pid = unix_socket_peer_pid(connection),
                       .clients = -1,
                       .known = known,
                       .options = options,
                       .again = again};
    copy_asker_init(&about.copies, self);
    notice_listener_init(&about.notices, self);
    if (!session_is_silent(options) && !again) {
        note_changes(known);
        if (options->detach)
            warn_of_network(&about);
    }
    if (!options->quiet && !again)
        prepare_home(self, known);
    if (known && !options->quiet)
        bridge_ensure_running(self, known, about.pid);
    return run_command(connection, &about, known, options, retry, error);
}

void running_session_wake_helpers(const struct box *self, int connection)
{
    pid_t pid = unix_socket_peer_pid(connection);
    agent_ensure_running(self);
    forwarder_ensure_running(self, pid);
    gate_ensure_running(self, pid);
}

int running_session(struct box *self, const session_options *options, session_connector connect,
                    gboolean *is_missing, GError **error)
{
    for (int left = TRIES;; left--) {
        g_autoptr(GError) problem = NULL;
        retry_reason retry = RETRY_NOT;
        int connection = connect(self, options, error);
        if (connection < 0)
            return -1;
        int status = run_on(connection, self, options, left < TRIES, &retry, &problem);
        if (retry == RETRY_REFUSED && left > 1)
            continue;
        *is_missing = retry == RETRY_INSTEAD;
        if (problem)
            g_propagate_error(error, g_steal_pointer(&problem));
        return status;
    }
}
