#include "session/pty_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int has_typed(const struct pty_relay *self)
{
    return self->in_end > self->in_start;
}

int pty_relay_take(struct pty_relay *self, int pty)
{
    struct winsize size;
    *self = (struct pty_relay){.pty = pty};
    /* A pty answers this; whatever else a box could send here is worth nothing to it. */
    if (pty < 0 || ioctl(pty, TIOCGWINSZ, &size) < 0) {
        errno = EPROTO;
        return -1;
    }
    self->in = malloc(PTY_BUFFER);
    return self->in ? 0 : -1;
}

int pty_relay_begin(struct pty_relay *self)
{
    self->raw = isatty(STDIN_FILENO) && terminal_raw(STDIN_FILENO) == 0;
    return pty_output_begin(&self->output, self->pty, self->raw);
}

struct pollfd pty_relay_poll(const struct pty_relay *self)
{
    if (has_typed(self))
        return (struct pollfd){.fd = self->pty, .events = POLLOUT};
    return (struct pollfd){.fd = self->in_done ? -1 : STDIN_FILENO, .events = POLLIN};
}

static void read_stdin(struct pty_relay *self)
{
    ssize_t n = read(STDIN_FILENO, self->in, PTY_BUFFER);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    self->in_start = 0;
    self->in_end = n > 0 ? (size_t)n : 0;
    if (n <= 0) {
        self->in_done = 1;
        self->in[0] = 4; /* ^D: how the end of a pipe looks on a terminal */
        self->in_end = 1;
    }
}

/* A program that does not read what is typed must not hold us, who also hear of its end. */
static void write_pty(struct pty_relay *self)
{
    fcntl(self->pty, F_SETFL, O_RDWR | O_NONBLOCK);
    ssize_t n = write(self->pty, self->in + self->in_start, self->in_end - self->in_start);
    int problem = errno;
    fcntl(self->pty, F_SETFL, O_RDWR);
    if (n > 0) {
        self->in_start += (size_t)n;
    } else if (n < 0 && problem != EINTR && problem != EAGAIN) {
        self->in_done = 1;
        self->in_start = self->in_end;
    }
}

void pty_relay_step(struct pty_relay *self)
{
    if (has_typed(self))
        write_pty(self);
    else if (!self->in_done)
        read_stdin(self);
}

void pty_relay_resize(struct pty_relay *self)
{
    struct winsize size = terminal_size(STDOUT_FILENO);
    ioctl(self->pty, TIOCSWINSZ, &size);
}

void pty_relay_pause(struct pty_relay *self)
{
    pty_output_pause(&self->output);
    if (self->raw)
        screen_for_question(&self->output.screen, STDOUT_FILENO);
    terminal_restore();
}

void pty_relay_resume(struct pty_relay *self)
{
    if (self->raw)
        terminal_resume();
    pty_relay_resize(self);
    pty_output_resume(&self->output);
}

void pty_relay_end(struct pty_relay *self)
{
    pty_output_end(&self->output);
    if (self->raw) {
        screen_settle(&self->output.screen, STDIN_FILENO, STDOUT_FILENO);
        terminal_restore();
    }
    if (self->pty >= 0)
        close(self->pty);
    free(self->in);
    *self = (struct pty_relay){.pty = -1};
}
