/* Lists processes in /proc, and finds and kills the descendants of one. */
#pragma once

#include <stddef.h>

#include "sys/proc_stat.h"

/* How far up ancestors are looked for. */
#define PROC_TREE_LEVELS 1024

/* As little as is needed: a fork bomb makes the list long. */
struct process {
    int pid, parent;
    int terminal; /* its controlling terminal's device number; 0: none */
    char state;
    char name[PROC_STAT_NAME_MAX];
    int mark; /* proc_tree_mark() */
};

/*
 * All processes but PID 1 in malloc'ed memory; NULL when there are none or /proc cannot be read.
 * Processes may have come and gone meanwhile. One that cannot be read has parent -1 and no name.
 */
struct process *proc_tree_list(size_t *count);
/*
 * Sets the mark of each process in LIST: what MARK says of it, or where that is -1 the mark of its
 * parent; NONE where there is no parent in the list.
 */
void proc_tree_mark(struct process *list, size_t count, int (*mark)(const struct process *process),
                    int none);
/* The parent of PROCESS in LIST, or NULL. */
struct process *proc_tree_parent(struct process *list, size_t count, const struct process *process);
/* Reads one process. 0, or -1 when it has ended. */
int proc_tree_read(int pid, struct process *process);

/*
 * Kills and reaps every descendant of the caller, which must be a child subreaper (prctl(2)), so
 * that no double fork leaves its tree. Stops all of them (SIGSTOP) before it kills any, so that a
 * fork bomb cannot fork faster than the list is read.
 */
void proc_tree_kill_all(void);

/* Sends SIGNAL to every descendant once. Returns how many there were. */
int proc_tree_signal_all(int signal);

/* Whether all threads of all descendants wait for something: none runs, could run, or waits for a
 * disk. */
int proc_tree_is_at_rest(void);

/* Counts the processes in /proc, apart from PID 1, the COUNT processes in KEPT and their children.
 */
int proc_tree_count_except(const int *kept, int count);

/* The nearest of PID and its ancestors for which MATCH returns 1; -1 for none. Looks at most 1,024
 * levels up. */
int proc_tree_find_ancestor(int pid, int (*match)(int pid, void *data), void *data);
