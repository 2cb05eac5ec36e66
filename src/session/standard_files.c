#include "session/standard_files.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* 1 when FD is the terminal of the first screen. */
static int is_first_screen(const struct standard_files *self, int fd)
{
    struct stat one, other;
    return self->n_screens > 0 && fstat(self->screens[0].out, &one) == 0 &&
           fstat(fd, &other) == 0 && one.st_rdev == other.st_rdev;
}

/* The screen of FD; NULL when that is no terminal. What reaches one terminal passes one filter: a
 * sequence can be divided between stdout and stderr. */
static struct screen *get_screen(struct standard_files *self, int fd)
{
    if (!isatty(fd))
        return NULL;
    if (is_first_screen(self, fd))
        return &self->screens[0];
    struct screen *screen = &self->screens[self->n_screens++];
    *screen = (struct screen){.out = fd, .filter.allowed = self->policy};
    copy_question_watch(&self->question, screen);
    return screen;
}

/* GIVE is what the box gets. */
static int prepare_pty(struct standard_files *self, struct session_start *start, int apart_stderr,
                       int give[3])
{
    get_screen(self, STDOUT_FILENO);
    struct winsize size = terminal_size(STDOUT_FILENO);
    start->rows = size.ws_row;
    start->cols = size.ws_col;
    if (!apart_stderr || isatty(STDERR_FILENO))
        return 0;
    return stdio_copy_prepare_one(STDERR_FILENO, &give[0], &self->copies[2]);
}

int standard_files_prepare(struct standard_files *self, struct session_start *start,
                           const struct client_hooks *hooks, int give[3])
{
    *self = (struct standard_files){.terminal.pty = -1,
                                    .policy = hooks ? hooks->terminal : 0,
                                    .tty = (start->flags & SESSION_TTY) != 0};
    copy_question_init(&self->question, hooks);
    for (int i = 0; i < 3; i++) {
        self->copies[i] = (struct stdio_copy){.pump = {.from = -1, .to = -1}};
        give[i] = -1;
    }
    if (start->flags & SESSION_DETACH)
        return 0;
    if (!(self->screens = terminal_rescue_screens(STANDARD_FILES_SCREENS)))
        return -1;
    if (self->tty)
        return prepare_pty(self, start, hooks && hooks->apart_stderr, give);
    if (hooks && hooks->output)
        return stdio_copy_prepare_collected(give, self->copies, hooks->output, hooks->data);
    int prepared = stdio_copy_prepare(give, self->copies);
    for (int i = 1; i < 3; i++)
        self->copies[i].screen = get_screen(self, i);
    return prepared;
}

void standard_files_guard(struct standard_files *self)
{
    if (self->tty || self->n_screens > 0)
        terminal_rescue_begin(&self->rescue, self->screens, self->n_screens);
}

int standard_files_take(struct standard_files *self, int fd)
{
    if (self->tty)
        return pty_relay_take(&self->terminal, fd);
    if (fd >= 0)
        close(fd);
    return 0;
}

int standard_files_begin(struct standard_files *self)
{
    return self->tty ? pty_relay_begin(&self->terminal, self->n_screens ? self->screens : NULL) : 0;
}

int standard_files_pty_number(const struct standard_files *self)
{
    unsigned number;
    return self->tty && ioctl(self->terminal.pty, TIOCGPTN, &number) == 0 ? (int)number : -1;
}

void standard_files_pause(struct standard_files *self, void (*how)(struct screen *))
{
    if (self->tty)
        pty_relay_pause(&self->terminal);
    for (int i = 0; how && i < self->n_screens; i++)
        how(&self->screens[i]);
}

void standard_files_resume(struct standard_files *self)
{
    for (int i = 0; i < self->n_screens; i++)
        screen_continue(&self->screens[i]);
    if (self->tty)
        pty_relay_resume(&self->terminal);
}

int standard_files_notice_fd(const struct standard_files *self)
{
    return self->tty && self->n_screens > 0 ? self->screens[0].out : STDERR_FILENO;
}

static void step_copies(struct standard_files *self, const struct pollfd *polls)
{
    struct screen *granted =
        copy_question_step(&self->question, polls, self->screens, self->n_screens);
    if (granted && self->tty)
        pty_relay_show_copy(&self->terminal);
    else if (granted)
        screen_show_copy(granted);
}

/* With a pty, that stands in the place of stdin, and stdout is not copied. */
void standard_files_poll(const struct standard_files *self, struct pollfd *polls)
{
    for (int i = 0; i < 3; i++)
        polls[i] = i == 0 && self->tty ? pty_relay_poll(&self->terminal)
                                       : stdio_copy_poll(&self->copies[i]);
    copy_question_poll(&self->question, polls + 3);
}

int standard_files_step(struct standard_files *self, const struct pollfd *polls)
{
    for (int i = 0; i < 3; i++) {
        if (polls[i].revents && i == 0 && self->tty)
            pty_relay_step(&self->terminal);
        else if (polls[i].revents)
            stdio_copy_step(&self->copies[i]);
    }
    step_copies(self, polls + 3);
    return self->terminal.hung_up ? -1 : 0;
}

/* The terminal from which the user's shell would read answers, in raw mode; -1: it is not ours. */
static int take_input(void)
{
    if (tcgetpgrp(STDIN_FILENO) != getpgrp() || terminal_raw(STDIN_FILENO) < 0)
        return -1;
    return STDIN_FILENO;
}

/* Without a pty, too, a command can switch modes and ask. */
static void end_screens(struct standard_files *self)
{
    for (int i = 0; i < self->n_screens; i++) {
        int asked = self->screens[i].filter.marks.asked;
        screen_end(&self->screens[i], asked ? take_input() : -1);
        terminal_restore();
    }
}

unsigned standard_files_end(struct standard_files *self)
{
    unsigned long_copies = 0;
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
        long_copies += self->screens[i].long_copies;
    terminal_rescue_free(self->screens, STANDARD_FILES_SCREENS);
    return long_copies;
}
