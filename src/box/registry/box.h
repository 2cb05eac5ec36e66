/* A box: its names, and where what it consists of lies. */
#pragma once

#include "common/error.h"

struct box {
    char *name;      /* "shop": a-z 0-9 - _ . */
    char *base;      /* whose configuration and image it uses: name, but for a throw-away box */
    char *project;   /* absolute real path */
    char *container; /* Podman's name: "litterbox-shop" */
    char *data;      /* data/boxes/NAME */
    char *home;      /* data/boxes/NAME/home */
    char *runtime;   /* runtime/NAME */
    char **only;     /* run --file: the only paths of the project that it shows; or NULL */
};
/* For g_autoptr(box), which takes the name of a typedef. */
typedef struct box box;
void box_free(struct box *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(box, box_free)

/* Longest name: it has to fit into a host name. */
#define BOX_NAME_MAX 63

/* TRUE when NAME may be a box's name. */
gboolean box_name_is_valid(const char *name);

/* *PROJECT, a new string, is that of box NAME, or NULL: nobody's. FALSE when that cannot be told.
 */
typedef gboolean (*box_name_owner)(const char *name, char **project, GError **error);

/*
 * A name for the box of PROJECT, that is nobody's yet: WANTED, or (NULL) one made from the folder's
 * name, with a part of the path's hash where others are called the same. A new string; NULL with
 * ERROR, BOX_ERROR_CONFLICT when WANTED is somebody's.
 */
char *box_name_choose(const char *project, const char *wanted, box_name_owner owner,
                      GError **error);

/* Where the data of the box of that name lie; a new string. */
char *box_data_path(const char *name);

/* The box of that name, whether registered or not. NULL when the runtime folder cannot be had. */
struct box *box_new(const char *name, const char *project, GError **error);
