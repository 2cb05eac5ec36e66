#include "box/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

#define CGROUPS "/sys/fs/cgroup"
#define FILE_MAX (1 << 16)
/* Nobody's box has more; a fork bomb must not take our memory. */
#define PROCESSES_MAX 100000

static char *read_text(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *text = NULL;

    return fs_read(AT_FDCWD, path, FILE_MAX, &text, NULL, NULL) ? text : NULL;
}

char *usage_cgroup_of(const char *text, const char *container)
{
    const char *line = strstr(text, "0::/"), *found;

    /* ".." : the cgroup lies outside of what we see. */
    if (!line || (line != text && line[-1] != '\n') || !*container)
        return NULL;
    g_autofree char *path = g_strndup(line + 3, strcspn(line + 3, "\n"));
    found = strstr(path, container);
    if (!found || strstr(path, "/.."))
        return NULL;
    return g_strndup(path, (gsize)(found - path) + strcspn(found, "/"));
}

/* A number in a file of its own; -1 for "max", or when there is none. */
static gint64 read_number(const char *folder, const char *name)
{
    g_autofree char *text = read_text(folder, name);

    return text && g_ascii_isdigit(*text) ? g_ascii_strtoll(text, NULL, 10) : -1;
}

/* The number behind "KEY " at the start of a line. */
static gint64 read_key(const char *folder, const char *name, const char *key)
{
    g_autofree char *text = read_text(folder, name);
    gsize length = strlen(key);

    for (char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, key, length) == 0 && line[length] == ' ')
            return g_ascii_strtoll(line + length, NULL, 10);
    return -1;
}

/* FALSE unless the cgroup has numbers for all three: a controller that is missing has none. */
static gboolean measure_cgroup(pid_t init, const char *container, usage *result)
{
    g_autofree char *process = g_strdup_printf("/proc/%d", (int)init);
    g_autofree char *text = read_text(process, "cgroup");
    g_autofree char *path = text ? usage_cgroup_of(text, container) : NULL;

    if (!path)
        return FALSE;
    g_autofree char *folder = g_build_filename(CGROUPS, path, NULL);
    gint64 memory = read_number(folder, "memory.current");
    gint64 cpu = read_key(folder, "cpu.stat", "usage_usec");
    gint64 pids = read_number(folder, "pids.current");
    gint64 cache = read_key(folder, "memory.stat", "inactive_file");
    if (memory < 0 || cpu < 0 || pids < 0)
        return FALSE;
    *result = (usage){
        .memory = memory - CLAMP(cache, 0, memory),
        .memory_limit = read_number(folder, "memory.max"),
        .pids = pids,
        .pids_limit = read_number(folder, "pids.max"),
        .cpu_us = (guint64)cpu,
        .by_cgroup = TRUE,
    };
    return TRUE;
}

gboolean usage_parse_stat(const char *line, usage_process *result)
{
    /* The name is in brackets and may hold anything, brackets and line ends included. */
    const char *rest = strrchr(line, ')');
    unsigned long long ticks[4], threads, pages;
    int pid, parent;

    if (!rest || sscanf(line, "%d (", &pid) != 1 ||
        sscanf(rest,
               ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %llu %*d "
               "%*u %*u %llu",
               &parent, &ticks[0], &ticks[1], &ticks[2], &ticks[3], &threads, &pages) != 7)
        return FALSE;
    /* With the time of children that have ended, which would be lost otherwise. */
    *result =
        (usage_process){pid, parent, ticks[0] + ticks[1] + ticks[2] + ticks[3], threads, pages};
    return TRUE;
}

/* All processes that can be seen, in no order. */
static GArray *list_processes(void)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(usage_process));
    DIR *folder = opendir("/proc");

    for (struct dirent *entry; folder && all->len < PROCESSES_MAX && (entry = readdir(folder));) {
        if (!g_ascii_isdigit(entry->d_name[0]))
            continue;
        g_autofree char *process = g_build_filename("/proc", entry->d_name, NULL);
        g_autofree char *line = read_text(process, "stat");
        usage_process one;
        if (line && usage_parse_stat(line, &one))
            g_array_append_val(all, one);
    }
    if (folder)
        closedir(folder);
    return all;
}

static void add_process(usage *sum, const usage_process *one)
{
    sum->memory += (gint64)one->memory_pages * sysconf(_SC_PAGESIZE);
    sum->pids += (gint64)one->threads;
    sum->cpu_us += one->cpu_ticks * G_USEC_PER_SEC / (guint64)sysconf(_SC_CLK_TCK);
}

/* Every process of a box descends from its PID 1: orphans become its children. */
static gboolean measure_processes(pid_t init, usage *result)
{
    g_autoptr(GArray) all = list_processes();
    g_autoptr(GHashTable) ours = g_hash_table_new(g_int_hash, g_int_equal);
    gboolean grown = TRUE;

    *result = (usage){.memory_limit = -1, .pids_limit = -1};
    while (grown) {
        grown = FALSE;
        for (guint i = 0; i < all->len; i++) {
            const usage_process *one = &g_array_index(all, usage_process, i);
            gboolean member = one->pid == init || g_hash_table_contains(ours, &one->parent);
            if (!member || !g_hash_table_add(ours, (gpointer)&one->pid))
                continue;
            add_process(result, one);
            grown = TRUE;
        }
    }
    return result->pids > 0;
}

gboolean usage_measure(pid_t init, const char *container, usage *result)
{
    return init > 1 && (measure_cgroup(init, container, result) || measure_processes(init, result));
}
