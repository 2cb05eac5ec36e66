/* Clients of a listener: their number, their time, and a process without descriptors. */
#include <glib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/event_clients.h"
#include "net/unix_socket.h"

#define MOST 2

static const char *path;
static int ended, turns;

static void end_when_read(struct event_watch *watch, uint32_t events)
{
    event_client_end(watch->owner);
}

static void count_end(struct event_client *client)
{
    ended++;
}

static int count_turn(int64_t now)
{
    turns++;
    return -1;
}

static void quit(struct event_timer *timer)
{
    event_loop_quit();
}

static void run_for(int ms)
{
    struct event_timer end = {.expired = quit};
    event_timer_set(&end, ms);
    event_loop_run();
}

static int dial(void)
{
    int fd = unix_socket_connect(path, SOCK_STREAM);
    g_assert_cmpint(fd, >=, 0);
    return fd;
}

static void start(struct event_clients *self)
{
    int fd = unix_socket_listen(path, SOCK_STREAM | SOCK_NONBLOCK, 0600, 8);
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(event_clients_start(self, fd), ==, 0);
    ended = 0;
}

static void one_more_waits(void)
{
    struct event_clients self = {.size = sizeof(struct event_client),
                                 .most = MOST,
                                 .ms = 60000,
                                 .ready = end_when_read,
                                 .ended = count_end};
    int client[MOST + 1];
    start(&self);
    for (int i = 0; i <= MOST; i++)
        client[i] = dial();
    g_assert_cmpint(write(client[MOST], "x", 1), ==, 1);
    run_for(20);
    g_assert_cmpint(self.count, ==, MOST);
    g_assert_cmpint(ended, ==, 0);
    close(client[0]);
    run_for(20);
    g_assert_cmpint(ended, ==, 2); /* the one that has gone, and the one that waited */
    close(client[1]);
    run_for(20);
    g_assert_cmpint(self.count, ==, 0);
    close(client[2]);
    event_watch_close(&self.listener);
}

static void silent_ones_are_ended(void)
{
    struct event_clients self = {.size = sizeof(struct event_client),
                                 .most = MOST,
                                 .ms = 10,
                                 .ready = end_when_read,
                                 .ended = count_end};
    start(&self);
    int client = dial();
    run_for(100);
    g_assert_cmpint(ended, ==, 1);
    close(client);
    event_watch_close(&self.listener);
}

/* Without a pause the loop would turn as fast as it can. */
static void no_descriptor_is_no_loop(void)
{
    struct event_clients self = {.size = sizeof(struct event_client),
                                 .most = MOST,
                                 .ms = 60000,
                                 .ready = end_when_read,
                                 .ended = count_end};
    struct rlimit limit, none;
    start(&self);
    int client = dial(), next = dup(client);
    close(next);
    getrlimit(RLIMIT_NOFILE, &limit);
    none = (struct rlimit){(rlim_t)next, limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    event_loop_prepare(count_turn);
    run_for(250);
    g_assert_cmpint(self.count, ==, 0);
    g_assert_cmpint(turns, <, 20);
    setrlimit(RLIMIT_NOFILE, &limit);
    run_for(250);
    g_assert_cmpint(self.count, ==, 1);
    close(client);
    run_for(20);
    g_assert_cmpint(ended, ==, 1);
    event_watch_close(&self.listener);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *folder = g_dir_make_tmp("clients-XXXXXX", NULL);
    g_autofree char *socket = g_build_filename(folder, "socket", NULL);
    path = socket;
    g_test_add_func("/event_clients/number", one_more_waits);
    g_test_add_func("/event_clients/time", silent_ones_are_ended);
    g_test_add_func("/event_clients/descriptors", no_descriptor_is_no_loop);
    int status = g_test_run();
    unlink(socket);
    rmdir(folder);
    return status;
}
