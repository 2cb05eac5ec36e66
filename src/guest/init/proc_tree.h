/* Finds and kills the descendants of a process in /proc. */
#pragma once

/*
 * Kills and reaps every descendant of the caller, which must be a child subreaper (prctl(2)), so
 * that no double fork leaves its tree. Stops all of them (SIGSTOP) before it kills any, so that a
 * fork bomb cannot fork faster than the list is read.
 */
void proc_tree_kill_all(void);

/* Sends SIGNAL to every descendant once. Returns how many there were. */
int proc_tree_signal_all(int signal);

/* Counts the processes in /proc, apart from PID 1, the COUNT processes in KEPT and their children.
 */
int proc_tree_count_except(const int *kept, int count);

/* The nearest of PID and its ancestors for which MATCH returns 1; -1 for none. Looks at most 1,024
 * levels up. */
int proc_tree_find_ancestor(int pid, int (*match)(int pid, void *data), void *data);
