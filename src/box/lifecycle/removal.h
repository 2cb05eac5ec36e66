/*
 * One thing that `box prune` or `box uninstall` removes. A command makes a list of them, the plan.
 * It prints that with --dry-run, and else carries it out, so that both say the same.
 */
#pragma once

#include "podman/podman.h"

typedef struct removal removal;

/* Removes SELF, after another look at it: when it is in use by now, or gone already, *REMOVED is
 * FALSE, and that is success. SERVER may be NULL for what Podman does not know. */
typedef gboolean (*removal_func)(const removal *self, podman_client *server, gboolean *removed,
                                 GError **error);

struct removal {
    removal_func remove;
    int kind;          /* for REMOVE alone */
    gboolean precious; /* contains a home, of which there is no copy */
    char *name;        /* of a box, an image, a shim … */
    char *image;       /* the ID of an image; else NULL */
    char *detail;      /* for REMOVE alone; or NULL */
    char *what;        /* safe text: "home of box 'shop' (1.2 GiB), whose project …" */
};

/* A new list of removal; free with g_ptr_array_unref(). */
GPtrArray *removals_new(void);
/* Adds a row, which the caller completes. WHAT is taken over. */
removal *removals_add(GPtrArray *list, removal_func remove, const char *name, char *what);
/* Adds the entry ID of BOX in the user's menu. WHAT is taken over. */
void removals_add_menu_entry(GPtrArray *list, const char *box, const char *id, char *what);
/* Carries SELF out; prints "removed: WHAT" to standard output, or with DRY "would remove: WHAT". */
gboolean removal_do(const removal *self, podman_client *server, gboolean dry, GError **error);
