/* What a new box is called. */
#pragma once

#include "common/error.h"

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
