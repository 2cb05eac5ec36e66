#include "session/pty_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Most that is shown after the session's end: a background process could go on for ever. */
#define LAST_WORDS_MAX (1 << 20)
/* WAKE may come before the poll that it is for. */
#define RETRY_MS 20
/* Makes a read that waits come back. */
#define WAKE SIGRTMIN

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

static void show(struct pty_output *self, size_t length)
{
    if (self->watched)
        screen_watch(&self->screen, self->data, length);
    if (write_stdout(self->data, length) < 0)
        self->done = 1;
}

static void set_showing(struct pty_output *self, int showing)
{
    pthread_mutex_lock(&self->lock);
    while (showing && self->paused)
        pthread_cond_wait(&self->changed, &self->lock);
    self->showing = showing;
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
            /* Who types makes the pty non-blocking for a moment. */
            poll(&(struct pollfd){.fd = self->pty, .events = POLLIN}, 1, RETRY_MS);
        } else {
            self->done = 1; /* EIO: no process has the terminal open any more */
        }
    }
    return NULL;
}

static void wake(int number)
{
    (void)number;
}

int pty_output_begin(struct pty_output *self, int pty, int watched)
{
    struct sigaction action = {.sa_handler = wake};
    *self = (struct pty_output){.pty = pty, .watched = watched, .data = malloc(PTY_BUFFER)};
    if (!self->data || fcntl(pty, F_SETFL, O_RDWR) < 0 || sigaction(WAKE, &action, NULL) < 0)
        return -1;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    errno = pthread_create(&self->thread, NULL, show_all, self);
    self->begun = errno == 0;
    return self->begun ? 0 : -1;
}

void pty_output_pause(struct pty_output *self)
{
    if (!self->begun)
        return;
    pthread_mutex_lock(&self->lock);
    self->paused = 1;
    while (self->showing)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
}

void pty_output_resume(struct pty_output *self)
{
    if (!self->begun)
        return;
    pthread_mutex_lock(&self->lock);
    self->paused = 0;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

/* Non-blocking first, then the signal: a read that begins after the signal does not wait. */
static void stop_thread(struct pty_output *self)
{
    __atomic_store_n(&self->stopping, 1, __ATOMIC_SEQ_CST);
    fcntl(self->pty, F_SETFL, O_RDWR | O_NONBLOCK);
    pthread_kill(self->thread, WAKE);
    pthread_join(self->thread, NULL);
    self->begun = 0;
}

void pty_output_end(struct pty_output *self)
{
    if (self->begun) {
        stop_thread(self);
        for (size_t shown = 0; !self->done && shown < LAST_WORDS_MAX;) {
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
