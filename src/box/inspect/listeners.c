#include "box/inspect/listeners.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <string.h>

#include "box/inspect/socket_table.h"
#include "common/fs.h"
#include "common/text.h"

/* Bytes of the kernel's table that are read. Listeners come before all other sockets in it. */
#define TABLE_MAX (256u << 10)
/* Bytes of a program's name, in /proc and as it is shown. */
#define COMM_MAX 64
#define PROGRAM_MAX 32

static void listener_free(gpointer data)
{
    listener *self = data;
    g_free(self->program);
    g_free(self);
}

/* WORDS are the 32-bit words of an address, which the kernel prints in the machine's byte order. */
static gboolean is_reachable(const guint32 words[4], gboolean v6)
{
    guint32 loopback = htonl(INADDR_LOOPBACK);
    if (!v6)
        return words[0] == 0 || words[0] == loopback;
    if (words[0] || words[1])
        return FALSE;
    return words[2] ? words[2] == htonl(0xffff) && (words[3] == loopback || !words[3])
                    : !words[3] || words[3] == htonl(1);
}

static gboolean parse_line(const char *line, gboolean v6, listener *found)
{
    socket_line parsed;
    if (!socket_line_parse(line, v6, &parsed))
        return FALSE;
    *found = (listener){.port = (guint16)parsed.port, .inode = parsed.inode};
    return parsed.state == SOCKET_LISTEN && parsed.port > 0 && is_reachable(parsed.words, v6);
}

static gboolean has_port(const GPtrArray *list, guint16 port)
{
    for (guint i = 0; i < list->len; i++) {
        if (((const listener *)list->pdata[i])->port == port)
            return TRUE;
    }
    return FALSE;
}

void listeners_parse(const char *text, gboolean v6, GPtrArray *list)
{
    listener found;
    while (*text && list->len < LISTENERS_MAX) {
        gsize length = strcspn(text, "\n");
        g_autofree char *line = g_strndup(text, length);
        if (parse_line(line, v6, &found) && !has_port(list, found.port))
            g_ptr_array_add(list, g_memdup2(&found, sizeof found));
        text += length + (text[length] == '\n');
    }
}

static void set_program(listener *self, pid_t owner)
{
    char path[64];
    g_autofree char *name = NULL;
    g_snprintf(path, sizeof path, "/proc/%d/comm", (int)owner);
    self->pid = owner;
    if (fs_read(AT_FDCWD, path, COMM_MAX, &name, NULL, NULL))
        self->program = text_safe_max(name, (gssize)strcspn(name, "\n"), PROGRAM_MAX);
}

static void find_programs(pid_t init, GPtrArray *list)
{
    g_autofree guint64 *inodes = g_new0(guint64, list->len + 1);
    g_autofree pid_t *owners = g_new0(pid_t, list->len + 1);
    for (guint i = 0; i < list->len; i++)
        inodes[i] = ((const listener *)list->pdata[i])->inode;
    socket_owners_find(init, inodes, owners, list->len);
    for (guint i = 0; i < list->len; i++)
        if (owners[i])
            set_program(list->pdata[i], owners[i]);
}

static gint compare(gconstpointer a, gconstpointer b)
{
    return (*(listener *const *)a)->port - (*(listener *const *)b)->port;
}

GPtrArray *listeners_find(pid_t init)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(listener_free);
    for (int v6 = 0; init > 0 && v6 < 2; v6++) {
        g_autofree char *text = socket_table_read(init, v6 == 1, TABLE_MAX);
        if (text)
            listeners_parse(text, v6 == 1, list);
    }
    find_programs(init, list);
    g_ptr_array_sort(list, compare);
    return list;
}

gboolean listeners_is_host_network(pid_t init)
{
    ino_t host, box;
    g_autofree char *process = g_strdup_printf("%d", (int)init);
    return process_namespace("self", "net", &host) && process_namespace(process, "net", &box) &&
           host == box;
}
