/* A box's share of the user's desktop: starts and asks its bridge (host/bridge). */
#pragma once

#include "box/registry/runtime_config.h"

/*
 * Starts the bridge of the box whose PID 1 is PID (0: unknown, does nothing), unless it is running,
 * or the settings in KNOWN and this process's environment leave nothing to share. Asks the user
 * once about a compositor without security contexts. Problems are shown as warnings. Costs four
 * system calls when the bridge is running.
 */
void bridge_ensure_running(const struct box *self, const struct runtime_config *known, pid_t pid);

/* Call it before SELF starts: removes the sockets that a killed bridge has left in the folders that
 * will be mounted. One of them may be the compositor's own. */
gboolean bridge_clear_sockets(const struct box *self, GError **error);

/* Adds to ENV the variables by which programs in the box find display and sound, as new strings
 * "K=V". */
void bridge_add_environment(const struct box *self, const struct runtime_config *known,
                            GPtrArray *env);

/* Number of connections of the box, whose PID 1 is PID, to its display; -1 when it has no display.
 * Only a hint, because a box can fake more. */
int bridge_count_clients(const struct box *self, pid_t pid);

/* Withdraws the user's consent to a plain Wayland socket. Call it when SELF is removed. That of a
 * branch is its box's, and stays. */
void bridge_forget_consent(const struct box *self);
/* Gives FROM's consent to TO, the same box under its new name. It may have been done before. */
gboolean bridge_rename_consent(const struct box *from, const struct box *to, GError **error);
