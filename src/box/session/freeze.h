/*
 * Stops the programs of boxes for a moment, so that their files can be read as they are at one
 * time: by the freezer of their containers' cgroups (cgroup.freeze), not by Podman's pause, which
 * takes longer and needs a Podman that works to be undone.
 *
 * A process of its own holds them, and thaws them when this one ends, however it ends, and when the
 * time is up. Should both be killed, the file runtime/.frozen names the cgroups: each command thaws
 * what it finds there, unless somebody still has it locked.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct freeze freeze;

/* Freezes the boxes whose PID 1 are INITS (of pid_t), for LIMIT_MS at most. One that the user has
 * paused stays so. NULL: they cannot all be frozen, and none is. */
freeze *freeze_begin(const GArray *inits, int limit_ms);
/* Thaws them. TRUE: they were frozen all the time. SELF may be NULL: FALSE. */
gboolean freeze_end(freeze *self);

/* Thaws what killed processes have left. Costs one stat(2). */
void freeze_repair(void);
/* TRUE when a box, of PID 1 INIT, is paused; not by this module, for whose end it waits. */
gboolean freeze_is_paused(pid_t init);
