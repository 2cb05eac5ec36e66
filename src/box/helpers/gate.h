/* The gate of a box with [network] mode "filtered" (litterbox-gate), as `box` starts it. */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"

/*
 * Makes sure that the network of SELF is what its runtime configuration says. With mode "filtered"
 * that takes a gate, which must be there before the first program of the box is. PID is the box's
 * PID 1, prepared and not started, in the container ID. FALSE with ERROR: the box must not be
 * started.
 */
gboolean gate_open(const struct box *self, const char *id, pid_t pid, GError **error);

/* The rules that the gate of SELF holds, as it has read them (gate_list.h): a new string. PID is
 * that of SELF's PID 1. */
char *gate_held_rules(const struct box *self, pid_t pid, GError **error);
/* Its connections (GATE_LIST_CONNECTIONS), a new string. */
char *gate_connections(const struct box *self, pid_t pid, GError **error);
/* The rules have changed: makes the gate of SELF, whose PID 1 is PID, obey them now, and that of a
 * build of its image. PID 0: unknown. */
gboolean gate_update(const struct box *self, pid_t pid, GError **error);

/* Restarts SELF's gate if it and its supervisor have died. Costs one system call when SELF has
 * none. */
void gate_ensure_running(const struct box *self, pid_t pid);

/*
 * The gate of a build of a box's image: the steps reach what the box may reach, with the same
 * rules, log and questions, and with no secret. It works in a folder of its own below the box's
 * runtime folder, as the box and its gate may run meanwhile. There is one at a time: who builds
 * holds the box's lock.
 */

/* The folder of a build of SELF's image, for its network and its gate, new and empty; what an
 * earlier one has left goes. A new string; NULL with ERROR. */
char *gate_build_folder(const struct box *self, GError **error);
/* Lets the network of PROCESS, which is to live as long as the build, reach what WANTED allows.
 * FALSE with ERROR: it reaches nothing. */
gboolean gate_build_open(const struct box *self, const settings *wanted, pid_t process,
                         GError **error);
/* Restarts the gate if it and its supervisor have died. FALSE with ERROR: that failed. */
gboolean gate_build_ensure_running(const struct box *self, pid_t process, GError **error);
/* Waits until the gate has ended, as it does with its process, and removes the folder. */
void gate_build_close(const struct box *self);
