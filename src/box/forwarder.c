#include "box/helpers/forwarder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/background.h"
#include "common/paths.h"
#include "proto/port_list.h"
#include "session/client.h"

/* It opens and closes a few sockets before it answers. */
#define ANSWER_MS 2000
#define ANSWER_MAX (PORT_FORWARDS_MAX * 128)
/* One that is ending has to be gone before another can be there. */
#define PATIENCE_MS 5000
#define PAUSE_MS 10

static gboolean start(const box *self, int patience, GError **error)
{
    const char *arguments[] = {self->runtime, NULL};
    g_autofree char *program = paths_libexec("litterbox-port");
    g_autofree char *messages = g_build_filename(self->runtime, "port.err", NULL);
    background wanted = {program, arguments, -1, messages, patience, FALSE};
    return background_start(&wanted, NULL, error);
}

/* All that it says until it hangs up; NULL when it does not in time. */
static char *read_answer(int fd)
{
    g_autoptr(GString) text = g_string_new(NULL);
    char bytes[1024];
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    while (text->len < ANSWER_MAX && poll(&wait, 1, ANSWER_MS) == 1) {
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

/* Lines "IP:HOST:BOX ERRNO", and "end PID". NULL unless it is whole, and the PID 1 lives for which
 * the forwarder works: else it is about to end. */
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

/* One that hangs, or is left from the box's last run, makes room. One that ends has hung up. */
static GHashTable *ask(int fd)
{
    g_autofree char *answer = read_answer(fd);
    GHashTable *states = answer ? parse_answer(answer) : NULL;
    pid_t its = client_peer(fd);
    if (!states && its > 0 && (!answer || strstr(answer, "end ")))
        kill(its, SIGKILL);
    return states;
}

static gboolean is_needed(const box *self)
{
    g_autofree char *path = g_build_filename(self->runtime, PORT_LIST, NULL);
    return access(path, F_OK) == 0;
}

GHashTable *forwarder_sync(const box *self, GError **error)
{
    gint64 end = g_get_monotonic_time() + PATIENCE_MS * 1000;
    do {
        int fd = client_connect(self->runtime, PORT_SOCKET, SOCK_NONBLOCK);
        GHashTable *states = fd >= 0 ? ask(fd) : NULL;
        if (fd >= 0)
            close(fd);
        if (states)
            return states;
        if (fd < 0 && !is_needed(self))
            return g_hash_table_new(g_str_hash, g_str_equal);
        if (fd < 0 && !start(self, PATIENCE_MS, error))
            return NULL;
        g_usleep(PAUSE_MS * 1000);
    } while (g_get_monotonic_time() < end);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the program that forwards ports does not start; '%s/port.err' may say why",
                self->runtime);
    return NULL;
}

/* To be connected to is all that it waits for. */
static gboolean tell(const box *self)
{
    int fd = client_connect(self->runtime, PORT_SOCKET, SOCK_NONBLOCK);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

void forwarder_tell(const box *self)
{
    tell(self);
}

void forwarder_wake(const box *self)
{
    if (is_needed(self) && !tell(self))
        start(self, 0, NULL);
}
