#include "session/client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "session/copy_question.h"
#include "session/relay.h"
#include "session/terminal_rescue.h"
#include "sys/signals.h"

/* A box that does not answer a START within this time is paused or broken. */
#define START_TIMEOUT_MS 10000
/* Interval between calls of the SETTLED hook. */
#define SETTLE_STEP_MS 50
/* Of stdout and stderr. */
#define SCREENS 2

struct client {
    int connection, signals;
    int notices;                 /* readable: the host has something to say; -1 */
    int tty;                     /* the session has a pty */
    struct pty_relay terminal;   /* with a pty */
    struct stdio_copy copies[3]; /* without: of stdin, stdout and stderr; with: of stderr */
    struct screen *screens;      /* where stdout and stderr are terminals; the first with a pty */
    int n_screens;
    struct terminal_rescue rescue;
    struct copy_question question;
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

/* What a pty of the box is called there; -1 without one. */
static int terminal_number(const struct client *self)
{
    unsigned number;
    return self->tty && ioctl(self->terminal.pty, TIOCGPTN, &number) == 0 ? (int)number : -1;
}

/* HOW is done to the screens, before the host prints or after. */
static void pause_terminal(struct client *self, void (*how)(struct screen *))
{
    if (self->tty)
        pty_relay_pause(&self->terminal);
    for (int i = 0; how && i < self->n_screens; i++)
        how(&self->screens[i]);
}

static void resume_terminal(struct client *self)
{
    for (int i = 0; i < self->n_screens; i++)
        screen_continue(&self->screens[i]);
    if (self->tty)
        pty_relay_resume(&self->terminal);
}

/* Stops this process, like any other job of the shell. SIGCONT makes it resume. */
static void stop_self(struct client *self)
{
    pause_terminal(self, screen_stop);
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
        if (self->tty)
            hang_up(self);
        else
            send_signal(self, SIGHUP);
        break;
    case SIGWINCH:
        if (self->tty)
            pty_relay_resize(&self->terminal);
        break;
    case SIGCONT: /* the shell may have changed the terminal's mode */
        pause_terminal(self, NULL);
        resume_terminal(self);
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
        pause_terminal(self, screen_for_question);
        message.yes = self->hooks->ask(text, length, self->hooks->data) == 1;
        resume_terminal(self);
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
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
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
    int out = self->tty && self->n_screens > 0 ? self->screens[0].out : STDERR_FILENO;
    pause_terminal(self, screen_for_question);
    self->hooks->notice_show(out, self->hooks->data);
    resume_terminal(self);
}

static void step_copies(struct client *self, const struct pollfd *polls)
{
    struct screen *granted =
        copy_question_step(&self->question, polls, self->screens, self->n_screens);
    if (granted && self->tty)
        pty_relay_show_copy(&self->terminal);
    else if (granted)
        screen_show_copy(granted);
}

/* With a pty, that stands in the place of stdin, and stdout is not copied. */
static void poll_files(struct client *self, struct pollfd *polls)
{
    for (int i = 0; i < 3; i++)
        polls[i] = i == 0 && self->tty ? pty_relay_poll(&self->terminal)
                                       : stdio_copy_poll(&self->copies[i]);
}

static void step_files(struct client *self, const struct pollfd *polls)
{
    for (int i = 0; i < 3; i++) {
        if (polls[i].revents && i == 0 && self->tty)
            pty_relay_step(&self->terminal);
        else if (polls[i].revents)
            stdio_copy_step(&self->copies[i]);
    }
    if (self->terminal.hung_up)
        hang_up(self);
}

static void relay_until_over(struct client *self)
{
    while (!self->over) {
        struct pollfd polls[8];
        poll_files(self, polls);
        polls[3] = (struct pollfd){.fd = self->connection, .events = POLLIN};
        polls[4] = (struct pollfd){.fd = self->signals, .events = POLLIN};
        copy_question_poll(&self->question, polls + 5);
        polls[7] = (struct pollfd){.fd = self->notices, .events = POLLIN};
        if (poll(polls, 8, -1) < 0) {
            if (errno == EINTR)
                continue;
            fail(self, CLIENT_ERROR, errno);
            return;
        }
        step_files(self, polls);
        if (polls[4].revents)
            read_signals(self);
        if (polls[3].revents)
            read_box(self);
        step_copies(self, polls + 5);
        if (polls[7].revents)
            show_notice(self);
    }
}

/* 1 when FD is the terminal of the first screen. */
static int is_first_screen(const struct client *self, int fd)
{
    struct stat one, other;
    return self->n_screens > 0 && fstat(self->screens[0].out, &one) == 0 &&
           fstat(fd, &other) == 0 && one.st_rdev == other.st_rdev;
}

/* The screen of FD; NULL when that is no terminal. What reaches one terminal passes one filter: a
 * sequence can be divided between stdout and stderr. */
static struct screen *get_screen(struct client *self, int fd)
{
    if (!isatty(fd))
        return NULL;
    if (is_first_screen(self, fd))
        return &self->screens[0];
    struct screen *screen = &self->screens[self->n_screens++];
    *screen = (struct screen){.out = fd, .filter.allowed = self->hooks ? self->hooks->terminal : 0};
    copy_question_watch(&self->question, screen);
    return screen;
}

/* GIVE is what the box gets. */
static int prepare_pty(struct client *self, struct session_command *command, int give[3])
{
    get_screen(self, STDOUT_FILENO);
    struct winsize size = terminal_size(STDOUT_FILENO);
    command->start.rows = size.ws_row;
    command->start.cols = size.ws_col;
    if (!self->hooks || !self->hooks->apart_stderr || isatty(STDERR_FILENO))
        return 0;
    return stdio_copy_prepare_one(STDERR_FILENO, &give[0], &self->copies[2]);
}

static int prepare(struct client *self, struct session_command *command, int give[3])
{
    for (int i = 0; i < 3; i++) {
        self->copies[i] = (struct stdio_copy){.pump = {.from = -1, .to = -1}};
        give[i] = -1;
    }
    self->tty = (command->start.flags & SESSION_TTY) != 0;
    if (command->start.flags & SESSION_DETACH)
        return 0;
    if (!(self->screens = terminal_rescue_screens(SCREENS)))
        return -1;
    if (self->tty)
        return prepare_pty(self, command, give);
    int prepared = stdio_copy_prepare(give, self->copies);
    for (int i = 1; i < 3; i++)
        self->copies[i].screen = get_screen(self, i);
    return prepared;
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
    } else if (self->tty && pty_relay_take(&self->terminal, fds[0]) < 0) {
        fail(self, CLIENT_LOST, errno);
    } else if (!self->tty && fds[0] >= 0) {
        close(fds[0]);
    }
    free(body);
    return more;
}

/* Waits for the answer to START. Signals still end this process, as nothing runs yet. */
static void await_start(struct client *self)
{
    while (!self->over && await_answer(self))
        ;
}

/* The terminal from which the user's shell would read answers, in raw mode; -1: it is not ours. */
static int take_input(void)
{
    if (tcgetpgrp(STDIN_FILENO) != getpgrp() || terminal_raw(STDIN_FILENO) < 0)
        return -1;
    return STDIN_FILENO;
}

/* Without a pty, too, a command can switch modes and ask. */
static void end_screens(struct client *self)
{
    for (int i = 0; i < self->n_screens; i++) {
        int asked = self->screens[i].filter.marks.asked;
        screen_end(&self->screens[i], asked ? take_input() : -1);
        terminal_restore();
    }
}

/* Shows what was written before the end, and does not wait for background processes. */
static void finish(struct client *self)
{
    if (self->tty) {
        pty_relay_end(&self->terminal);
        stdio_copy_drain(&self->copies[2]);
    } else {
        stdio_copy_close(&self->copies[0]);
        stdio_copy_drain(&self->copies[1]);
        stdio_copy_drain(&self->copies[2]);
        end_screens(self);
    }
    copy_question_end(&self->question);
    terminal_rescue_end(&self->rescue);
    for (int i = 0; i < self->n_screens; i++)
        self->result->long_copies += self->screens[i].long_copies;
    terminal_rescue_free(self->screens, SCREENS);
    if (self->signals >= 0)
        close(self->signals);
    close(self->connection);
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

static void do_meanwhile(struct client *self, const struct session_command *command)
{
    const struct client_hooks *hooks = self->hooks;
    if (!self->over && hooks && hooks->meanwhile && !(command->start.flags & SESSION_DETACH))
        self->notices = hooks->meanwhile(terminal_number(self), hooks->data);
}

void client_run(int connection, struct session_command *command, const struct client_hooks *hooks,
                struct client_result *result)
{
    struct client self = {.connection = connection,
                          .signals = -1,
                          .notices = -1,
                          .terminal.pty = -1,
                          .hooks = hooks,
                          .result = result};
    char *body = NULL;
    size_t length;
    int give[3];
    *result = (struct client_result){.outcome = CLIENT_ERROR};
    copy_question_init(&self.question, hooks);
    /* While we wait for the rest of a message we handle no signals. */
    unix_socket_limit_waiting(connection, START_TIMEOUT_MS / 1000);
    if (prepare(&self, command, give) < 0 || session_command_build(command, &body, &length) < 0 ||
        session_send(connection, SESSION_START, body, length, give, stdio_copy_count(give)) < 0)
        fail(&self, errno == EPIPE || errno == ECONNRESET ? CLIENT_REFUSED : CLIENT_ERROR, errno);
    free(body);
    stdio_copy_sent(give);
    /* While box-init starts the command. */
    if (!self.over && (self.tty || self.n_screens > 0))
        terminal_rescue_begin(&self.rescue, self.screens, self.n_screens);
    if (!self.tty)
        do_meanwhile(&self, command);
    if (!self.over)
        await_start(&self);
    if (!self.over && (command->start.flags & SESSION_DETACH))
        detach(&self);
    if (self.tty)
        do_meanwhile(&self, command);
    if (!self.over && (self.signals = watch_signals()) < 0)
        fail(&self, CLIENT_ERROR, errno);
    if (!self.over && self.tty &&
        pty_relay_begin(&self.terminal, self.n_screens ? self.screens : NULL) < 0)
        fail(&self, CLIENT_ERROR, errno);
    relay_until_over(&self);
    finish(&self);
}
