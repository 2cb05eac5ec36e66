/* Control groups, version 2 (cgroups(7)). */
#pragma once

#include <glib.h>

#include <sys/types.h>

/* The path below the mount point in TEXT, the contents of /proc/PID/cgroup: "/user.slice/…". A new
 * string; NULL when the process is in no cgroup of version 2. */
char *cgroup_parse_path(const char *text);

/*
 * The controllers that processes of the user UID can use: those that systemd delegates to the
 * user's service manager; without systemd those of this process's cgroup. Words separated by
 * spaces, a new string; NULL when there are none.
 */
char *cgroup_delegated_controllers(guint uid);

/* TRUE when the list WORDS of cgroup_delegated_controllers() (may be NULL) contains NAME. */
gboolean cgroup_has_controller(const char *words, const char *name);

/*
 * TRUE when PID is frozen (cgroup.freeze), as in a paused container. Connections to it and writes
 * still succeed, and descriptors that were sent to it stay open until it is thawed.
 */
gboolean cgroup_is_frozen(pid_t pid);
