/*
 * The home of a box, against the start of its branches. These have locks of their own, so
 * box_lock() of the box does not keep one from starting with a home that is being exchanged or
 * copied.
 *
 * Who holds a home has its BOX_HOME_LOCK, and then the locks of all branches that there are. A
 * branch that starts takes its own lock first, and lets go of it where the home is held. So none of
 * the two waits for the other, and a branch that is made meanwhile waits as well.
 */
#pragma once

#include "box/registry/registry.h"

/* A branch that no other command can start meanwhile. */
typedef struct {
    struct box *self;
    int lock;
} held_branch;

typedef struct {
    int lock;            /* -1: the home is not held */
    GPtrArray *branches; /* of held_branch */
} held_home;
#define HELD_HOME_NONE ((held_home){-1, NULL})

/* Holds the home of OF, whose lock the caller has, until held_home_clear(). Waits for starts that
 * are under way; a branch may run. FALSE with ERROR. */
gboolean home_hold(held_home *self, const struct box *of, GError **error);
void held_home_clear(held_home *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(held_home, held_home_clear)

/* box_lock_registered() of the branch SELF for its start, when nobody holds its home. */
int home_lock_branch(const struct box *self, GError **error);
