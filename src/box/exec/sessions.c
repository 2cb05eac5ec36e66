#include "box/exec/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/branch/branch_report.h"
#include "box/lifecycle/lifecycle.h"
#include "box/session/connection.h"
#include "box/session/freeze.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "session/client.h"
#include "sys/clock.h"
#include "sys/debug.h"
#include "sys/signals.h"

/* Of a child that could not run it. */
#define STATUS_FAILED 125
/* For a command whose output is captured. */
#define TIMEOUT_MS 30000
/* From then until the session's end is told, unless the box lies. */
#define END_MS 5000

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

/* All of them first, as one may stand where another is to go. */
static void take_files(const int files[3])
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), moved[3];
    for (int i = 0; i < 3; i++)
        moved[i] = fcntl(files[i] < 0 ? null : files[i], F_DUPFD_CLOEXEC, 3);
    for (int i = 0; i < 3; i++) {
        if (moved[i] < 0 || dup2(moved[i], i) < 0)
            _exit(STATUS_FAILED);
        close(moved[i]);
    }
    if (null > 2)
        close(null);
}

/* All but the first three, ONE and TWO (-1: none): ends of pipes that are open here, too, would
 * never tell their end. */
static void close_others(int one, int two)
{
    int low = MIN(one, two), high = MAX(one, two);
    unsigned next = 3;
    for (int i = 0; i < 2; i++) {
        int keep = i ? high : low;
        if (keep < (int)next)
            continue;
        if (keep > (int)next)
            close_range(next, (unsigned)keep - 1, 0);
        next = (unsigned)keep + 1;
    }
    close_range(next, ~0U, 0);
}

/* Cut between two characters: it goes into JSON, which takes no half ones. */
static void set_message(struct session_child_report *said, const char *text)
{
    const char *end;
    g_strlcpy(said->message, text, sizeof said->message);
    if (!g_utf8_validate(said->message, -1, &end))
        said->message[end - said->message] = '\0';
}

static void run_and_report(struct box *self, const session_options *options, int report)
{
    struct session_child_report said = {0};
    session_options reported = *options;
    GError *error = NULL;
    if (!reported.result)
        reported.result = &said.result;
    said.status = box_run_session(self, &reported, &error);
    if (error)
        set_message(&said, error->message);
    if (report >= 0 && write(report, &said, sizeof said) != sizeof said)
        _exit(STATUS_FAILED);
    _exit(said.status < 0 ? STATUS_FAILED : said.status);
}

/* A child that ends with this process, with its signals as at the start of a program. */
static pid_t fork_child(void)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        signals_end_with(parent);
        signals_reset();
    }
    return pid;
}

pid_t session_child_start(struct box *self, const session_options *options, const int files[3],
                          int report)
{
    pid_t pid = fork_child();
    if (pid != 0)
        return pid;
    event_loop_reset();
    int safe = report < 0 ? -1 : fcntl(report, F_DUPFD_CLOEXEC, 3);
    take_files(files);
    close_others(safe, options->connection ? *options->connection : -1);
    run_and_report(self, options, safe);
    _exit(STATUS_FAILED);
}

pid_t program_child_start(char *const *argv, const int files[3])
{
    pid_t pid = fork_child();
    if (pid != 0)
        return pid;
    setsid();
    take_files(files);
    close_others(-1, -1);
    execv(argv[0], argv);
    _exit(STATUS_FAILED);
}

int session_child_reap(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int time_left(gint64 until)
{
    return (int)MAX(until - clock_ms(), 0);
}

/* Reads until FD is closed, MAX is reached, or the process of the pidfd CHILD has ended and nothing
 * is left to read: the box can keep the pipe open after that. Or until UNTIL. */
static GString *read_all(int fd, int child, gsize max, gint64 until)
{
    GString *text = g_string_new(NULL);
    char bytes[16384];
    while (text->len < max) {
        struct pollfd wait[] = {{.fd = fd, .events = POLLIN}, {.fd = child, .events = POLLIN}};
        if (poll(wait, 2, time_left(until)) < 0 && errno == EINTR)
            continue;
        if (!wait[0].revents)
            break;
        ssize_t n = read(fd, bytes, MIN(sizeof bytes, max - text->len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        g_string_append_len(text, bytes, n);
    }
    return text;
}

/* The exit status of PID, of the pidfd CHILD; -1 where it has to be killed, as it is late. */
static int reap_in_time(pid_t pid, int child, gint64 until)
{
    struct pollfd end = {.fd = child, .events = POLLIN};
    int ended;
    while ((ended = poll(&end, 1, time_left(until))) < 0 && errno == EINTR)
        ;
    if (child < 0 || ended == 0)
        kill(pid, SIGKILL);
    return session_child_reap(pid);
}

char *box_capture_output(struct box *self, const char *const *command, gsize max, gsize *length,
                         GError **error)
{
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot create a pipe: %s",
                    g_strerror(errno));
        return NULL;
    }
    session_options options = {
        .command = (char **)command, .workdir = "/", .quiet = TRUE, .timeout_ms = TIMEOUT_MS};
    pid_t pid = session_child_start(self, &options, (int[]){-1, pipes[1], -1}, -1);
    close(pipes[1]);
    int child = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    gint64 until = clock_ms() + TIMEOUT_MS + END_MS;
    g_autoptr(GString) text = read_all(pipes[0], child, max, until);
    close(pipes[0]);
    int status = pid > 0 ? reap_in_time(pid, child, until) : -1;
    if (child >= 0)
        close(child);
    if (status == 0 && text->len < max) {
        if (length)
            *length = text->len;
        return g_string_free(g_steal_pointer(&text), FALSE);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                text->len < max ? "'%s' in the box has failed, or took too long"
                                : "the output of '%s' in the box is too long",
                command[0]);
    return NULL;
}
