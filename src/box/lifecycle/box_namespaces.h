/* Work in the namespaces of a box in which nothing of the box runs yet. */
#pragma once

#include <sys/types.h>

/*
 * Calls WORK with DATA in a child that has entered the user and mount namespace of PID, where it
 * has all capabilities. It must not allocate memory: a thread of `box`, should there be another,
 * may have held that lock. Returns 0 when WORK did, or the errno of what failed.
 */
int box_namespaces_run(pid_t pid, int (*work)(const void *data), const void *data);
