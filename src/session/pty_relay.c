#include "session/pty_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "session/terminal.h"

/* Most bytes shown after the session's end: a background process could write for ever. */
#define LAST_OUTPUT_MAX (1 << 20)
/* So often a read may bring nothing before that is the end: the one that was under way may not have
 * seen what the kernel had still to bring, the next one has. */
#define LAST_PAUSES 2
/* WAKE may arrive just before the poll that it must interrupt. */
#define RETRY_MS 20
/* Interrupts a blocking read. */
#define WAKE SIGRTMIN

static void show(struct pty_output *self, size_t length)
{
    int shown = self->screen ? screen_show(self->screen, self->data, length)
                             : terminal_write(STDOUT_FILENO, self->data, length);
    if (shown < 0)
        self->done = 1;
}

static void set_showing(struct pty_output *self, int showing)
{
    pthread_mutex_lock(&self->lock);
    while (showing && self->paused)
        pthread_cond_wait(&self->changed, &self->lock);
    self->showing = showing;
    if (!showing && self->screen)
        screen_show_copy(self->screen);
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

/* Shows what a read has brought. Returns its length; 0: nothing for now. */
static size_t show_some(struct pty_output *self)
{
    ssize_t n = read(self->pty, self->data, PTY_BUFFER);
    if (n > 0) {
        set_showing(self, 1);
        show(self, (size_t)n);
        set_showing(self, 0);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        self->done = 1; /* EIO: no process has the pty's slave open any more */
    }
    return n > 0 ? (size_t)n : 0;
}

/* Also what there is at the session's end, when stop_thread() has made the pty non-blocking. It
 * blocks all the same where the box, which may have kept it, sets that back; then it is
 * interrupted. */
static void *show_all(void *data)
{
    struct pty_output *self = data;
    size_t last = 0;
    for (int pauses = 0; !self->done && last < LAST_OUTPUT_MAX && pauses < LAST_PAUSES;) {
        size_t length = show_some(self);
        int stops = __atomic_load_n(&self->stopping, __ATOMIC_SEQ_CST);
        last += stops ? length : 0;
        pauses += stops && length == 0;
        /* write_pty() makes the pty non-blocking for a moment. */
        if (length == 0 && !stops)
            poll(&(struct pollfd){.fd = self->pty, .events = POLLIN}, 1, RETRY_MS);
    }
    return NULL;
}

static void wake(int number)
{
    (void)number;
}

static int pty_output_begin(struct pty_output *self, int pty, struct screen *screen)
{
    struct sigaction action = {.sa_handler = wake};
    *self = (struct pty_output){.pty = pty, .screen = screen, .data = malloc(PTY_BUFFER)};
    if (!self->data || fcntl(pty, F_SETFL, O_RDWR) < 0 || sigaction(WAKE, &action, NULL) < 0)
        return -1;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    errno = pthread_create(&self->thread, NULL, show_all, self);
    self->begun = errno == 0;
    return self->begun ? 0 : -1;
}

static void pty_output_pause(struct pty_output *self)
{
    if (!self->begun)
        return;
    pthread_mutex_lock(&self->lock);
    self->paused = 1;
    while (self->showing)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

static void pty_output_resume(struct pty_output *self)
{
    if (!self->begun)
        return;
    pthread_mutex_lock(&self->lock);
    self->paused = 0;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

/* While the thread shows something it does this itself, when it is done. */
static void pty_output_show_copy(struct pty_output *self)
{
    pthread_mutex_lock(&self->lock);
    if (!self->showing && self->screen)
        screen_show_copy(self->screen);
    pthread_mutex_unlock(&self->lock);
}

/* FALSE when the thread has not ended within RETRY_MS. */
static int await_thread(struct pty_output *self)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += RETRY_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    return pthread_timedjoin_np(self->thread, NULL, &until) == 0;
}

/* Non-blocking first, then the signal: a read that begins after the signal does not block, but
 * where the box wants that. */
static void stop_thread(struct pty_output *self)
{
    __atomic_store_n(&self->stopping, 1, __ATOMIC_SEQ_CST);
    do {
        fcntl(self->pty, F_SETFL, O_RDWR | O_NONBLOCK);
        pthread_kill(self->thread, WAKE);
    } while (!await_thread(self));
    self->begun = 0;
}

static void pty_output_end(struct pty_output *self)
{
    if (self->begun)
        stop_thread(self);
    free(self->data);
    self->data = NULL;
}

static int has_typed(const struct pty_relay *self)
{
    return self->in_end > self->in_start;
}

int pty_relay_take(struct pty_relay *self, int pty)
{
    struct winsize size;
    *self = (struct pty_relay){.pty = pty};
    /* Only a terminal supports this, and a box gains nothing by sending another one. */
    if (pty < 0 || ioctl(pty, TIOCGWINSZ, &size) < 0) {
        errno = EPROTO;
        return -1;
    }
    self->in = malloc(PTY_BUFFER);
    return self->in ? 0 : -1;
}

int pty_relay_begin(struct pty_relay *self, struct screen *screen)
{
    self->raw = isatty(STDIN_FILENO) && terminal_raw(STDIN_FILENO) == 0;
    return pty_output_begin(&self->output, self->pty, screen);
}

struct pollfd pty_relay_poll(const struct pty_relay *self)
{
    if (has_typed(self))
        return (struct pollfd){.fd = self->pty, .events = POLLOUT};
    return (struct pollfd){.fd = self->in_done ? -1 : STDIN_FILENO, .events = POLLIN};
}

/* After a read of 0 bytes: a terminal that has gone away reads as empty, and its calls fail with
 * EIO (tty(4), "hung up"). */
static int has_hung_up(void)
{
    return !isatty(STDIN_FILENO) && errno == EIO;
}

static void read_stdin(struct pty_relay *self)
{
    ssize_t n = read(STDIN_FILENO, self->in, PTY_BUFFER);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if ((self->hung_up = n <= 0 && has_hung_up()))
        return;
    self->in_start = 0;
    self->in_end = n > 0 ? (size_t)n : 0;
    if (n <= 0) {
        self->in_done = 1;
        self->in[0] = 4; /* ^D: end of file on a terminal */
        self->in_end = 1;
    }
}

/* Non-blocking: a program that does not read its input must not keep us from handling its end. */
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

void pty_relay_show_copy(struct pty_relay *self)
{
    pty_output_show_copy(&self->output);
}

void pty_relay_pause(struct pty_relay *self)
{
    pty_output_pause(&self->output);
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
    if (self->output.screen)
        screen_end(self->output.screen, self->raw ? STDIN_FILENO : -1);
    if (self->raw)
        terminal_restore();
    if (self->pty >= 0)
        close(self->pty);
    free(self->in);
    *self = (struct pty_relay){.pty = -1};
}
