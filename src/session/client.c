#include "session/client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "session/standard_files.h"
#include "sys/signals.h"

/* A box that does not answer a START within this time is paused or broken. */
#define START_TIMEOUT_MS 10000
/* Interval between calls of the SETTLED hook. */
#define SETTLE_STEP_MS 50

struct client {
    int connection, signals;
    int notices; /* readable: the host has something to say; -1 */
    struct standard_files files;
    const struct client_hooks *hooks;
    struct client_result *result;
    int over;
};

static void fail(struct client *self, enum client_outcome outcome, int error)
{
    self->result->outcome = outcome;
    self->result->failure.error = error;
    self->over = 1;
}

static int watch_signals(void)
{
    static const int wanted[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                                 SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH};
    signal(SIGPIPE, SIG_IGN);
    return signals_watch(SIG_BLOCK, wanted, sizeof wanted / sizeof *wanted);
}

static void send_signal(struct client *self, int number)
{
    struct session_signal message = {number};
    session_send(self->connection, SESSION_SIGNAL, &message, sizeof message, NULL, 0);
}

/* Stops this process, like any other job of the shell. SIGCONT makes it resume. */
static void stop_self(struct client *self)
{
    standard_files_pause(&self->files, screen_stop);
    kill(getpid(), SIGSTOP);
}

/* The user's terminal is gone. The end of this client hangs up the box's, as its pty has no other
 * master. */
static void hang_up(struct client *self)
{
    self->result->outcome = CLIENT_EXITED;
    self->result->status = 128 + SIGHUP;
    self->over = 1;
}

static void handle_signal(struct client *self, int number)
{
    switch (number) {
    case SIGHUP:
        if (self->files.tty)
            hang_up(self);
        else
            send_signal(self, SIGHUP);
        break;
    case SIGWINCH:
        if (self->files.tty)
            pty_relay_resize(&self->files.terminal);
        break;
    case SIGCONT: /* the shell may have changed the terminal's mode */
        standard_files_pause(&self->files, NULL);
        standard_files_resume(&self->files);
        send_signal(self, SIGCONT);
        break;
    case SIGTSTP:
        send_signal(self, SIGTSTP);
        stop_self(self);
        break;
    default:
        send_signal(self, number);
        break;
    }
}

static void read_signals(struct client *self)
{
    struct signalfd_siginfo info;
    while (read(self->signals, &info, sizeof info) == (ssize_t)sizeof info)
        handle_signal(self, (int)info.ssi_signo);
}

static void answer(struct client *self, const char *text, size_t length)
{
    struct session_answer message = {0};
    if (self->hooks && self->hooks->ask) {
        standard_files_pause(&self->files, screen_for_question);
        message.yes = self->hooks->ask(text, length, self->hooks->data) == 1;
        standard_files_resume(&self->files);
    }
    if (session_send(self->connection, SESSION_ANSWER, &message, sizeof message, NULL, 0) < 0)
        fail(self, CLIENT_LOST, errno);
}

static void read_box(struct client *self)
{
    struct session_header header;
    struct session_exited exited;
    char *body;
    int fds[3];
    if (session_receive(self->connection, &header, &body, fds) != 1) {
        fail(self, CLIENT_LOST, errno);
        return;
    }
    session_close_descriptors(fds);
    if (header.type == SESSION_ASK) {
        answer(self, body, header.length);
    } else if (header.type == SESSION_EXITED) {
        session_exited_read(&exited, body, header.length);
        self->result->outcome = CLIENT_EXITED;
        self->result->status = exited.status & 0xff;
        self->result->reason = exited.reason;
        self->result->left = exited.left;
        self->over = 1;
    } else {
        fail(self, CLIENT_LOST, EPROTO);
    }
    free(body);
}

static void show_notice(struct client *self)
{
    standard_files_pause(&self->files, screen_for_question);
    self->hooks->notice_show(standard_files_notice_fd(&self->files), self->hooks->data);
    standard_files_resume(&self->files);
}

static void relay_until_over(struct client *self)
{
    while (!self->over) {
        struct pollfd polls[STANDARD_FILES_POLLS + 3];
        struct pollfd *own = polls + STANDARD_FILES_POLLS;
        standard_files_poll(&self->files, polls);
        own[0] = (struct pollfd){.fd = self->connection, .events = POLLIN};
        own[1] = (struct pollfd){.fd = self->signals, .events = POLLIN};
        own[2] = (struct pollfd){.fd = self->notices, .events = POLLIN};
        if (poll(polls, STANDARD_FILES_POLLS + 3, -1) < 0) {
            if (errno == EINTR)
                continue;
            fail(self, CLIENT_ERROR, errno);
            return;
        }
        if (standard_files_step(&self->files, polls) < 0)
            hang_up(self);
        if (own[1].revents)
            read_signals(self);
        if (own[0].revents)
            read_box(self);
        if (own[2].revents)
            show_notice(self);
    }
}

/* Handles one message before the session runs. 1: it was a question, and another message follows.
 */
static int await_answer(struct client *self)
{
    struct session_header header;
    char *body = NULL;
    int fds[3], more = 0;
    struct pollfd wait = {.fd = self->connection, .events = POLLIN};
    int timeout = self->hooks && self->hooks->start_timeout_ms ? self->hooks->start_timeout_ms
                                                               : START_TIMEOUT_MS;
    int n = poll(&wait, 1, timeout);
    if (n <= 0) {
        fail(self, CLIENT_ERROR, n == 0 ? ETIMEDOUT : errno);
        return 0;
    }
    int got = session_receive(self->connection, &header, &body, fds);
    if (got != 1) {
        /* ECONNRESET: the socket was closed with our request unread (unix(7)). */
        fail(self, got < 0 && errno == ECONNRESET ? CLIENT_REFUSED : CLIENT_LOST, errno);
        return 0;
    }
    if (header.type == SESSION_FAILED) {
        self->result->outcome = CLIENT_FAILED;
        memcpy(&self->result->failure, body, sizeof self->result->failure);
        self->over = 1;
    } else if (header.type == SESSION_ASK) { /* the sudo policy is "ask" */
        answer(self, body, header.length);
        more = 1;
    } else if (header.type != SESSION_STARTED) {
        fail(self, CLIENT_LOST, EPROTO);
    } else {
        if (standard_files_take(&self->files, fds[0]) < 0)
            fail(self, CLIENT_LOST, errno);
        fds[0] = -1;
    }
    session_close_descriptors(fds);
    free(body);
    return more;
}

/* Waits for the answer to START. Signals still end this process, as nothing runs yet. */
static void await_start(struct client *self)
{
    while (!self->over && await_answer(self))
        ;
}

/* Waits for an early end of the command, then leaves it alone. */
static void detach(struct client *self)
{
    const struct client_hooks *hooks = self->hooks;
    struct pollfd wait = {.fd = self->connection, .events = POLLIN};
    for (int left = hooks ? hooks->settle_ms : 0; left > 0 && !self->over; left -= SETTLE_STEP_MS) {
        if (poll(&wait, 1, SETTLE_STEP_MS) > 0)
            read_box(self);
        else if (hooks->settled && hooks->settled(hooks->data))
            break;
    }
    if (!self->over)
        self->result->outcome = CLIENT_DETACHED;
    self->over = 1;
}

static void listen_for_notices(struct client *self)
{
    const struct client_hooks *hooks = self->hooks;
    if (!self->over && hooks && hooks->notices)
        self->notices = hooks->notices(standard_files_pty_number(&self->files), hooks->data);
}

/* While box-init starts the command. */
static void do_meanwhile(struct client *self, int detaches)
{
    const struct client_hooks *hooks = self->hooks;
    if (!self->over)
        standard_files_guard(&self->files);
    if (!self->over && hooks && hooks->meanwhile && !detaches)
        hooks->meanwhile(hooks->data);
}

void client_run(int connection, struct session_command *command, const struct client_hooks *hooks,
                struct client_result *result)
{
    struct client self = {
        .connection = connection, .signals = -1, .notices = -1, .hooks = hooks, .result = result};
    char *body = NULL;
    size_t length;
    int give[3], detaches = (command->start.flags & SESSION_DETACH) != 0;
    *result = (struct client_result){.outcome = CLIENT_ERROR};
    /* While we wait for the rest of a message we handle no signals. */
    unix_socket_limit_waiting(connection, START_TIMEOUT_MS / 1000);
    int ready = standard_files_prepare(&self.files, &command->start, hooks, give) == 0 &&
                session_command_build(command, &body, &length) == 0;
    /* Before the command can be refused something. The number of a pty is known later. */
    if (ready && !self.files.tty && !detaches)
        listen_for_notices(&self);
    if (!ready ||
        session_send(connection, SESSION_START, body, length, give, stdio_copy_count(give)) < 0)
        fail(&self, errno == EPIPE || errno == ECONNRESET ? CLIENT_REFUSED : CLIENT_ERROR, errno);
    free(body);
    stdio_copy_sent(give);
    do_meanwhile(&self, detaches);
    if (!self.over)
        await_start(&self);
    if (!self.over && detaches)
        detach(&self);
    if (self.files.tty)
        listen_for_notices(&self);
    if (!self.over && (self.signals = watch_signals()) < 0)
        fail(&self, CLIENT_ERROR, errno);
    if (!self.over && standard_files_begin(&self.files) < 0)
        fail(&self, CLIENT_ERROR, errno);
    relay_until_over(&self);
    result->long_copies = standard_files_end(&self.files);
    if (self.signals >= 0)
        close(self.signals);
    close(connection);
}
