#include "proto/session_notice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/paths.h"
#include "net/unix_socket.h"
#include "proto/agent_control.h"
#include "proto/peer_process.h"

/* Sessions that one notice reaches. */
#define SESSIONS_MAX 64

char *notice_name(int terminal, int client)
{
    return g_strdup_printf("%d.%d", terminal, client);
}

/* Reads the number at the start of *NAME, and moves *NAME behind it. */
static gboolean read_number(const char **name, int least, int *number)
{
    char *end;
    errno = 0;
    long value = strtol(*name, &end, 10);
    if (errno || end == *name || value < least || value > G_MAXINT32)
        return FALSE;
    *number = (int)value;
    *name = end;
    return TRUE;
}

gboolean notice_name_parse(const char *name, int *terminal)
{
    int client;
    return read_number(&name, NOTICE_NO_TERMINAL, terminal) && *name++ == '.' &&
           read_number(&name, 1, &client) && !*name;
}

typedef struct {
    char *name;
    int terminal;
} listener;

static void listener_free(gpointer data)
{
    listener *self = data;
    g_free(self->name);
    g_free(self);
}

static GPtrArray *find_listeners(const char *folder)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(listener_free);
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));) {
        int terminal;
        if (!notice_name_parse(name, &terminal))
            continue;
        listener *one = g_new0(listener, 1);
        *one = (listener){g_strdup(name), terminal};
        g_ptr_array_add(list, one);
    }
    return list;
}

/* FALSE: nobody listens there. A client that was killed has left its socket. */
static gboolean send_to(const char *folder, const char *name, const char *text)
{
    int fd = unix_socket_connect_in(folder, name, SOCK_DGRAM | SOCK_NONBLOCK);
    if (fd < 0 && errno == ECONNREFUSED) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        unlink(path);
    }
    gboolean sent = fd >= 0 && send(fd, text, MIN(strlen(text), NOTICE_MAX), MSG_NOSIGNAL) > 0;
    if (fd >= 0)
        close(fd);
    return sent;
}

/* Sends to those of LIST with TERMINAL, or to all. FALSE: nobody was there. */
static gboolean send_to_some(const char *folder, const GPtrArray *list, gboolean all, int terminal,
                             const char *text)
{
    guint sent = 0;
    for (guint i = 0; i < list->len && sent < SESSIONS_MAX; i++) {
        const listener *one = list->pdata[i];
        if (all || one->terminal == terminal)
            sent += send_to(folder, one->name, text);
    }
    return sent > 0;
}

static char *folder_of(const char *box)
{
    g_autofree char *where = g_build_filename(AGENT_FOLDER, NOTICE_FOLDER, box, NULL);
    return paths_runtime(where, NULL);
}

gboolean notice_send(const char *box, pid_t asker, const char *text)
{
    g_autofree char *folder = folder_of(box);
    g_autoptr(GPtrArray) list = folder ? find_listeners(folder) : NULL;
    int terminal = asker > 0 ? peer_process_terminal(asker) : NOTICE_NO_TERMINAL;
    /* In the box's tmux, say, it is on a terminal that no client has. */
    return list && (send_to_some(folder, list, FALSE, terminal, text) ||
                    send_to_some(folder, list, FALSE, NOTICE_NO_TERMINAL, text) ||
                    send_to_some(folder, list, TRUE, 0, text));
}

gboolean notice_send_to_all(const char *box, const char *text)
{
    g_autofree char *folder = folder_of(box);
    g_autoptr(GPtrArray) list = folder ? find_listeners(folder) : NULL;
    return list && send_to_some(folder, list, TRUE, NOTICE_NO_TERMINAL, text);
}
