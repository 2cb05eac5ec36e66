/* The connection to PID 1 of a box. */
#pragma once

#include "box/registry/registry.h"
#include "proto/session.h"

/* A connection to the control socket of SELF; -1 with errno when it is not running. */
int box_connect(const struct box *self);
/* PID 1 of SELF; 0 when it is not running. */
pid_t box_find_init(const struct box *self);

/* What box-init of SELF says of its sessions. FALSE when it is not running or does not answer. */
gboolean box_query_sessions(const struct box *self, struct session_info *info);
/* FALSE with ERROR while a branch of SELF runs that has its home, or, with COPIES, a layer on it:
 * "branch 'NAME' WHY", and what to do. */
gboolean box_check_branches_stopped(const struct box *self, gboolean copies, const char *why,
                                    GError **error);
/* Sets ERROR for a command that cannot work while SELF is paused. */
void box_set_paused_error(const struct box *self, GError **error);
