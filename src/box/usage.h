/*
 * What the processes of a running box use: from its cgroup where it has one of its own, else summed
 * up over its processes (a box on a machine without cgroup v2 has none).
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct {
    gint64 memory;       /* bytes, the page cache that can be given back left out */
    gint64 memory_limit; /* -1: none is enforced */
    gint64 pids;         /* processes and threads */
    gint64 pids_limit;   /* -1: none is enforced */
    guint64 cpu_us;      /* processor time since the start, to be subtracted from a later one */
    gboolean by_cgroup;
} usage;

/*
 * Measures the box whose PID 1 is INIT here, and whose container has the id CONTAINER. FALSE when
 * it has ended.
 */
gboolean usage_measure(pid_t init, const char *container, usage *result);

/* Its parts, for tests. The cgroup of CONTAINER out of the text of /proc/PID/cgroup, below the
 * mount point; NULL when the container has no cgroup of its own. */
char *usage_cgroup_of(const char *text, const char *container);

typedef struct {
    pid_t pid, parent;
    guint64 cpu_ticks, threads, memory_pages;
} usage_process;
/* The line of /proc/PID/stat, whose command name is chosen by the process. */
gboolean usage_parse_stat(const char *line, usage_process *result);
