/* Finding and killing everything that a process started, even what tried to get away. */
#pragma once

/*
 * Kills every descendant of the caller and reaps them all. The caller must be a child subreaper
 * (prctl(2)), so that nothing leaves its tree by a double fork. Descendants are stopped before they
 * are killed, so that a fork bomb cannot outrun the list.
 */
void descend_kill_all(void);

/* Sends SIGNAL to every descendant once. Returns how many there were. */
int descend_signal_all(int signal);

/* How many processes /proc shows beside PID 1, the COUNT that are KEPT, and children of these. */
int descend_count_beside(const int *kept, int count);

/*
 * The nearest ancestor of PID (or PID itself) for which MATCH says yes, or -1. Looks at most 1,024
 * levels up.
 */
int descend_find_ancestor(int pid, int (*match)(int pid, void *data), void *data);
