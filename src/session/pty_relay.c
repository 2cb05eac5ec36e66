#include "session/pty_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* How often the pty is read before anything else gets its turn. */
#define BURST 32
/* Most that is shown after the session's end: a background process could go on for ever. */
#define LAST_WORDS_MAX (1 << 20)

static int has_typed(const struct pty_relay *self)
{
    return self->in_end > self->in_start;
}

int pty_relay_begin(struct pty_relay *self, int pty)
{
    struct winsize size;
    *self = (struct pty_relay){.pty = pty};
    /* A pty answers this; whatever else a box could send here is worth nothing to it. */
    if (pty < 0 || ioctl(pty, TIOCGWINSZ, &size) < 0 ||
        fcntl(pty, F_SETFL, O_RDWR | O_NONBLOCK) < 0) {
        errno = EPROTO;
        return -1;
    }
    self->in = malloc(PTY_RELAY_BUFFER);
    self->out = malloc(PTY_RELAY_BUFFER);
    if (!self->in || !self->out)
        return -1;
    self->raw = isatty(STDIN_FILENO) && terminal_raw(STDIN_FILENO) == 0;
    return 0;
}

void pty_relay_poll(const struct pty_relay *self, struct pollfd polls[2])
{
    int typed = has_typed(self);
    polls[0] =
        (struct pollfd){.fd = typed ? self->pty : STDIN_FILENO, .events = typed ? POLLOUT : POLLIN};
    if (self->in_done && !typed)
        polls[0].fd = -1;
    polls[1] = (struct pollfd){.fd = self->out_done ? -1 : self->pty, .events = POLLIN};
}

static void read_stdin(struct pty_relay *self)
{
    ssize_t n = read(STDIN_FILENO, self->in, PTY_RELAY_BUFFER);
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

static void write_pty(struct pty_relay *self)
{
    ssize_t n = write(self->pty, self->in + self->in_start, self->in_end - self->in_start);
    if (n > 0) {
        self->in_start += (size_t)n;
    } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
        self->in_done = 1;
        self->in_start = self->in_end;
    }
}

static int write_stdout(const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = write(STDOUT_FILENO, data, length);
        if (n > 0) {
            data += n;
            length -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

/* Gathers what the pty has (4 KiB at a time, the kernel's measure) and writes it in one piece. */
static size_t read_pty(struct pty_relay *self)
{
    size_t have = 0;
    for (int i = 0; i < BURST && have < PTY_RELAY_BUFFER; i++) {
        ssize_t n = read(self->pty, self->out + have, PTY_RELAY_BUFFER - have);
        if (n > 0) {
            have += (size_t)n;
            continue;
        }
        /* EIO: no process has the terminal open any more */
        self->out_done = n == 0 || (errno != EAGAIN && errno != EINTR);
        break;
    }
    if (self->raw)
        screen_watch(&self->screen, self->out, have);
    if (write_stdout(self->out, have) < 0)
        self->out_done = 1;
    return have;
}

void pty_relay_step(struct pty_relay *self, const struct pollfd polls[2])
{
    if (polls[0].revents && has_typed(self))
        write_pty(self);
    else if (polls[0].revents && !self->in_done)
        read_stdin(self);
    if (polls[1].revents)
        read_pty(self);
}

void pty_relay_resize(struct pty_relay *self)
{
    struct winsize size = terminal_size(STDOUT_FILENO);
    ioctl(self->pty, TIOCSWINSZ, &size);
}

void pty_relay_pause(struct pty_relay *self)
{
    if (self->raw)
        screen_for_question(&self->screen, STDOUT_FILENO);
    terminal_restore();
}

void pty_relay_resume(struct pty_relay *self)
{
    if (self->raw)
        terminal_resume();
    pty_relay_resize(self);
}

void pty_relay_end(struct pty_relay *self)
{
    if (self->pty >= 0 && self->out) {
        for (size_t shown = 0, n; !self->out_done && shown < LAST_WORDS_MAX; shown += n) {
            n = read_pty(self);
            if (n == 0)
                break;
        }
    }
    if (self->raw) {
        screen_settle(&self->screen, STDIN_FILENO, STDOUT_FILENO);
        terminal_restore();
    }
    if (self->pty >= 0)
        close(self->pty);
    free(self->in);
    free(self->out);
    *self = (struct pty_relay){.pty = -1};
}
