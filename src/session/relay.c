#include "session/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "session/terminal.h"

/* Most bytes shown after the session's end: a background process could write for ever. */
#define LAST_OUTPUT_MAX (1 << 20)
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

static void *show_all(void *data)
{
    struct pty_output *self = data;
    while (!self->done) {
        ssize_t n = read(self->pty, self->data, PTY_BUFFER);
        if (n > 0) {
            set_showing(self, 1);
            show(self, (size_t)n);
            set_showing(self, 0);
        } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (__atomic_load_n(&self->stopping, __ATOMIC_SEQ_CST))
                break;
            /* write_pty() makes the pty non-blocking for a moment. */
            poll(&(struct pollfd){.fd = self->pty, .events = POLLIN}, 1, RETRY_MS);
        } else {
            self->done = 1; /* EIO: no process has the pty's slave open any more */
        }
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

/* Non-blocking first, then the signal: a read that begins after the signal does not block. */
static void stop_thread(struct pty_output *self)
{
    __atomic_store_n(&self->stopping, 1, __ATOMIC_SEQ_CST);
    fcntl(self->pty, F_SETFL, O_RDWR | O_NONBLOCK);
    pthread_kill(self->thread, WAKE);
    pthread_join(self->thread, NULL);
    self->begun = 0;
}

static void pty_output_end(struct pty_output *self)
{
    if (self->begun) {
        stop_thread(self);
        for (size_t shown = 0; !self->done && shown < LAST_OUTPUT_MAX;) {
            ssize_t n = read(self->pty, self->data, PTY_BUFFER);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                break;
            show(self, (size_t)n);
            shown += (size_t)n;
        }
    }
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

#define PIPE_SIZE (1 << 20)

/* /dev/null, zero, full, random, urandom: Linux's memory devices. */
static int is_plain_device(const struct stat *st)
{
    unsigned minor_number = minor(st->st_rdev);
    return major(st->st_rdev) == 1 &&
           (minor_number == 3 || minor_number == 5 || (minor_number >= 7 && minor_number <= 9));
}

/*
 * 1 for a connected Unix stream socket, which can only talk to its peer. A box could connect any
 * other socket anew: one of the network keeps the host's network namespace, also in a box that has
 * no network, and a Unix datagram socket may choose the receiver of each message.
 */
static int is_unix_connection(int fd)
{
    int type = 0;
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    socklen_t type_length = sizeof type, length = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_length) == 0 && type == SOCK_STREAM &&
           getpeername(fd, (struct sockaddr *)&peer, &length) == 0 && peer.ss_family == AF_UNIX;
}

/* 1 when FD may be given to a box; everything else is relayed. */
static int may_enter(int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return 0;
    return S_ISFIFO(st.st_mode) || (S_ISSOCK(st.st_mode) && is_unix_connection(fd)) ||
           (S_ISCHR(st.st_mode) && is_plain_device(&st));
}

static int prepare_copy(int fd, int *give, struct stdio_copy *copy)
{
    int ends[2];
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    int input = fd == STDIN_FILENO;
    int ours = input ? ends[1] : ends[0];
    fcntl(ours, F_SETPIPE_SZ, PIPE_SIZE); /* fewer wake-ups; a lower limit does no harm */
    fcntl(ours, F_SETFL, O_NONBLOCK);
    *give = input ? ends[0] : ends[1];
    copy->pump.from = input ? fd : ours;
    copy->pump.to = input ? ours : fd;
    return 0;
}

/* In place of a descriptor that is closed. */
static int open_nothing(int fd)
{
    return open("/dev/null", (fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

int stdio_copy_prepare_one(int fd, int *give, struct stdio_copy *copy)
{
    if (may_enter(fd))
        *give = fd;
    else if (fcntl(fd, F_GETFD) < 0)
        *give = open_nothing(fd);
    else if (prepare_copy(fd, give, copy) < 0)
        return -1;
    return *give < 0 ? -1 : 0;
}

int stdio_copy_prepare(int fds[3], struct stdio_copy copies[3])
{
    for (int fd = 0; fd < 3; fd++) {
        copies[fd] = (struct stdio_copy){.pump = {.from = -1, .to = -1}};
        fds[fd] = -1;
    }
    for (int fd = 0; fd < 3; fd++) {
        if (stdio_copy_prepare_one(fd, &fds[fd], &copies[fd]) < 0)
            return -1;
    }
    return 0;
}

int stdio_copy_count(const int fds[3])
{
    int count = 0;
    while (count < 3 && fds[count] >= 0)
        count++;
    return count;
}

void stdio_copy_sent(int fds[3])
{
    for (int i = 0; i < 3; i++) {
        if (fds[i] > 2)
            close(fds[i]);
        fds[i] = -1;
    }
}

struct pollfd stdio_copy_poll(const struct stdio_copy *self)
{
    const struct pump *pump = &self->pump;
    if (pump->chunk)
        return (struct pollfd){.fd = pump->to, .events = POLLOUT};
    return (struct pollfd){.fd = pump->from, .events = POLLIN};
}

/* Not 0, 1 and 2, which belong to this process. */
static void close_ours(int fd)
{
    if (fd > 2)
        close(fd);
}

void stdio_copy_close(struct stdio_copy *self)
{
    close_ours(self->pump.from);
    close_ours(self->pump.to);
    pump_clear(&self->pump);
}

/* A terminal gets what passes its filter at once, as it may be more than was read. */
static int show_chunk(struct stdio_copy *self)
{
    struct pump *pump = &self->pump;
    int shown = screen_show(self->screen, pump->chunk, pump->end);
    screen_show_copy(self->screen);
    pump->begin = pump->end;
    return shown < 0 || pump_write(pump) < 0 ? -1 : 0;
}

/* One read or one write: a terminal or a file that is written to may block. */
void stdio_copy_step(struct stdio_copy *self)
{
    struct pump *pump = &self->pump;
    if (pump->from < 0)
        return;
    int is_read = !pump->chunk;
    int done = is_read ? pump_read(pump) : pump_write(pump);
    if (is_read && done > 0 && self->screen)
        done = show_chunk(self);
    /* Closes both ends, so that a writer notices that its reader has gone. */
    if (done < 0 || pump->has_ended)
        stdio_copy_close(self);
}

void stdio_copy_drain(struct stdio_copy *self)
{
    while (self->pump.from >= 0) {
        struct pollfd next = stdio_copy_poll(self);
        if (poll(&next, 1, next.events == POLLOUT ? -1 : 0) <= 0)
            break;
        stdio_copy_step(self);
    }
    stdio_copy_close(self);
}
