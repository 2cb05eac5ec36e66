#include "box/inspect/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/inspect/usage.h"
#include "common/fs.h"
#include "common/text.h"

#define FILE_MAX (1 << 16)
/* Long enough for a figure that means something, short enough to wait for. */
#define SAMPLE_US 300000

static char *read_text(pid_t pid, const char *name)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/%s", (int)pid, name);
    return fs_read_text(path, FILE_MAX);
}

gint64 box_processes_map_uid(const char *text, guint32 uid)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        guint64 inside, outside, count;
        if (sscanf(*line, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &inside,
                   &outside, &count) == 3 &&
            uid >= outside && uid - outside < count)
            return (gint64)(inside + (uid - outside));
    }
    return -1;
}

/* What follows "\nKEY:" in TEXT. The kernel escapes line breaks in the name, the first line. */
static const char *find_line(const char *text, const char *key)
{
    g_autofree char *start = g_strdup_printf("\n%s:", key);
    const char *found = strstr(text, start);
    return found ? found + strlen(start) : NULL;
}

gboolean box_processes_parse_status(const char *text, guint level, guint32 *uid, pid_t *pid)
{
    const char *uids = find_line(text, "Uid"), *pids = find_line(text, "NSpid");
    if (!uids || !pids || sscanf(uids, "%*u %" G_GUINT32_FORMAT, uid) != 1)
        return FALSE;
    g_autofree char *line = g_strndup(pids, strcspn(pids, "\n"));
    g_auto(GStrv) numbers = g_strsplit(g_strstrip(line), "\t", -1);
    guint64 number;
    if (g_strv_length(numbers) <= level ||
        !g_ascii_string_to_unsigned(numbers[level], 10, 1, G_MAXINT, &number, NULL))
        return FALSE;
    *pid = (pid_t)number;
    return TRUE;
}

static void process_free(gpointer data)
{
    box_process *self = data;
    g_free(self->command);
    g_free(self);
}

static char *bracketed_name(pid_t pid)
{
    g_autofree char *name = read_text(pid, "comm");
    if (name)
        name[strcspn(name, "\n")] = '\0';
    g_autofree char *safe = text_safe(name ? name : "?", -1);
    return g_strdup_printf("[%s]", safe);
}

static box_process *process_new(const struct proc_stat *one, const char *uid_map)
{
    box_process *self = g_new0(box_process, 1);
    g_autofree char *status = read_text(one->pid, "status");
    guint32 uid;
    self->host_pid = one->pid;
    self->threads = one->threads;
    self->memory = (gint64)one->pages * sysconf(_SC_PAGESIZE);
    self->uid = -1;
    if (status && box_processes_parse_status(status, 1, &uid, &self->pid))
        self->uid = box_processes_map_uid(uid_map, uid);
    return self;
}

/* The CPU time of the processes of LIST by their pid. */
static GHashTable *index_times(const GPtrArray *list)
{
    GHashTable *index = g_hash_table_new_full(g_int_hash, g_int_equal, NULL, g_free);
    for (guint i = 0; i < list->len; i++) {
        struct proc_stat *one = list->pdata[i];
        guint64 time = box_usage_process_time(one);
        g_hash_table_insert(index, &one->pid, g_memdup2(&time, sizeof time));
    }
    return index;
}

/* Percent of one processor since the sample FIRST (NULL: none), which is ELAPSED_US ago. */
static double measure(const guint64 *first, const struct proc_stat *now, gint64 elapsed_us)
{
    guint64 time = box_usage_process_time(now);
    if (!first || time < *first || elapsed_us <= 0)
        return 0;
    return 100.0 * (double)(time - *first) / (double)elapsed_us;
}

static gint busiest_first(gconstpointer a, gconstpointer b)
{
    const box_process *one = *(box_process *const *)a, *other = *(box_process *const *)b;
    if (one->cpu != other->cpu)
        return one->cpu < other->cpu ? 1 : -1;
    return one->pid < other->pid ? -1 : one->pid > other->pid;
}

static void set_commands(GPtrArray *list)
{
    g_autofree pid_t *pids = g_new(pid_t, list->len + 1);
    for (guint i = 0; i < list->len; i++)
        pids[i] = ((box_process *)list->pdata[i])->host_pid;
    g_autoptr(GPtrArray) lines = command_lines_read("/proc", pids, list->len);
    for (guint i = 0; i < list->len; i++) {
        const char *line = lines->pdata[i];
        ((box_process *)list->pdata[i])->command = *line ? g_strdup(line) : bracketed_name(pids[i]);
    }
}

GPtrArray *box_processes_find(pid_t init)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(process_free);
    g_autofree char *uid_map = init > 1 ? read_text(init, "uid_map") : NULL;
    if (!uid_map)
        return list;
    gint64 begun = g_get_monotonic_time();
    g_autoptr(GArray) before = box_usage_list_processes();
    g_autoptr(GPtrArray) first = box_usage_descendants(before, init);
    g_autoptr(GHashTable) times = index_times(first);
    g_usleep(SAMPLE_US);
    gint64 elapsed = g_get_monotonic_time() - begun;
    g_autoptr(GArray) all = box_usage_list_processes();
    g_autoptr(GPtrArray) now = box_usage_descendants(all, init);
    for (guint i = 0; i < now->len; i++) {
        const struct proc_stat *one = now->pdata[i];
        box_process *self = process_new(one, uid_map);
        self->cpu = measure(g_hash_table_lookup(times, &one->pid), one, elapsed);
        g_ptr_array_add(list, self);
    }
    set_commands(list);
    g_ptr_array_sort(list, busiest_first);
    return list;
}

/* One that takes longer is left out. */
#define WAIT_MS 500
/* So many may; then the rest is left out. */
#define STUCK_MAX 4

static gsize read_one(const char *proc, pid_t pid, char *line)
{
    char path[256];
    gsize have = 0;
    g_snprintf(path, sizeof path, "%s/%d/cmdline", proc, (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    for (gssize n; fd >= 0 && have < COMMAND_LINE_MAX &&
                   (n = read(fd, line + have, COMMAND_LINE_MAX - have)) > 0;)
        have += (gsize)n;
    if (fd >= 0)
        close(fd);
    return have;
}

/* In the child: a length and so many bytes of each. */
static void read_all(const char *proc, const pid_t *pids, gsize count, int out)
{
    char line[COMMAND_LINE_MAX];
    for (gsize i = 0; i < count; i++) {
        gsize length = read_one(proc, pids[i], line);
        if (!fs_write_all(out, (const char *)&length, sizeof length) ||
            !fs_write_all(out, line, length))
            return;
    }
}

/* FALSE when nothing came in time, or the child has ended. */
static gboolean receive(int fd, char *data, gsize length)
{
    while (length) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, WAIT_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        gssize n = ready == 1 ? read(fd, data, length) : 0;
        if (n <= 0)
            return FALSE;
        data += n;
        length -= (gsize)n;
    }
    return TRUE;
}

static char *make_safe(char *line, gsize length)
{
    while (length && line[length - 1] == '\0')
        length--;
    for (gsize i = 0; i < length; i++)
        if (line[i] == '\0')
            line[i] = ' ';
    return text_safe(line, (gssize)length);
}

/* Adds lines to LIST until a process does not answer. */
static void read_some(const char *proc, const pid_t *pids, gsize count, GPtrArray *list)
{
    char line[COMMAND_LINE_MAX];
    gsize length;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        read_all(proc, pids, count, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    for (gsize i = 0; child > 0 && i < count; i++) {
        if (!receive(ends[0], (char *)&length, sizeof length) || length > sizeof line ||
            !receive(ends[0], line, length))
            break;
        g_ptr_array_add(list, make_safe(line, length));
    }
    close(ends[0]);
    /* It may not be able to end: it is not waited for, and init reaps it. */
    if (child > 0 && kill(child, SIGKILL) == 0)
        waitpid(child, NULL, WNOHANG);
}

GPtrArray *command_lines_read(const char *proc, const pid_t *pids, gsize count)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    for (int stuck = 0; list->len < count && stuck < STUCK_MAX; stuck++) {
        read_some(proc, pids + list->len, count - list->len, list);
        if (list->len < count)
            g_ptr_array_add(list, g_strdup(""));
    }
    while (list->len < count)
        g_ptr_array_add(list, g_strdup(""));
    return list;
}
