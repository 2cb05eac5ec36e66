#include "box/inspect/usage.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/fs.h"

#define CGROUPS "/sys/fs/cgroup"
#define FILE_MAX (1 << 16)
/* Limits the memory that a fork bomb in a box can make this program use. */
#define PROCESSES_MAX 100000

static char *read_from(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);

    return fs_read_text(path, FILE_MAX);
}

char *box_usage_cgroup_path(const char *text, const char *container)
{
    g_autofree char *path = cgroup_parse_path(text);
    const char *found;

    if (!path || !*container)
        return NULL;
    /* "/..": the cgroup is outside of this process's cgroup namespace. */
    found = strstr(path, container);
    if (!found || strstr(path, "/.."))
        return NULL;
    return g_strndup(path, (gsize)(found - path) + strcspn(found, "/"));
}

/* The number that a file contains; -1 for "max" and for a missing file. */
static gint64 read_number(const char *folder, const char *name)
{
    g_autofree char *text = read_from(folder, name);

    return text && g_ascii_isdigit(*text) ? g_ascii_strtoll(text, NULL, 10) : -1;
}

/* The number after "KEY " at the start of a line, or -1. */
static gint64 read_key(const char *folder, const char *name, const char *key)
{
    g_autofree char *text = read_from(folder, name);
    gsize length = strlen(key);

    for (char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, key, length) == 0 && line[length] == ' ')
            return g_ascii_strtoll(line + length, NULL, 10);
    return -1;
}

/* FALSE when the cgroup lacks one of the controllers for memory, CPU and PIDs. */
static gboolean measure_cgroup(pid_t init, const char *container, box_usage *result)
{
    g_autofree char *process = g_strdup_printf("/proc/%d", (int)init);
    g_autofree char *text = read_from(process, "cgroup");
    g_autofree char *path = text ? box_usage_cgroup_path(text, container) : NULL;

    if (!path)
        return FALSE;
    g_autofree char *folder = g_build_filename(CGROUPS, path, NULL);
    gint64 memory = read_number(folder, "memory.current");
    gint64 cpu = read_key(folder, "cpu.stat", "usage_usec");
    gint64 pids = read_number(folder, "pids.current");
    gint64 cache = read_key(folder, "memory.stat", "inactive_file");
    if (memory < 0 || cpu < 0 || pids < 0)
        return FALSE;
    *result = (box_usage){
        .memory = memory - CLAMP(cache, 0, memory),
        .memory_limit = read_number(folder, "memory.max"),
        .pids = pids,
        .pids_limit = read_number(folder, "pids.max"),
        .cpu_us = (guint64)cpu,
        .by_cgroup = TRUE,
    };
    return TRUE;
}

GArray *box_usage_list_processes(void)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct proc_stat));
    DIR *folder = opendir("/proc");

    for (struct dirent *entry; folder && all->len < PROCESSES_MAX && (entry = readdir(folder));) {
        struct proc_stat one;
        if (g_ascii_isdigit(entry->d_name[0]) && proc_stat_read(&one, atoi(entry->d_name)) == 0)
            g_array_append_val(all, one);
    }
    if (folder)
        closedir(folder);
    return all;
}

guint64 box_usage_process_time(const struct proc_stat *one)
{
    guint64 children = one->children_ticks * G_USEC_PER_SEC / (guint64)sysconf(_SC_CLK_TCK);
    struct timespec time;
    clockid_t clock;
    /* /proc has it too, in ticks of a hundredth of a second. */
    if (clock_getcpuclockid(one->pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
        return children;
    return (guint64)time.tv_sec * G_USEC_PER_SEC + (guint64)time.tv_nsec / 1000 + children;
}

static void add_process(box_usage *sum, const struct proc_stat *one)
{
    sum->memory += (gint64)one->pages * sysconf(_SC_PAGESIZE);
    sum->pids += (gint64)one->threads;
    sum->cpu_us += box_usage_process_time(one);
}

GPtrArray *box_usage_descendants(const GArray *all, pid_t init)
{
    GPtrArray *list = g_ptr_array_new();
    g_autoptr(GHashTable) members = g_hash_table_new(g_int_hash, g_int_equal);
    for (gboolean grown = TRUE; grown;) {
        grown = FALSE;
        for (guint i = 0; i < all->len; i++) {
            struct proc_stat *one = &g_array_index(all, struct proc_stat, i);
            gboolean member = one->pid == init || g_hash_table_contains(members, &one->parent);
            if (!member || !g_hash_table_add(members, &one->pid))
                continue;
            g_ptr_array_add(list, one);
            grown = TRUE;
        }
    }
    return list;
}

static gboolean measure_processes(pid_t init, const GArray *all, box_usage *result)
{
    g_autoptr(GPtrArray) members = box_usage_descendants(all, init);
    *result = (box_usage){.memory_limit = -1, .pids_limit = -1};
    for (guint i = 0; i < members->len; i++)
        add_process(result, members->pdata[i]);
    return result->pids > 0;
}

gboolean box_usage_measure(pid_t init, const char *container, GArray **processes, box_usage *result)
{
    if (init <= 1)
        return FALSE;
    if (measure_cgroup(init, container, result))
        return TRUE;
    if (!*processes)
        *processes = box_usage_list_processes();
    return measure_processes(init, *processes, result);
}
