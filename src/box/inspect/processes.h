/* The processes of a running box, as the host sees them: no program of the box is asked. */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct {
    pid_t host_pid;
    pid_t pid;     /* in the box; 0: unknown */
    gint64 uid;    /* in the box; -1: one that the box does not have */
    double cpu;    /* percent of one processor, measured just now */
    gint64 memory; /* bytes that are resident */
    guint64 threads;
    char *command; /* which the process chooses: made safe. "[name]" where there is no more. */
} box_process;

/* Of box_process, busiest first, of the box whose PID 1 is INIT on the host. Takes a third of a
 * second. Free with g_ptr_array_unref(). */
GPtrArray *box_processes_find(pid_t init);

/* Parsers, for tests. */

/* The number of uid UID of the host in the user namespace of TEXT, /proc/PID/uid_map; -1: none. */
gint64 box_processes_map_uid(const char *text, guint32 uid);
/*
 * The effective uid, and the pid in the namespace that is LEVEL below the host's (1: the next), of
 * TEXT, /proc/PID/status. The process chooses its name there. FALSE when one is missing.
 */
gboolean box_processes_parse_status(const char *text, guint level, guint32 *uid, pid_t *pid);

/*
 * Command lines of processes of a box.
 *
 * The kernel reads a command line from the process's own memory, which can be a mapped file on a
 * file system that a program of the box serves (FUSE) and does not answer for. So a process of its
 * own reads them, and is given up when it waits.
 */

/* Longer ones are cut. */
#define COMMAND_LINE_MAX 4096

/*
 * Reads PROC/PID/cmdline (PROC is "/proc") of COUNT processes. Returns COUNT texts, safe to show,
 * the arguments separated by spaces; "" where there is none or it cannot be read. Free with
 * g_ptr_array_unref().
 */
GPtrArray *command_lines_read(const char *proc, const pid_t *pids, gsize count);
