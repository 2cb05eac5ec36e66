/* Control groups, version 2 (cgroups(7)). */
#pragma once

#include <glib.h>

#include <sys/types.h>

/* The path below the mount point in TEXT, the contents of /proc/PID/cgroup: "/user.slice/…". A new
 * string; NULL when the process is in no cgroup of version 2. */
char *cgroup_parse_path(const char *text);

/*
 * The controllers that containers of the user UID can use: those that systemd delegates to the
 * user's service manager, which is asked over the user's bus; without systemd those of this
 * process's cgroup. Words separated by spaces, a new string; NULL when there are none.
 */
char *cgroup_delegated_controllers(guint uid);
/* Whether this user has a D-Bus session bus in the runtime folder, where systemd is asked for the
 * cgroups of containers. Without one Podman makes them itself (containers.conf(5), cgroup_manager),
 * outside of what systemd delegates, and limits are ignored. */
gboolean cgroup_has_user_bus(void);

/* TRUE when the list WORDS of cgroup_delegated_controllers() (may be NULL) contains NAME. */
gboolean cgroup_has_controller(const char *words, const char *name);

/*
 * TRUE when PID is frozen (cgroup.freeze), as in a paused container. Connections to it and writes
 * still succeed, and descriptors that were sent to it stay open until it is thawed.
 */
gboolean cgroup_is_frozen(pid_t pid);

/*
 * The cgroup that Podman has made for the container of PID, with all that is below it, as
 * cgroup_parse_path() says it; a new string. NULL when there is none, and when this process is in
 * it itself.
 */
char *cgroup_of_container(pid_t pid);
/* The same for texts of /proc/PID/cgroup: of the container's process, and of this one. */
char *cgroup_parse_container(const char *text, const char *own);
/* Opens cgroup.freeze of CGROUP for writing: "1" freezes it, "0" thaws it. -1 with errno. */
int cgroup_open_freezer(const char *cgroup);
/* TRUE when the last process of CGROUP has stopped. */
gboolean cgroup_has_frozen(const char *cgroup);
