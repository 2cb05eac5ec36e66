/* A box's part of the user's desktop: the bridge that makes its Wayland and X11 sockets. */
#pragma once

#include "box/registry/runtime_config.h"

/*
 * Sees to it that a bridge serves the box whose PID 1 is PID (0: unknown), where KNOWN and our own
 * environment have a desktop for it. A compositor without security contexts is told about once, and
 * the user asked. Costs four system calls when one serves already.
 */
void bridge_ensure_running(const struct box *self, const struct runtime_config *known, pid_t pid);

/* Before SELF starts: takes away what a bridge that was killed has left in the folders that are
 * going to be mounted, the compositor's own socket perhaps. */
gboolean bridge_clear_sockets(const struct box *self, GError **error);

/* Adds to ENV ("K=V", of new strings) what programs in the box find their display by. */
void bridge_add_environment(const struct box *self, const struct runtime_config *known,
                            GPtrArray *env);

/* How many connections the box, whose PID 1 is PID, has to its display; -1 when it has no display.
 * Only a hint: the box can pretend to have more. */
int bridge_count_clients(const struct box *self, pid_t pid);

/* Forgets the consent to a plain socket, when the box is removed. */
void bridge_forget_consent(const struct box *self);
