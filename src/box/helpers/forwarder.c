#include "box/helpers/forwarder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/helpers/start.h"
#include "console/log.h"
#include "net/unix_socket.h"
#include "proto/port_mapping.h"
#include "proto/session.h"

/* The forwarder opens and closes a few sockets before it answers. */
#define ANSWER_MS 2000
#define PORT_ANSWER_MAX (PORT_FORWARDS_MAX * 128)
/* For a start, and for all attempts of one request. */
#define TIMEOUT_MS 5000
#define POLL_INTERVAL_MS 10

static const struct helper forwarder = {
    .name = PORT_HELPER, .program = "litterbox-port", .timeout_ms = TIMEOUT_MS};

/* PID: the box's PID 1. A forwarder that ends because it has nothing to do is success. */
static gboolean start(const struct box *self, pid_t pid, GError **error)
{
    g_autofree char *run = g_strdup_printf("%d", (int)pid);
    const char *arguments[] = {self->runtime, run, NULL};
    struct helper_request request = {self->runtime, pid, arguments};
    return box_helper_start(&forwarder, &request, NULL, error) != HELPER_NOT_READY;
}

/* The box's PID 1 (SO_PEERCRED of its control socket); 0 with ERROR when it is not running. */
static pid_t find_box(const struct box *self, GError **error)
{
    g_autofree char *control = g_build_filename(self->runtime, "ctl", NULL);
    int fd = unix_socket_connect_in(control, SESSION_SOCKET, SOCK_STREAM | SOCK_NONBLOCK);
    pid_t pid = fd >= 0 ? unix_socket_peer_pid(fd) : 0;
    if (fd >= 0)
        close(fd);
    if (pid <= 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "box '%s' is not running", self->name);
    return pid;
}

static gboolean start_for_box(const struct box *self, GError **error)
{
    pid_t pid = find_box(self, error);
    return pid > 0 && start(self, pid, error);
}

/* Everything that the forwarder sends until it closes FD; NULL after a timeout. */
static char *read_port_answer(int fd)
{
    g_autoptr(GString) text = g_string_new(NULL);
    char bytes[1024];
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    while (text->len < PORT_ANSWER_MAX && poll(&wait, 1, ANSWER_MS) == 1) {
        gssize n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n <= 0)
            return g_string_free(g_steal_pointer(&text), FALSE);
        g_string_append_len(text, bytes, n);
    }
    return NULL;
}

static gboolean is_alive(pid_t pid)
{
    return pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH);
}

/* Parses lines "IP:HOST:BOX ERRNO", then "end PID". NULL when ANSWER is cut off, or when PID, the
 * PID 1 that the forwarder serves, has ended, because then the forwarder ends too. */
static GHashTable *parse_answer(const char *answer)
{
    g_autoptr(GHashTable) states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(GStrv) lines = g_strsplit(answer, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *space = strchr(*line, ' ');
        if (!space)
            continue;
        *space = '\0';
        int value = atoi(space + 1);
        if (strcmp(*line, "end") == 0)
            return is_alive(value) ? g_steal_pointer(&states) : NULL;
        g_hash_table_insert(states, g_strdup(*line), GINT_TO_POINTER(value));
    }
    return NULL;
}

/* Kills a forwarder that hangs or that serves an earlier run of the box. One that is ending has
 * closed the connection. */
static GHashTable *read_states(int fd)
{
    g_autofree char *answer = read_port_answer(fd);
    GHashTable *states = answer ? parse_answer(answer) : NULL;
    pid_t peer = unix_socket_peer_pid(fd);
    if (!states && peer > 0 && (!answer || strstr(answer, "end ")))
        kill(peer, SIGKILL);
    return states;
}

static gboolean is_needed(const struct box *self)
{
    g_autofree char *path = g_build_filename(self->runtime, PORT_LIST, NULL);
    return access(path, F_OK) == 0;
}

GHashTable *forwarder_sync(const struct box *self, GError **error)
{
    gint64 end = g_get_monotonic_time() + TIMEOUT_MS * 1000;
    do {
        int fd = unix_socket_connect_in(self->runtime, PORT_SOCKET, SOCK_STREAM | SOCK_NONBLOCK);
        GHashTable *states = fd >= 0 ? read_states(fd) : NULL;
        if (fd >= 0)
            close(fd);
        if (states)
            return states;
        if (fd < 0 && !is_needed(self))
            return g_hash_table_new(g_str_hash, g_str_equal);
        if (fd < 0 && !start_for_box(self, error))
            return NULL;
        g_usleep(POLL_INTERVAL_MS * 1000);
    } while (g_get_monotonic_time() < end);
    g_autofree char *log = helper_log_path(&forwarder, self->runtime);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the port forwarder does not answer; see its log '%s'", log);
    return NULL;
}

/* The forwarder reads its list whenever a client connects. */
void forwarder_notify(const struct box *self)
{
    int fd = unix_socket_connect_in(self->runtime, PORT_SOCKET, SOCK_STREAM | SOCK_NONBLOCK);
    if (fd >= 0)
        close(fd);
}

void forwarder_ensure_running(const struct box *self, pid_t pid)
{
    g_autoptr(GError) problem = NULL;
    if (is_needed(self) && !helper_is_supervised(&forwarder, self->runtime, pid) &&
        !start(self, pid, &problem))
        log_warning("%s; the ports of box '%s' are not forwarded", problem->message, self->name);
}
