#include "guest/init/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/init/left_running.h"
#include "guest/init/proc_tree.h"
#include "proto/session.h"
#include "sys/clock.h"
#include "sys/signals.h"

/* From SIGHUP to SIGKILL when the client is gone. */
#define HANGUP_GRACE_MS 2000
/* From SIGTERM to SIGKILL when the timeout has run out. */
#define TIMEOUT_GRACE_MS 1000

/* For what a command leaves to end by itself: while it does something, and this long at most. */
#define LEFT_GRACE_MS 200
/* How often it is looked at, and found at rest before that counts: a call that the guard performs
 * for it may be such a rest. */
#define LEFT_LOOK_MS 5
#define LEFT_RESTS 5

struct session {
    const struct session_context *context;
    struct session_command request;
    pid_t command;
    int signals;                   /* signalfd of SIGCHLD */
    int connection;                /* -1 once the client is gone */
    struct sudo_question question; /* that the client is being asked */
    int64_t deadline;              /* on the clock of sys/clock.h; 0: none */
    int64_t kill_at;               /* when SIGKILL follows; 0: not ending */
    int status;                    /* of the command; -1: it has not ended */
    int signalled;                 /* the command was ended by a signal */
    enum session_reason reason;
    int leaves;  /* processes outlive the session */
    int hung_up; /* its terminal is gone */
};

static int status_of(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/* 1 while there are children. */
static int reap_programs(struct session *self)
{
    for (;;) {
        int wait_status;
        pid_t pid = waitpid(-1, &wait_status, WNOHANG);
        if (pid == 0)
            return 1;
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            return 0;
        if (pid == self->command) {
            self->status = status_of(wait_status);
            self->signalled = WIFSIGNALED(wait_status);
        }
    }
}

static void end_programs(struct session *self, int signal, int64_t grace)
{
    if (self->kill_at)
        return;
    self->kill_at = clock_ms() + grace;
    proc_tree_signal_all(signal);
    proc_tree_signal_all(SIGCONT); /* a stopped process could not handle SIGNAL */
}

/*
 * With the client its terminal is gone, and the kernel hangs up: the command, and what runs in the
 * terminal's foreground, get SIGHUP (tty_ioctl(4), TIOCSCTTY). What ignores that was left running
 * on purpose (nohup, tmux), but the command itself must not hold up the session's end.
 */
static void hang_up(struct session *self)
{
    self->hung_up = 1;
    self->kill_at = self->kill_at ? self->kill_at : clock_ms() + HANGUP_GRACE_MS;
}

/* 1 when the session ends with its command, whatever it started. */
static int ends_alone(const struct session *self)
{
    return self->hung_up && self->reason == SESSION_COMMAND_ENDED;
}

static void lose_client(struct session *self)
{
    close(self->connection);
    self->connection = -1;
    sudo_question_answer(&self->question, 0);
    if (self->request.start.flags & SESSION_TTY)
        hang_up(self);
    else if (!(self->request.start.flags & SESSION_DETACH))
        end_programs(self, SIGHUP, HANGUP_GRACE_MS);
}

static void read_client(struct session *self)
{
    struct session_header header;
    char *body;
    int fds[3];
    if (session_receive(self->connection, &header, &body, fds) != 1) {
        lose_client(self);
        return;
    }
    session_close_descriptors(fds);
    struct session_signal wanted;
    struct session_answer answer;
    if (header.type == SESSION_SIGNAL && self->status < 0) {
        memcpy(&wanted, body, sizeof wanted);
        if (wanted.signal > 0 && wanted.signal < NSIG)
            kill(-self->command, wanted.signal);
    } else if (header.type == SESSION_ANSWER) {
        memcpy(&answer, body, sizeof answer);
        sudo_question_answer(&self->question, answer.yes == 1);
    }
    free(body);
}

/* Milliseconds until the next deadline, for poll(2). */
static int poll_timeout(const struct session *self)
{
    int64_t due = self->kill_at ? self->kill_at : self->deadline;
    if (!due)
        return -1;
    int64_t left = due - clock_ms();
    return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void check_deadlines(struct session *self)
{
    int64_t now = clock_ms();
    if (self->kill_at && now >= self->kill_at) {
        if (ends_alone(self))
            kill(self->command, SIGKILL);
        else
            proc_tree_kill_all();
    } else if (self->deadline && now >= self->deadline && !self->kill_at) {
        self->reason = SESSION_TIMED_OUT;
        end_programs(self, SIGTERM, TIMEOUT_GRACE_MS);
    }
}

/* Its guard is gone: each call that makes a file would fail from now on. */
static void lose_guard(struct session *self)
{
    self->reason = SESSION_UNGUARDED;
    end_programs(self, SIGTERM, TIMEOUT_GRACE_MS);
}

/* 0, or -1 when there can be no further signals. */
static int read_session_signals(struct session *self)
{
    struct signalfd_siginfo info;
    int root = (self->request.start.flags & SESSION_ROOT) != 0;
    while (read(self->signals, &info, sizeof info) > 0) {
        if ((int)info.ssi_signo == session_guard_signal(root))
            lose_guard(self);
    }
    return errno == EAGAIN ? 0 : -1;
}

/* 1 when the session has ended. */
static int is_over(struct session *self, int children)
{
    if (!children)
        return 1;
    if (self->status < 0)
        return 0;
    /* When ending, all processes must end, not only the command. */
    if (!ends_alone(self) && (self->kill_at || self->request.start.wait == SESSION_WAIT_BACKGROUND))
        return 0;
    if (self->request.start.wait == SESSION_WAIT_KILL) {
        proc_tree_kill_all();
        self->leaves = 0;
    }
    return 1;
}

static void run(struct session *self)
{
    /* Takes the next question only when the last one has been answered. */
    while (!is_over(self, self->leaves = reap_programs(self))) {
        int ask = self->connection >= 0 && self->context->origin == SESSION_FROM_HOST &&
                  !sudo_question_is_open(&self->question);
        struct pollfd fds[] = {
            {.fd = self->signals, .events = POLLIN},
            {.fd = self->connection, .events = POLLIN},
            {.fd = ask ? self->context->questions : -1, .events = POLLIN},
        };
        if (poll(fds, 3, poll_timeout(self)) < 0 && errno != EINTR)
            break;
        if (fds[0].revents && read_session_signals(self) < 0)
            break;
        if (fds[1].revents)
            read_client(self);
        if (fds[2].revents && self->connection >= 0)
            sudo_question_forward(&self->question, self->context->questions, self->connection);
        check_deadlines(self);
    }
}

/* Stdout and stderr of PID 1 are the box's log. */
static int detached_files(const struct session_context *context, int io[3])
{
    io[0] = context->origin == SESSION_FROM_INIT ? fcntl(context->connection, F_DUPFD_CLOEXEC, 3)
                                                 : open("/dev/null", O_RDONLY | O_CLOEXEC);
    io[1] = fcntl(1, F_DUPFD_CLOEXEC, 3);
    io[2] = fcntl(2, F_DUPFD_CLOEXEC, 3);
    return io[0] < 0 || io[1] < 0 || io[2] < 0 ? -1 : 0;
}

static int open_files(struct session *self, struct command_files *files, const int received[3])
{
    const struct session_start *start = &self->request.start;
    files->pty = -1;
    if (start->flags & SESSION_TTY) {
        files->io[2] = received[0];
        files->pty = command_open_pty(self->context->options, start);
        return files->pty < 0 ? -1 : 0;
    }
    if (start->flags & SESSION_DETACH)
        return detached_files(self->context, files->io);
    memcpy(files->io, received, sizeof files->io);
    errno = EINVAL;
    return received[0] < 0 || received[1] < 0 || received[2] < 0 ? -1 : 0;
}

static void close_all(struct command_files *files)
{
    if (files->pty >= 0)
        close(files->pty);
    for (int i = 0; i < 3; i++) {
        if (files->io[i] >= 0)
            close(files->io[i]);
    }
}

/* Starts the command, and tells the client how that went. 0, or -1. */
static int start(struct session *self, const int received[3])
{
    struct command_files files = {-1, {-1, -1, -1}};
    struct session_failed failure = {SESSION_STAGE_SETUP, 0};
    self->command = -1;
    if (open_files(self, &files, received) < 0)
        failure.error = errno;
    else
        self->command = command_start(self->context->options, &self->request, &files, &failure);
    if (self->command > 0) {
        struct session_started started = {(int32_t)self->command};
        int tty = files.pty >= 0;
        if (session_send(self->connection, SESSION_STARTED, &started, sizeof started, &files.pty,
                         tty) < 0)
            lose_client(self);
    } else {
        session_send(self->connection, SESSION_FAILED, &failure, sizeof failure, NULL, 0);
    }
    /* Then only the client has the pty's master, so its death hangs up the terminal. */
    close_all(&files);
    return self->command > 0 ? 0 : -1;
}

/* Helpers of a program (Python's resource tracker, a pipe's other end) end a moment after it: they
 * are not left running. The kernel closes the program's descriptors, which wakes its helpers,
 * before it reports the program's end. So a process that is at rest is no such helper. */
static void wait_for_helpers(struct session *self)
{
    int64_t until = clock_ms() + LEFT_GRACE_MS;
    for (int rests = 0; self->leaves && rests < LEFT_RESTS && clock_ms() < until;) {
        struct pollfd fd = {.fd = self->signals, .events = POLLIN};
        int ready = poll(&fd, 1, LEFT_LOOK_MS);
        if ((ready < 0 && errno != EINTR) || read_session_signals(self) < 0)
            return;
        self->leaves = reap_programs(self);
        rests = ready == 0 && proc_tree_is_at_rest() ? rests + 1 : 0;
    }
}

/* Says what is left running, after a session that leaves something, or that had a terminal and
 * there may be something. Others get the short message, and need not wait for a look at all
 * processes. */
static void send_exit(struct session *self)
{
    enum session_reason reason =
        self->reason == SESSION_COMMAND_ENDED && self->signalled ? SESSION_SIGNALLED : self->reason;
    struct session_exited exited = {self->status < 0 ? 255 : self->status, (int32_t)reason};
    int tty = (self->request.start.flags & SESSION_TTY) != 0;
    int host = self->context->origin == SESSION_FROM_HOST;
    if (host)
        wait_for_helpers(self);
    int says = host && (self->leaves || (tty && left_running_may_be())) &&
               left_running_find(self->context->options, &exited.left) == 0;
    session_send(self->connection, SESSION_EXITED, &exited,
                 says ? sizeof exited : offsetof(struct session_exited, left), NULL, 0);
}

int session_run(const struct session_context *context)
{
    const int watched[] = {SIGCHLD, session_guard_signal(0), session_guard_signal(1)};
    struct session self = {.context = context,
                           .connection =
                               context->origin == SESSION_FROM_INIT ? -1 : context->connection,
                           .signals = signals_watch(SIG_SETMASK, watched, 3),
                           .question = SUDO_QUESTION_NONE,
                           .status = -1};
    char *body = NULL;
    int received[3] = {-1, -1, -1};
    prctl(PR_SET_NAME,
          context->origin == SESSION_FROM_INIT ? BUS_PROCESS_NAME : SESSION_PROCESS_NAME);
    if (self.signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        return 1;
    if (session_request_read(context, &self.request, &body, received) < 0)
        return SESSION_WITHOUT_COMMAND;
    if (start(&self, received) < 0)
        return 1;
    if (self.request.start.timeout_ms)
        self.deadline = clock_ms() + (int64_t)self.request.start.timeout_ms;
    run(&self);
    if (self.connection >= 0)
        send_exit(&self);
    return 0;
}
