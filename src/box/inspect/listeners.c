#include "box/inspect/listeners.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"

/* Bytes of the kernel's table that are read. Listeners come before all other sockets in it. */
#define TABLE_MAX (256u << 10)
#define STATE_LISTEN 0x0a /* TCP_LISTEN of the kernel */
/* Descriptors that are searched for the listeners' programs; the rest stay unknown. */
#define DESCRIPTORS_MAX 65536
/* Bytes of a program's name. */
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

/* "  0: ADDRESS:PORT ADDRESS:PORT STATE QUEUES TIMER RETRIES UID TIMEOUT INODE …" */
static gboolean parse_line(const char *line, gboolean v6, listener *found)
{
    guint32 words[4] = {0};
    guint port, state;
    guint64 inode;
    int at = 0;
    if (v6 ? sscanf(line, " %*d: %8x%8x%8x%8x:%4x %*32[0-9A-F]:%*4x %2x %n", &words[0], &words[1],
                    &words[2], &words[3], &port, &state, &at) != 6
           : sscanf(line, " %*d: %8x:%4x %*8x:%*4x %2x %n", &words[0], &port, &state, &at) != 3)
        return FALSE;
    if (!at ||
        sscanf(line + at, "%*8x:%*8x %*2x:%*8x %*8x %*u %*d %" G_GUINT64_FORMAT, &inode) != 1)
        return FALSE;
    *found = (listener){.port = (guint16)port, .inode = inode};
    return state == STATE_LISTEN && port > 0 && port <= G_MAXUINT16 && is_reachable(words, v6);
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

/* At most MAX bytes of a file of /proc, whose size is not known before. */
static char *read_start(const char *path, gsize max)
{
    g_autofree char *text = g_malloc(max + 1);
    gsize have = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    for (gssize n; have < max && (n = read(fd, text + have, max - have)) > 0;)
        have += (gsize)n;
    close(fd);
    text[have] = '\0';
    return g_steal_pointer(&text);
}

static gboolean namespace_of(const char *process, const char *name, ino_t *result)
{
    g_autofree char *path = g_build_filename("/proc", process, "ns", name, NULL);
    struct stat st;
    if (stat(path, &st) < 0)
        return FALSE;
    *result = st.st_ino;
    return TRUE;
}

static void set_program(listener *self, const char *process)
{
    g_autofree char *path = g_build_filename("/proc", process, "comm", NULL);
    g_autofree char *name = read_start(path, 64);
    self->pid = (pid_t)g_ascii_strtoll(process, NULL, 10);
    if (name) {
        name[strcspn(name, "\n")] = '\0';
        self->program = text_safe_max(name, -1, PROGRAM_MAX);
    }
}

/* Sets the program of those in LIST that the process has open. */
static void search_process(const char *process, GPtrArray *list, guint *left)
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
        for (guint i = 0; i < list->len; i++) {
            listener *one = list->pdata[i];
            if (one->inode == inode && !one->pid)
                set_program(one, process);
        }
    }
    if (folder)
        closedir(folder);
}

static void find_programs(const char *init, GPtrArray *list)
{
    ino_t wanted, current;
    guint left = DESCRIPTORS_MAX;
    if (list->len == 0 || !namespace_of(init, "pid", &wanted))
        return;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && left > 0 && (entry = readdir(folder));) {
        if (g_ascii_isdigit(entry->d_name[0]) && namespace_of(entry->d_name, "pid", &current) &&
            current == wanted)
            search_process(entry->d_name, list, &left);
    }
    if (folder)
        closedir(folder);
}

static gint compare(gconstpointer a, gconstpointer b)
{
    return (*(listener *const *)a)->port - (*(listener *const *)b)->port;
}

GPtrArray *listeners_find(pid_t init)
{
    static const char *const tables[] = {"tcp", "tcp6"};
    GPtrArray *list = g_ptr_array_new_with_free_func(listener_free);
    g_autofree char *process = g_strdup_printf("%d", (int)init);
    for (int v6 = 0; init > 0 && v6 < 2; v6++) {
        g_autofree char *path = g_build_filename("/proc", process, "net", tables[v6], NULL);
        g_autofree char *text = read_start(path, TABLE_MAX);
        if (text)
            listeners_parse(text, v6 == 1, list);
    }
    find_programs(process, list);
    g_ptr_array_sort(list, compare);
    return list;
}

gboolean listeners_is_host_network(pid_t init)
{
    ino_t host, box;
    g_autofree char *process = g_strdup_printf("%d", (int)init);
    return namespace_of("self", "net", &host) && namespace_of(process, "net", &box) && host == box;
}
