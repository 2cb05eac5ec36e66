/* The X11 supervisor with the relay of x11 = "host": real processes, and a socket of this test in
 * place of the host's X server. */
#include "host/bridge/x11/x11.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/bridge/clipboard/clipboard.h"
#include "host/bridge/core/bridge.h"
#include "host/bridge/core/x_display.h"
#include "net/unix_socket.h"

#define TIMEOUT_MS 60000
/* Less than the supervisor waits after a failure. */
#define SOON_MS 800

static char *folder, *host_path, *display_path;
static int host, supervisor;

int host_display_socket(char *path, size_t size)
{
    g_strlcpy(path, host_path, size);
    return 0;
}

/* No X server is installed. */
const struct x11_server *x11_server_find(int has_wayland, char *path, size_t size)
{
    return NULL;
}

pid_t x11_server_start(const struct x11_server *self, const char *path, int listener,
                       const unsigned char *cookie)
{
    return -1;
}

pid_t clipboard_start(const struct clipboard *wanted)
{
    return -1;
}

static void make_folder(const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
}

static void begin(int is_host)
{
    folder = g_dir_make_tmp("x11-supervisor-XXXXXX", NULL);
    make_folder("host");
    make_folder("box");
    host_path = g_build_filename(folder, "host", "H", NULL);
    display_path = g_build_filename(folder, "box", "X0", NULL);
    bridge.path = folder;
    bridge.runtime = open(folder, O_PATH | O_CLOEXEC);
    host = bridge_listen("host/H", SOCK_STREAM);
    struct x11_display display = {.is_host = is_host,
                                  .listener = bridge_listen("box/X0", SOCK_STREAM)};
    g_assert_true(host >= 0 && display.listener >= 0);
    supervisor = x11_supervisor_start(&display);
    g_assert_cmpint(supervisor, >=, 0);
    close(display.listener);
}

static gboolean is_ready(int fd, int timeout)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    return poll(&wait, 1, timeout) == 1;
}

static void end(void)
{
    siginfo_t how;
    syscall(SYS_pidfd_send_signal, supervisor, SIGKILL, NULL, 0);
    g_assert_true(is_ready(supervisor, TIMEOUT_MS));
    g_assert_cmpint(waitid(P_PIDFD, (id_t)supervisor, &how, WEXITED), ==, 0);
    g_assert_cmpint(how.si_status, ==, SIGKILL);
    close(supervisor);
    close(host);
    close(bridge.runtime);
    for (const char *const *each =
             (const char *const[]){"host/H", "box/X0", "host", "box", "", NULL};
         *each; each++) {
        g_autofree char *path = g_build_filename(folder, *each, NULL);
        g_assert_cmpint(g_remove(path), ==, 0);
    }
    g_clear_pointer(&folder, g_free);
    g_clear_pointer(&host_path, g_free);
    g_clear_pointer(&display_path, g_free);
}

static void assert_says(int from, int to, const char *text)
{
    char heard[16] = "";
    g_assert_cmpint(write(from, text, strlen(text)), ==, (gssize)strlen(text));
    g_assert_true(is_ready(to, TIMEOUT_MS));
    g_assert_cmpint(read(to, heard, sizeof heard - 1), ==, (gssize)strlen(text));
    g_assert_cmpstr(heard, ==, text);
}

static void assert_ended(int fd)
{
    char byte;
    g_assert_true(is_ready(fd, TIMEOUT_MS));
    g_assert_cmpint(read(fd, &byte, 1), <=, 0);
    close(fd);
}

static void connect_both(int *client, int *server)
{
    *client = unix_socket_connect(display_path, SOCK_STREAM);
    g_assert_cmpint(*client, >=, 0);
    g_assert_true(is_ready(host, TIMEOUT_MS));
    *server = accept4(host, NULL, NULL, SOCK_CLOEXEC);
    g_assert_cmpint(*server, >=, 0);
}

static void test_relay(void)
{
    int client, server;
    gboolean soon = FALSE;
    begin(TRUE);
    connect_both(&client, &server);
    assert_says(client, server, "ping");
    assert_says(server, client, "pong");
    close(client);
    assert_ended(server);
    /* A relay that has served its clients has not failed: the next starts without a pause. More
     * than once, where the machine has much else to do. */
    for (int i = 0; i < 20 && !soon; i++) {
        gint64 begun = g_get_monotonic_time();
        connect_both(&client, &server);
        soon = g_get_monotonic_time() - begun < SOON_MS * 1000;
        assert_says(client, server, "again");
        close(client);
        assert_ended(server);
    }
    g_assert_true(soon);
    connect_both(&client, &server);
    assert_says(client, server, "once more");
    close(server);
    assert_ended(client);
    end();
}

static void test_killed(void)
{
    int client, server;
    begin(TRUE);
    connect_both(&client, &server);
    syscall(SYS_pidfd_send_signal, supervisor, SIGKILL, NULL, 0);
    g_assert_true(is_ready(supervisor, TIMEOUT_MS));
    /* The relay ends with the supervisor, and nobody listens any more. */
    assert_ended(client);
    assert_ended(server);
    int again = -1;
    for (int waited = 0; (again = unix_socket_connect(display_path, SOCK_STREAM)) >= 0;
         waited += 10) {
        g_assert_cmpint(waited, <, TIMEOUT_MS);
        close(again);
        g_usleep(10000);
    }
    g_assert_cmpint(errno, ==, ECONNREFUSED);
    end();
}

static void test_rejects_clients(void)
{
    begin(FALSE);
    for (int i = 0; i < 2; i++) {
        int client = unix_socket_connect(display_path, SOCK_STREAM);
        g_assert_cmpint(client, >=, 0);
        assert_ended(client);
    }
    g_assert_false(is_ready(supervisor, 0));
    g_assert_false(is_ready(host, 0));
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/x11-supervisor/relays to the host's X server", test_relay);
    g_test_add_func("/x11-supervisor/its relay ends with it", test_killed);
    g_test_add_func("/x11-supervisor/rejects clients without an X server", test_rejects_clients);
    return g_test_run();
}
