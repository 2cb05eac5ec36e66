/*
 * Command lines of processes of a box.
 *
 * The kernel reads a command line from the process's own memory, which can be a mapped file on a
 * file system that a program of the box serves (FUSE) and does not answer for. So a process of its
 * own reads them, and is given up when it waits.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* Longer ones are cut. */
#define COMMAND_LINE_MAX 4096

/*
 * Reads PROC/PID/cmdline (PROC is "/proc") of COUNT processes. Returns COUNT texts, safe to show,
 * the arguments separated by spaces; "" where there is none or it cannot be read. Free with
 * g_ptr_array_unref().
 */
GPtrArray *command_lines_read(const char *proc, const pid_t *pids, gsize count);
