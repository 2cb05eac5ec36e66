/* A box: its names, the paths of its folders, its state flags, and how its folders are removed. */
#pragma once

#include <glib.h>

#include "common/error.h"

struct config;
/* What a box is for that installs a program for all boxes of an image (tools.h). */
typedef struct {
    const char *folder; /* on the host, empty, which gets the program */
    const char *at;     /* its path in boxes */
    /* In place of that of files: nothing of the user's is in the box. */
    const struct config *config;
} box_installation;

struct box {
    char *name;      /* "shop": a-z 0-9 - _ . */
    char *base;      /* the box whose configuration and image it uses: NAME, unless it is ephemeral
                        or a branch */
    char *branch;    /* its name as a branch of BASE (branch.h); or NULL */
    char *project;   /* absolute real path */
    char *container; /* Podman's name: paths_container() */
    char *data;      /* data/boxes/NAME */
    char *home;      /* data/boxes/NAME/home */
    char *runtime;   /* runtime/NAME */
    char **only;     /* box run --file: the only project paths that it shows; or NULL */
    const box_installation *installation; /* or NULL; not owned */
    gboolean isolated; /* a branch with a copy of the home of BASE, and not that home itself */
    gboolean fresh;    /* registered by this process; nothing of the box exists yet */
};
/* For g_autoptr(box), which takes the name of a typedef. */
typedef struct box box;
void box_free(struct box *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(box, box_free)

/* Bytes of a name; the limit of a host name (RFC 1035). */
#define BOX_NAME_MAX 63

/* TRUE when NAME may be a box's name. */
gboolean box_name_is_valid(const char *name);

/* Sets *PROJECT, a new string, to the project of the box NAME; NULL when there is no such box.
 * FALSE with ERROR when that is unknown. */
typedef gboolean (*box_name_owner)(const char *name, char **project, GError **error);

/*
 * A free name for the box of PROJECT, a new string: WANTED, or when that is NULL, the folder's
 * name, with a part of the path's hash if another box has that name. NULL with ERROR;
 * BOX_ERROR_CONFLICT when another box has the name WANTED.
 */
char *box_name_choose(const char *project, const char *wanted, box_name_owner owner,
                      GError **error);

/* The data folder of the box NAME, a new string. */
char *box_data_path(const char *name);

/* The box NAME, registered or not. NULL with ERROR without a runtime folder. */
struct box *box_new(const char *name, const char *project, GError **error);

/* The file NAME that a box and its branches have together, in the data folder of the box; a new
 * string. */
char *box_shared_file(const struct box *self, const char *name);

/* The file NAME that says something of the home of SELF, a new string. A branch has the home of its
 * box, or a copy of its own. */
char *box_home_mark(const struct box *self, const char *name);
/* The mark that is locked by who fills, exchanges or copies the home. */
#define BOX_HOME_LOCK "home.lock"
/* Copies the mark at the path FROM, if it is there, to TO: for the copy of a home. */
gboolean box_home_mark_copy(const char *from, const char *to, GError **error);

/*
 * State that one `box` process leaves for the next one, as an empty file in the box's runtime
 * folder.
 *
 * STOPPING, REMOVING and STARTING are set before a request to Podman: when `box` is killed, Podman
 * still carries the request out, and the next start waits for the result before it clears the flag.
 * The NO_… flags mean that the user has been told about something that is missing.
 */

enum state_flag {
    STATE_FLAG_STOPPING, /* clients must not connect any more, because they would be cut off */
    STATE_FLAG_REMOVING,
    STATE_FLAG_STARTING,
    STATE_FLAG_NO_WINDOWS,    /* the compositor has no security contexts */
    STATE_FLAG_NO_X11,        /* no X server */
    STATE_FLAG_NO_SOUND,      /* no sound server; kept when the box stops */
    STATE_FLAG_NO_GPU_ACCESS, /* the GPU of the plan may not be opened; kept when the box stops */
};

/* Errors are ignored: without the flag, for example on a full disk, an interrupted step is not
 * noticed and a message is shown again. */
void state_flag_set(const struct box *self, enum state_flag flag);
gboolean state_flag_is_set(const struct box *self, enum state_flag flag);
void state_flag_clear(const struct box *self, enum state_flag flag);

/*
 * Removes folders that a box has written. With sudo or an overlay they contain files that belong to
 * the user's subordinate ids, which the user cannot remove directly.
 */

/*
 * Calls fs_remove_tree(). If that fails, calls it again in a user namespace that maps the user's
 * subordinate ids (user_namespaces(7), newuidmap(1)).
 */
gboolean discard_tree(const char *path, GError **error);
/* The same with the runtime folder PATH of a box: until all else in it is gone, it has the lock by
 * which `box prune` knows it. */
gboolean discard_runtime(const char *path, GError **error);
/* Bytes on the disk that discard_tree() would free: a file with a hard link elsewhere stays, and
 * does not count. 0 when there is nothing. Reads the files of subordinate ids as well. */
gint64 discard_tree_frees(const char *path);

/*
 * What changes several things of a box leaves a record in the data folder until it is done. Each
 * command repairs what a killed one has left, before it looks for boxes.
 */

/* Below the data folder (common/paths.h). */
#define UNFINISHED_RENAME "boxes/.renaming"
#define UNFINISHED_CLONE "boxes/.cloning"
#define UNFINISHED_TAKE "boxes/.taking"
#define UNFINISHED_RESTORE "boxes/.restoring"
#define UNFINISHED_DETACH "boxes/.detaching"

/* TRUE when one of them is there. */
gboolean unfinished_is_there(void);
