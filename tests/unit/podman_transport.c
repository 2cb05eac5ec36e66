#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "common/error.h"
#include "podman/podman.h"
#include "podman/transport.h"
#include "podman_fake.h"

typedef struct {
    fake server;
    transport *transport;
    http_reply reply;
    GError *error;
    http_request request;
} fixture;

static void set_up(fixture *self, const fake_step *steps)
{
    *self = (fixture){0};
    fake_start(&self->server, steps);
    self->transport = transport_new(&self->error);
    g_assert_no_error(self->error);
    self->request = (http_request){.socket = self->server.path,
                                   .method = "GET",
                                   .path = "/x",
                                   .body_fd = -1,
                                   .timeout = 30,
                                   .reply_max = 1000};
}

static gboolean perform(fixture *self)
{
    g_clear_error(&self->error);
    return transport_perform(self->transport, &self->request, &self->reply, &self->error);
}

static void clear(fixture *self)
{
    transport_free(self->transport);
    http_reply_clear(&self->reply);
    g_clear_error(&self->error);
    fake_stop(&self->server);
}

static void expect_body(fixture *self, const char *body)
{
    g_assert_no_error(self->error);
    g_assert_cmpmem(self->reply.body->data, self->reply.body->len, body, strlen(body));
}

/* A request whose reply must make it fail. */
static void expect_failure(fake_step step, box_error code, gboolean dropped)
{
    fixture self;

    set_up(&self, (fake_step[]){step, {0}});
    /* What answers is waited for, also where others have the processor. */
    self.request.timeout = step.then == HANG ? 1 : 30;
    g_assert_false(perform(&self));
    g_assert_error(self.error, BOX_ERROR, (int)code);
    g_assert_cmpint(self.reply.dropped, ==, dropped);
    g_assert_cmpint(self.reply.refused, ==, 0);
    clear(&self);
}

static void test_reply(void)
{
    fixture self;

    set_up(&self, (fake_step[]){{OK_HEAD "Content-Length: 5\r\n\r\nhello", KEEP},
                                {OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
                                         "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n",
                                 KEEP},
                                {"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", KEEP},
                                {"HTTP/1.1 304 Not Modified\r\n\r\n", KEEP},
                                {"HTTP/1.1 302 Found\r\nLocation: http://e/\r\nContent-Length: 0"
                                 "\r\n\r\n",
                                 KEEP},
                                {0}});
    g_assert_true(perform(&self));
    expect_body(&self, "hello");
    g_assert_cmpstr(self.reply.version, ==, "4.3.1");
    g_assert_true(perform(&self));
    expect_body(&self, "abcdefg");
    g_assert_true(perform(&self));
    expect_body(&self, "no");
    g_assert_cmpint(self.reply.status, ==, 404);
    g_assert_null(self.reply.version);
    g_assert_true(perform(&self));
    g_assert_cmpint(self.reply.status, ==, 304);
    g_assert_true(perform(&self));
    g_assert_cmpint(self.reply.status, ==, 302);
    /* One connection served all requests, and the redirection was not followed. */
    g_assert_cmpint(self.server.connections, ==, 1);
    g_assert_cmpint(self.server.requests, ==, 5);
    clear(&self);
}

static void test_failures(void)
{
    g_autofree char *header = g_strnfill(2 * HTTP_HEADERS_MAX, 'x');
    g_autofree char *long_line = g_strconcat(OK_HEAD "X: ", header, "\r\n\r\n", NULL);
    g_autoptr(GString) lines = g_string_new(OK_HEAD);
    g_autofree char *large = g_strnfill(1001, 'x');
    g_autofree char *too_large = g_strconcat(OK_HEAD "Content-Length: 1001\r\n\r\n", large, NULL);

    for (int i = 0; i < 5000; i++)
        g_string_append(lines, "Some-Header: value\r\n");
    g_string_append(lines, "\r\n");
    expect_failure((fake_step){NULL, CLOSE}, BOX_ERROR_UNREACHABLE, TRUE);
    expect_failure((fake_step){NULL, HANG}, BOX_ERROR_UNREACHABLE, FALSE);
    expect_failure((fake_step){"garbage\r\n", CLOSE}, BOX_ERROR_PROTOCOL, FALSE);
    expect_failure((fake_step){"HTTP/1.1 200", CLOSE}, BOX_ERROR_UNREACHABLE, TRUE);
    expect_failure((fake_step){OK_HEAD, CLOSE}, BOX_ERROR_UNREACHABLE, FALSE);
    expect_failure((fake_step){OK_HEAD, HANG}, BOX_ERROR_UNREACHABLE, FALSE);
    expect_failure((fake_step){OK_HEAD "Content-Length: 9\r\n\r\nhal", CLOSE},
                   BOX_ERROR_UNREACHABLE, FALSE);
    expect_failure((fake_step){OK_HEAD "Content-Length: 9\r\n\r\nhal", HANG}, BOX_ERROR_UNREACHABLE,
                   FALSE);
    expect_failure((fake_step){OK_HEAD "Transfer-Encoding: chunked\r\n\r\n3\r\nab", CLOSE},
                   BOX_ERROR_UNREACHABLE, FALSE);
    expect_failure((fake_step){OK_HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\nab", CLOSE},
                   BOX_ERROR_UNREACHABLE, FALSE);
    expect_failure((fake_step){OK_HEAD "Content-Length: -1\r\n\r\n", CLOSE}, BOX_ERROR_PROTOCOL,
                   FALSE);
    expect_failure((fake_step){long_line, CLOSE}, BOX_ERROR_PROTOCOL, FALSE);
    expect_failure((fake_step){lines->str, CLOSE}, BOX_ERROR_PROTOCOL, FALSE);
    expect_failure((fake_step){too_large, CLOSE}, BOX_ERROR_PROTOCOL, FALSE);
}

static void test_refused(void)
{
    fixture self;

    set_up(&self, (fake_step[]){{OK_EMPTY, KEEP}, {0}});
    self.request.socket = "/nonexistent/podman.sock";
    g_assert_false(perform(&self));
    g_assert_error(self.error, BOX_ERROR, BOX_ERROR_UNREACHABLE);
    g_assert_cmpint(self.reply.refused, ==, ENOENT);
    /* Afterwards the same client works. */
    self.request.socket = self.server.path;
    g_assert_true(perform(&self));
    clear(&self);
}

static void test_reconnect(void)
{
    fixture self;

    set_up(&self, (fake_step[]){{OK_EMPTY, CLOSE}, {0}});
    for (int i = 0; i < 5; i++) {
        self.request.method = "POST";
        self.request.body = "{}";
        self.request.length = 2;
        g_assert_true(perform(&self));
        while (g_atomic_int_get(&self.server.closed) <= i)
            g_usleep(1000);
    }
    g_assert_cmpint(self.server.connections, ==, 5);
    g_assert_cmpint(self.server.requests, ==, 5);
    clear(&self);
}

static gboolean take(const char *data, gsize length, gpointer user_data, GError **error)
{
    GString *text = user_data;

    g_string_append_len(text, data, length);
    if (!strstr(text->str, "stop"))
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_STATE, "stopped");
    return FALSE;
}

static void test_chunks(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    fixture self;

    set_up(&self, (fake_step[]){{OK_HEAD "Content-Length: 5\r\n\r\nhello", KEEP},
                                {"HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nbad", KEEP},
                                {OK_HEAD "Transfer-Encoding: chunked\r\n\r\n4\r\nstop\r\n", HANG},
                                {0}});
    self.request.chunk = take;
    self.request.user_data = text;
    g_assert_true(perform(&self));
    g_assert_cmpstr(text->str, ==, "hello");
    g_assert_cmpuint(self.reply.body->len, ==, 0);
    /* The body of an error is held in memory. */
    g_assert_true(perform(&self));
    expect_body(&self, "bad");
    g_assert_cmpstr(text->str, ==, "hello");
    g_assert_false(perform(&self));
    g_assert_error(self.error, BOX_ERROR, BOX_ERROR_STATE);
    clear(&self);
}

static void count_tick(gint64 sent, gpointer user_data)
{
    *(gint64 *)user_data = sent;
}

static gpointer feed_slowly(gpointer data)
{
    int fd = GPOINTER_TO_INT(data);

    for (int i = 0; i < 5; i++) {
        g_assert_cmpint(write(fd, "abc", 3), ==, 3);
        g_usleep(120000);
    }
    close(fd);
    return NULL;
}

static void test_upload(void)
{
    int fds[2];
    gint64 sent = 0;
    fixture self;

    set_up(&self, (fake_step[]){{OK_EMPTY, KEEP}, {0}});
    g_assert_cmpint(pipe(fds), ==, 0);
    GThread *thread = g_thread_new("feed", feed_slowly, GINT_TO_POINTER(fds[1]));
    self.request.method = "POST";
    self.request.content_type = "application/x-tar";
    self.request.body_fd = fds[0];
    self.request.tick = count_tick;
    self.request.user_data = &sent;
    g_assert_true(perform(&self));
    g_thread_join(thread);
    close(fds[0]);
    g_assert_nonnull(strstr(self.server.seen->str, "POST /x HTTP/1.1\r\n"));
    g_assert_nonnull(strstr(self.server.seen->str, "Content-Type: application/x-tar\r\n"));
    g_assert_null(strstr(self.server.seen->str, "Expect"));
    for (int i = 0, at = 0; i < 5; i++) {
        const char *next = strstr(self.server.seen->str + at, "3\r\nabc\r\n");
        g_assert_nonnull(next);
        at = next - self.server.seen->str + 1;
    }
    g_assert_cmpint(sent, >=, 3);
    clear(&self);
}

static void test_upload_max(void)
{
    int fds[2];
    fixture self;

    set_up(&self, (fake_step[]){{OK_EMPTY, KEEP}, {0}});
    g_assert_cmpint(pipe(fds), ==, 0);
    g_assert_cmpint(write(fds[1], "0123456789", 10), ==, 10);
    self.request.method = "POST";
    self.request.body_fd = fds[0];
    self.request.body_max = 9;
    g_assert_false(perform(&self));
    g_assert_error(self.error, BOX_ERROR, BOX_ERROR_FAILED);
    g_assert_null(strstr(self.server.seen->str, "0123456789"));
    close(fds[0]);
    close(fds[1]);
    clear(&self);
}

static void on_alarm(int number)
{
    podman_cancel();
}

/* A request that is cancelled from a signal handler after 100 ms ends. */
static void expect_cancelled(fixture *self)
{
    const struct itimerval soon = {.it_value.tv_usec = 100000};
    gint64 begin = g_get_monotonic_time();

    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &soon, NULL);
    g_assert_false(perform(self));
    g_assert_error(self->error, BOX_ERROR, BOX_ERROR_CANCELLED);
    /* Not "at once" to the millisecond: the machine may be busy. Without the cancel it hangs. */
    g_assert_cmpint(g_get_monotonic_time() - begin, <, 10 * G_USEC_PER_SEC);
    /* So do all later requests, until the reset. */
    g_assert_false(perform(self));
    g_assert_error(self->error, BOX_ERROR, BOX_ERROR_CANCELLED);
    podman_cancel_reset();
}

static void test_cancel(void)
{
    int fds[2];
    fixture self;

    set_up(&self, (fake_step[]){{NULL, HANG}, {0}});
    self.request.timeout = 0;
    expect_cancelled(&self);
    clear(&self);

    set_up(&self, (fake_step[]){{OK_HEAD "Content-Length: 9\r\n\r\nhal", HANG}, {0}});
    self.request.timeout = 0;
    expect_cancelled(&self);
    clear(&self);

    set_up(&self, (fake_step[]){{OK_EMPTY, KEEP}, {0}});
    g_assert_cmpint(pipe(fds), ==, 0); /* nothing is written to it */
    self.request.method = "POST";
    self.request.body_fd = fds[0];
    self.request.timeout = 0;
    expect_cancelled(&self);
    self.request.body_fd = -1;
    g_assert_true(perform(&self));
    close(fds[0]);
    close(fds[1]);
    clear(&self);
}

static void test_timeout(void)
{
    fixture self;
    gint64 begin = g_get_monotonic_time();

    set_up(&self, (fake_step[]){{NULL, HANG}, {0}});
    self.request.timeout = 1;
    g_assert_false(perform(&self));
    g_assert_error(self.error, BOX_ERROR, BOX_ERROR_UNREACHABLE);
    g_assert_nonnull(strstr(self.error->message, "podman does not answer"));
    g_assert_cmpint(g_get_monotonic_time() - begin, >=, 1000000);
    g_assert_cmpint(g_get_monotonic_time() - begin, <, 10 * G_USEC_PER_SEC);
    clear(&self);
}

/* A proxy from the environment would see each request, with secrets in environment variables. */
static void test_proxy(void)
{
    fixture self;

    g_setenv("http_proxy", "http://127.0.0.1:1", TRUE);
    g_setenv("all_proxy", "http://127.0.0.1:1", TRUE);
    set_up(&self, (fake_step[]){{OK_EMPTY, KEEP}, {0}});
    g_assert_true(perform(&self));
    clear(&self);
}

static void test_close_on_exec(void)
{
    g_autoptr(GDir) fds = NULL;
    const char *name;
    struct stat st;
    fixture self;

    set_up(&self, (fake_step[]){{OK_EMPTY, KEEP}, {0}});
    g_assert_true(perform(&self));
    fds = g_dir_open("/proc/self/fd", 0, NULL);
    while ((name = g_dir_read_name(fds))) {
        int fd = atoi(name);
        struct sockaddr address;
        socklen_t length = sizeof address;
        /* The client's end is the only connected socket whose peer has a name. */
        if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) &&
            getpeername(fd, &address, &length) == 0 && length > sizeof address.sa_family)
            g_assert_cmpint(fcntl(fd, F_GETFD) & FD_CLOEXEC, !=, 0);
    }
    clear(&self);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    signal(SIGPIPE, SIG_IGN);
    g_test_add_func("/podman/transport/reply", test_reply);
    g_test_add_func("/podman/transport/failures", test_failures);
    g_test_add_func("/podman/transport/refused", test_refused);
    g_test_add_func("/podman/transport/reconnect", test_reconnect);
    g_test_add_func("/podman/transport/chunks", test_chunks);
    g_test_add_func("/podman/transport/upload", test_upload);
    g_test_add_func("/podman/transport/upload_max", test_upload_max);
    g_test_add_func("/podman/transport/cancel", test_cancel);
    g_test_add_func("/podman/transport/timeout", test_timeout);
    g_test_add_func("/podman/transport/proxy", test_proxy);
    g_test_add_func("/podman/transport/close-on-exec", test_close_on_exec);
    return g_test_run();
}
