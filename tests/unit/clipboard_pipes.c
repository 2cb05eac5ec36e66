/* Clipboard content through pipes, with hostile programs at the other end. */
#include "host/bridge/clipboard/pipes.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "sys/clock.h"

/* Longer than the time without progress, and than the time in all. */
#define QUIET_MS 5100
#define LATE_MS 30100
#define MORE_THAN_A_PIPE ((size_t)1 << 20)

static int n_done;
static struct exchange_content got;
static int (*is_over)(void);

static void done(int kind, unsigned char *data, size_t length)
{
    n_done++;
    g_assert_cmpint(kind, ==, CLIP_TEXT);
    free(got.data);
    got = (struct exchange_content){data, length};
}

static int is_done(void)
{
    return n_done > 0;
}

static int tick(int64_t now)
{
    pipes_due(now);
    if (is_over())
        event_loop_quit();
    return 10;
}

/* Runs the loop until OVER is true. */
static void run_until(int (*over)(void))
{
    is_over = over;
    event_loop_run();
}

/* Creates the epoll descriptor now, so that it is not counted later. */
static void open_loop(void)
{
    int ends[2];
    g_assert_cmpint(pipe(ends), ==, 0);
    struct event_watch watch = {.fd = ends[0]};
    event_watch_set(&watch, EPOLLIN);
    event_watch_close(&watch);
    close(ends[1]);
}

static int count_files(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static int begin_reading(void)
{
    int ends[2];
    n_done = 0;
    g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
    pipes_read(ends[0], CLIP_TEXT, done);
    return ends[1];
}

static void test_read(void)
{
    int before = count_files(), fd = begin_reading();
    g_assert_cmpint(write(fd, "hello", 5), ==, 5);
    close(fd);
    run_until(is_done);
    g_assert_cmpmem(got.data, got.length, "hello", 5);
    g_assert_cmpint(pipes_due(clock_ms()), ==, -1);
    g_assert_cmpint(count_files(), ==, before);
}

static gpointer write_without_end(gpointer data)
{
    static char much[65536];
    while (write(GPOINTER_TO_INT(data), much, sizeof much) > 0)
        continue;
    return GINT_TO_POINTER(errno);
}

static gpointer write_much(gpointer data)
{
    static char much[65536];
    for (size_t sent = 0; sent < CLIP_MAX; sent += sizeof much)
        g_assert_cmpint(write(GPOINTER_TO_INT(data), much, sizeof much), ==, sizeof much);
    close(GPOINTER_TO_INT(data));
    return NULL;
}

static void test_much(void)
{
    int before = count_files(), fd = begin_reading();
    GThread *writer = g_thread_new("writer", write_much, GINT_TO_POINTER(fd));
    run_until(is_done);
    g_thread_join(writer);
    g_assert_nonnull(got.data);
    g_assert_cmpuint(got.length, ==, CLIP_MAX);
    g_assert_cmpint(count_files(), ==, before);
}

/* The writer gets EPIPE. */
static void test_no_end(void)
{
    int before = count_files(), fd = begin_reading();
    GThread *writer = g_thread_new("writer", write_without_end, GINT_TO_POINTER(fd));
    run_until(is_done);
    g_assert_null(got.data);
    g_assert_cmpint(GPOINTER_TO_INT(g_thread_join(writer)), ==, EPIPE);
    close(fd);
    g_assert_cmpint(count_files(), ==, before);
}

/* A program that writes nothing, and one that writes a byte now and then. */
static void test_hangs(void)
{
    int before = count_files(), fd = begin_reading();
    g_assert_cmpint(pipes_due(clock_ms()), >, 0);
    pipes_due(clock_ms() + QUIET_MS);
    g_assert_cmpint(n_done, ==, 1);
    g_assert_null(got.data);
    close(fd);
    fd = begin_reading();
    g_assert_cmpint(write(fd, "a", 1), ==, 1);
    pipes_due(clock_ms() + LATE_MS);
    g_assert_cmpint(n_done, ==, 1);
    g_assert_null(got.data);
    close(fd);
    g_assert_cmpint(count_files(), ==, before);
}

/* A new read replaces the earlier one. */
static void test_forgets(void)
{
    int before = count_files(), first = begin_reading(), second = begin_reading();
    g_assert_cmpint(write(first, "a", 1), ==, -1);
    g_assert_cmpint(errno, ==, EPIPE);
    pipes_cancel_read();
    g_assert_cmpint(write(second, "a", 1), ==, -1);
    g_assert_cmpint(n_done, ==, 0);
    close(first);
    close(second);
    g_assert_cmpint(count_files(), ==, before);
}

static int reader, reader_is_at_end;
static size_t n_read;

static int has_read(void)
{
    char much[65536];
    ssize_t n = read(reader, much, sizeof much);
    n_read += n > 0 ? (size_t)n : 0;
    reader_is_at_end = n == 0;
    return reader_is_at_end;
}

static int begin_writing(const unsigned char *data, size_t length)
{
    int ends[2];
    g_assert_cmpint(pipe2(ends, O_CLOEXEC | O_NONBLOCK), ==, 0);
    int place = pipes_add_writer(ends[1]);
    if (place >= 0)
        pipes_write(place, data, length);
    return ends[0];
}

static void test_write(void)
{
    g_autofree unsigned char *data = g_malloc0(MORE_THAN_A_PIPE);
    int before = count_files();
    reader = begin_writing(data, MORE_THAN_A_PIPE);
    run_until(has_read);
    g_assert_cmpuint(n_read, ==, MORE_THAN_A_PIPE);
    close(reader);
    g_assert_cmpint(count_files(), ==, before);
    /* No content is the end at once. */
    reader = begin_writing(NULL, 0);
    g_assert_true(has_read());
    close(reader);
    g_assert_cmpint(count_files(), ==, before);
}

/* Who asks and does not read keeps its place for a while, and others go away with nothing, at once.
 */
static void test_nobody_reads(void)
{
    g_autofree unsigned char *data = g_malloc0(MORE_THAN_A_PIPE);
    int before = count_files(), readers[EXCHANGE_WAITING_MAX];
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++)
        readers[i] = begin_writing(data, MORE_THAN_A_PIPE);
    reader = begin_writing(data, MORE_THAN_A_PIPE);
    g_assert_true(has_read());
    close(reader);
    pipes_due(clock_ms() + QUIET_MS);
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++)
        close(readers[i]);
    g_assert_cmpint(count_files(), ==, before);
    /* One that goes away. */
    close(begin_writing(data, MORE_THAN_A_PIPE));
    pipes_due(clock_ms() + QUIET_MS);
    g_assert_cmpint(count_files(), ==, before);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    signal(SIGPIPE, SIG_IGN);
    event_loop_prepare(tick);
    open_loop();
    g_test_add_func("/clipboard-pipes/reads to the end", test_read);
    g_test_add_func("/clipboard-pipes/reads up to the size limit", test_much);
    g_test_add_func("/clipboard-pipes/gives up on data without end", test_no_end);
    g_test_add_func("/clipboard-pipes/gives up on a writer that hangs", test_hangs);
    g_test_add_func("/clipboard-pipes/a new read cancels the earlier one", test_forgets);
    g_test_add_func("/clipboard-pipes/writes all of it", test_write);
    g_test_add_func("/clipboard-pipes/gives up on readers that hang", test_nobody_reads);
    return g_test_run();
}
