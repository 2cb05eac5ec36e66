/*
 * A server on a Unix socket that answers requests from a script, in a thread. It does what Podman
 * cannot be made to do on demand, such as closing the connection in the middle of a reply.
 */
#pragma once

#include <glib.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/unix_socket.h"

/* What the server does after a reply. */
typedef enum { KEEP, CLOSE, HANG } fake_then;

typedef struct {
    const char *reply; /* NULL: nothing */
    fake_then then;
} fake_step;

typedef struct {
    char *folder, *path;
    const fake_step *steps; /* one for each request; the last is repeated; ends with {0} */
    int listener, stop[2], connections, requests;
    int closed;    /* connections, atomic */
    GString *seen; /* all bytes received */
    GThread *thread;
} fake;

#define OK_HEAD "HTTP/1.1 200 OK\r\nLibpod-API-Version: 4.3.1\r\n"
#define OK_EMPTY OK_HEAD "Content-Length: 0\r\n\r\n"

/* Waits until FD is readable. FALSE when the test ends. */
static inline gboolean fake_ready(fake *self, int fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = self->stop[0], .events = POLLIN}};

    return poll(fds, 2, -1) > 0 && !fds[1].revents;
}

/* TRUE when DATA contains a complete request. */
static inline gboolean fake_is_whole(const char *data)
{
    const char *end = strstr(data, "\r\n\r\n");
    const char *length = strstr(data, "Content-Length: ");

    if (!end)
        return FALSE;
    if (strstr(data, "Transfer-Encoding: chunked"))
        return g_str_has_suffix(data, "0\r\n\r\n") && end[4];
    return !length || length > end || strlen(end + 4) >= (gsize)atoi(length + 16);
}

static inline gboolean fake_read(fake *self, int fd)
{
    g_autoptr(GString) request = g_string_new(NULL);
    char buffer[4096];

    while (!fake_is_whole(request->str)) {
        if (!fake_ready(self, fd))
            return FALSE;
        ssize_t got = read(fd, buffer, sizeof buffer);
        if (got <= 0)
            return FALSE;
        g_string_append_len(request, buffer, got);
    }
    g_string_append(self->seen, request->str);
    return TRUE;
}

static inline void fake_serve(fake *self, int fd)
{
    while (fake_read(self, fd)) {
        const fake_step *step = self->steps;
        if (self->requests++ > 0 && (step[1].reply || step[1].then))
            step = ++self->steps;
        if (step->reply)
            send(fd, step->reply, strlen(step->reply), MSG_NOSIGNAL);
        if (step->then == HANG)
            fake_ready(self, -1);
        if (step->then != KEEP)
            return;
    }
}

static inline gpointer fake_main(gpointer data)
{
    fake *self = data;

    while (fake_ready(self, self->listener)) {
        int fd = accept(self->listener, NULL, NULL);
        self->connections++;
        fake_serve(self, fd);
        close(fd);
        g_atomic_int_inc(&self->closed);
    }
    return NULL;
}

static inline void fake_start(fake *self, const fake_step *steps)
{
    *self = (fake){.steps = steps, .seen = g_string_new(NULL)};
    self->folder = g_dir_make_tmp("fake-XXXXXX", NULL);
    self->path = g_build_filename(self->folder, "podman.sock", NULL);
    self->listener = unix_socket_listen(self->path, SOCK_STREAM, 0600, SOMAXCONN);
    g_assert_cmpint(self->listener, >=, 0);
    g_assert_cmpint(pipe(self->stop), ==, 0);
    self->thread = g_thread_new("fake", fake_main, self);
}

static inline void fake_stop(fake *self)
{
    close(self->stop[1]);
    g_thread_join(self->thread);
    close(self->stop[0]);
    close(self->listener);
    unlink(self->path);
    rmdir(self->folder);
    g_string_free(self->seen, TRUE);
    g_free(self->path);
    g_free(self->folder);
}
