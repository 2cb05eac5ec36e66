/* The event loop: order, timers, and callbacks that change watches and timers. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/event_loop.h"
#include "sys/clock.h"

static int calls;

/* A pipe with a byte in it: ready at once. */
static struct event_watch ready_pipe(void (*ready)(struct event_watch *, uint32_t), int *other_end)
{
    int ends[2];
    g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
    g_assert_cmpint(write(ends[1], "x", 1), ==, 1);
    *other_end = ends[1];
    return (struct event_watch){.fd = ends[0], .ready = ready};
}

static void count_and_quit(struct event_watch *self, uint32_t events)
{
    g_assert_cmpuint(events, ==, EPOLLIN);
    calls++;
    event_loop_quit();
}

static void watch_is_called(void)
{
    int other;
    struct event_watch watch = ready_pipe(count_and_quit, &other);
    calls = 0;
    g_assert_cmpint(event_watch_set(&watch, EPOLLIN), ==, 0);
    event_loop_run();
    event_loop_run(); /* level-triggered, and the loop can run again */
    g_assert_cmpint(calls, ==, 2);
    event_watch_close(&watch);
    g_assert_cmpint(watch.fd, ==, -1);
    event_watch_close(&watch);
    g_assert_cmpint(event_watch_set(&watch, EPOLLIN), ==, 0);
    close(other);
}

static void quit_before_run_holds(void)
{
    event_loop_quit();
    event_loop_run();
}

static struct event_watch *twins[2];

static void free_twin(struct event_watch *self, uint32_t events)
{
    int i = self == twins[0];
    calls++;
    event_watch_close(twins[i]);
    g_clear_pointer(&twins[i], g_free);
    event_loop_quit();
}

/* Both are ready in the same turn, and the first one that is called frees the other. */
static void closed_watch_is_not_called(void)
{
    int others[2];
    calls = 0;
    for (int i = 0; i < 2; i++) {
        struct event_watch watch = ready_pipe(free_twin, &others[i]);
        twins[i] = g_memdup2(&watch, sizeof watch);
        event_watch_set(twins[i], EPOLLIN);
    }
    event_loop_run();
    g_assert_cmpint(calls, ==, 1);
    for (int i = 0; i < 2; i++) {
        if (twins[i])
            event_watch_close(twins[i]);
        g_clear_pointer(&twins[i], g_free);
        close(others[i]);
    }
}

static void forget_twin(struct event_watch *self, uint32_t events)
{
    int i = self == twins[0];
    calls++;
    event_watch_set(twins[i], 0);
    event_loop_quit();
}

static void stopped_watch_is_not_called(void)
{
    int others[2];
    struct event_watch watches[2];
    calls = 0;
    for (int i = 0; i < 2; i++) {
        watches[i] = ready_pipe(forget_twin, &others[i]);
        twins[i] = &watches[i];
        event_watch_set(twins[i], EPOLLIN);
    }
    event_loop_run();
    g_assert_cmpint(calls, ==, 1);
    for (int i = 0; i < 2; i++) {
        event_watch_close(twins[i]);
        twins[i] = NULL;
        close(others[i]);
    }
}

static void always_ready_files_are_refused(void)
{
    struct event_watch watch = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
    g_assert_cmpint(event_watch_set(&watch, EPOLLIN), ==, -1);
    g_assert_cmpint(errno, ==, EPERM);
    event_watch_close(&watch);
}

static GString *order;

static void note(struct event_timer *self)
{
    g_string_append(order, self->owner);
}

static void note_and_quit(struct event_timer *self)
{
    note(self);
    event_loop_quit();
}

static void timers_expire_in_order(void)
{
    struct event_timer first = {.expired = note, .owner = "1"},
                       second = {.expired = note, .owner = "2"},
                       stopped = {.expired = note, .owner = "-"},
                       last = {.expired = note_and_quit, .owner = "3"};
    order = g_string_new(NULL);
    int64_t start = clock_ms();
    /* Apart by more than another program may take between two of these. */
    event_timer_set(&last, 400);
    event_timer_set(&stopped, 5);
    event_timer_set(&second, 200);
    event_timer_set(&first, 1000);
    event_timer_set(&first, 10); /* in place of the time before */
    event_timer_stop(&stopped);
    event_timer_stop(&stopped);
    event_loop_run();
    g_assert_cmpstr(order->str, ==, "123");
    g_assert_cmpint(clock_ms() - start, >=, 400);
    g_assert_cmpint(first.due, ==, 0);
    g_string_free(order, TRUE);
}

static void set_again(struct event_timer *self)
{
    event_timer_set(self, 0);
}

/* A timer that sets itself again must not keep descriptors from being served. */
static void timer_does_not_starve_watches(void)
{
    int other;
    struct event_watch watch = ready_pipe(count_and_quit, &other);
    struct event_timer timer = {.expired = set_again};
    event_timer_set(&timer, 0);
    event_watch_set(&watch, EPOLLIN);
    event_loop_run();
    event_timer_stop(&timer);
    event_watch_close(&watch);
    close(other);
}

static int count_turns(int64_t now)
{
    g_assert_cmpint(clock_ms() - now, <, 30000);
    if (++calls == 3)
        event_loop_quit();
    return 10;
}

static void prepare_is_called_before_each_wait(void)
{
    int64_t start = clock_ms();
    calls = 0;
    event_loop_prepare(count_turns);
    event_loop_run();
    event_loop_prepare(NULL);
    g_assert_cmpint(calls, ==, 3);
    g_assert_cmpint(clock_ms() - start, >=, 20);
}

static void child_begins_without_its_parents_watches(void)
{
    int other, status;
    struct event_watch watch = ready_pipe(count_and_quit, &other);
    struct event_timer late = {.expired = note};
    event_watch_set(&watch, EPOLLIN);
    event_timer_set(&late, 1);
    pid_t pid = fork();
    if (pid == 0) {
        struct event_watch own = ready_pipe(count_and_quit, &other);
        event_loop_reset();
        calls = 0;
        event_watch_set(&own, EPOLLIN);
        event_loop_run();
        _exit(calls == 1 ? 0 : 1);
    }
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    event_timer_stop(&late);
    event_watch_close(&watch);
    close(other);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/event-loop/watch", watch_is_called);
    g_test_add_func("/event-loop/quit-before-run", quit_before_run_holds);
    g_test_add_func("/event-loop/closed-watch", closed_watch_is_not_called);
    g_test_add_func("/event-loop/stopped-watch", stopped_watch_is_not_called);
    g_test_add_func("/event-loop/always-ready-files", always_ready_files_are_refused);
    g_test_add_func("/event-loop/timers", timers_expire_in_order);
    g_test_add_func("/event-loop/no-starvation", timer_does_not_starve_watches);
    g_test_add_func("/event-loop/prepare", prepare_is_called_before_each_wait);
    g_test_add_func("/event-loop/reset", child_begins_without_its_parents_watches);
    return g_test_run();
}
