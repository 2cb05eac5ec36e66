/*
 * Resources that a running box uses: the figures of its cgroup, or the sum over its processes on a
 * machine without cgroup v2.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "sys/proc_stat.h"

typedef struct {
    gint64 memory;       /* bytes without the inactive page cache, which the kernel can free */
    gint64 memory_limit; /* bytes; -1: no limit is enforced */
    gint64 pids;         /* processes and threads */
    gint64 pids_limit;   /* -1: no limit is enforced */
    guint64 cpu_us;      /* microseconds of CPU time since the start */
    gboolean by_cgroup;
} box_usage;

/*
 * Measures the box whose PID 1 is INIT on the host, and whose container has the ID CONTAINER. FALSE
 * when it has ended. *PROCESSES: NULL, or what an earlier call for another box, just now, has read
 * of all processes; the caller's, to be freed with g_array_unref().
 */
gboolean box_usage_measure(pid_t init, const char *container, GArray **processes,
                           box_usage *result);

/* All visible processes, in any order, of struct proc_stat. */
GArray *box_usage_list_processes(void);
/* Those of ALL, in which they stay, that are INIT or descend from it: all processes of the box with
 * that PID 1, which orphans become children of. */
GPtrArray *box_usage_descendants(const GArray *all, pid_t init);

/* The microseconds that the process has had of processors by now, with all its threads and the
 * children that have ended; only theirs when it has ended itself. */
guint64 box_usage_process_time(const struct proc_stat *one);

/* For tests: the path of CONTAINER's cgroup below the mount point, from the text of
 * /proc/PID/cgroup; NULL when the container has no cgroup. */
char *box_usage_cgroup_path(const char *text, const char *container);
