#include "box/inspect/sockets.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"

/* Bytes of a table in which a connection is looked for: several thousand sockets. */
#define SEARCHED_MAX (1u << 20)
/* Descriptors that are searched for the owners of sockets; the rest stay unknown. */
#define DESCRIPTORS_MAX 65536
/* Bytes of a table in which listeners are looked for: they come before all other sockets in it. */
#define TABLE_MAX (256u << 10)
/* Bytes of a program's name, in /proc and as it is shown. */
#define COMM_MAX 64
#define PROGRAM_MAX 32

/* "  0: ADDRESS:PORT ADDRESS:PORT STATE QUEUES TIMER RETRIES UID TIMEOUT INODE …"; the kernel
 * prints each word of an address as a number in the machine's byte order. */
gboolean socket_line_parse(const char *line, gboolean v6, socket_line *found)
{
    guint32 *words = found->words;
    int at = 0;
    *found = (socket_line){0};
    if (v6 ? sscanf(line, " %*d: %8x%8x%8x%8x:%4x %*32[0-9A-F]:%4x %2x %n", &words[0], &words[1],
                    &words[2], &words[3], &found->port, &found->remote_port, &found->state,
                    &at) != 7
           : sscanf(line, " %*d: %8x:%4x %*8x:%4x %2x %n", &words[0], &found->port,
                    &found->remote_port, &found->state, &at) != 4)
        return FALSE;
    return at && sscanf(line + at, "%*8x:%*8x %*2x:%*8x %*8x %*u %*d %" G_GUINT64_FORMAT,
                        &found->inode) == 1;
}

char *socket_table_read(pid_t init, gboolean v6, gsize max)
{
    char path[64];
    g_snprintf(path, sizeof path, "/proc/%d/net/%s", (int)init, v6 ? "tcp6" : "tcp");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    g_autofree char *text = g_malloc(max + 1);
    gsize have = 0;
    for (gssize n; have < max && (n = read(fd, text + have, max - have)) > 0;)
        have += (gsize)n;
    close(fd);
    text[have] = '\0';
    return g_steal_pointer(&text);
}

gboolean process_namespace(const char *process, const char *name, ino_t *result)
{
    g_autofree char *path = g_build_filename("/proc", process, "ns", name, NULL);
    struct stat st;
    if (stat(path, &st) < 0)
        return FALSE;
    *result = st.st_ino;
    return TRUE;
}

static void search_process(const char *process, const guint64 *inodes, pid_t *owners, gsize count,
                           guint *left)
{
    g_autofree char *path = g_build_filename("/proc", process, "fd", NULL);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && *left > 0 && (entry = readdir(folder)); --*left) {
        char link[64];
        guint64 inode;
        gssize n = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);
        if (n <= 0)
            continue;
        link[n] = '\0';
        if (sscanf(link, "socket:[%" G_GUINT64_FORMAT "]", &inode) != 1)
            continue;
        for (gsize i = 0; i < count; i++)
            if (inodes[i] == inode && !owners[i])
                owners[i] = (pid_t)g_ascii_strtoll(process, NULL, 10);
    }
    if (folder)
        closedir(folder);
}

void socket_owners_find(pid_t init, const guint64 *inodes, pid_t *owners, gsize count)
{
    ino_t wanted, current;
    guint left = DESCRIPTORS_MAX;
    g_autofree char *first = g_strdup_printf("%d", (int)init);
    memset(owners, 0, count * sizeof *owners);
    if (count == 0 || !process_namespace(first, "pid", &wanted) ||
        !process_namespace("self", "pid", &current))
        return;
    /* The steps of a build have PIDs of their own, and the one that holds their network has not. */
    const char *which = wanted == current ? "net" : "pid";
    if (!process_namespace(first, which, &wanted))
        return;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && left > 0 && (entry = readdir(folder));)
        if (g_ascii_isdigit(entry->d_name[0]) &&
            process_namespace(entry->d_name, which, &current) && current == wanted)
            search_process(entry->d_name, inodes, owners, count, &left);
    if (folder)
        closedir(folder);
}

/* A program may use an IPv6 socket for an IPv4 address (RFC 4291, 2.5.5.2). */
static gboolean is_from(const socket_line *line, gboolean v6, guint32 address)
{
    const guint32 *words = line->words;
    if (!v6)
        return words[0] == htonl(address);
    return !words[0] && !words[1] && words[2] == htonl(0xffff) && words[3] == htonl(address);
}

static guint64 find_inode(const char *table, gboolean v6, guint32 address, guint port,
                          guint remote_port)
{
    while (*table) {
        gsize length = strcspn(table, "\n");
        g_autofree char *text = g_strndup(table, length);
        socket_line line;
        if (socket_line_parse(text, v6, &line) && line.inode && line.state != SOCKET_LISTEN &&
            line.port == port && line.remote_port == remote_port && is_from(&line, v6, address))
            return line.inode;
        table += length + (table[length] == '\n');
    }
    return 0;
}

pid_t socket_owner(pid_t init, guint32 address, guint16 port, guint16 remote_port)
{
    guint64 inode = 0;
    pid_t owner = 0;
    for (int v6 = 0; !inode && v6 < 2; v6++) {
        g_autofree char *table = socket_table_read(init, v6 == 1, SEARCHED_MAX);
        inode = table ? find_inode(table, v6 == 1, address, port, remote_port) : 0;
    }
    if (inode)
        socket_owners_find(init, &inode, &owner, 1);
    return owner;
}

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
