/* A box: its names and the paths of its folders. */
#pragma once

#include "common/error.h"

struct box {
    char *name;    /* "shop": a-z 0-9 - _ . */
    char *base;    /* the box whose configuration and image it uses: NAME, unless it is ephemeral */
    char *project; /* absolute real path */
    char *container; /* Podman's name: "litterbox-shop" */
    char *data;      /* data/boxes/NAME */
    char *home;      /* data/boxes/NAME/home */
    char *runtime;   /* runtime/NAME */
    char **only;     /* box run --file: the only project paths that it shows; or NULL */
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
