/* The names of branches (branch.h), and where they lie. */
#pragma once

#include <glib.h>

/* TRUE when NAME may be a branch's name: that of a box without ".". */
gboolean branch_name_is_valid(const char *name);
/* The folder of all branches of the box OF, a new string. */
char *branch_folder(const char *of);
/* The file that makes a branch of NAME, a new string. */
char *branch_record(const char *of, const char *name);
/* TRUE when the box OF has the branch NAME. */
gboolean branch_is_there(const char *of, const char *name);
/* The names of all branches of the box OF, sorted; free with g_strfreev(). None where their folder
 * cannot be read. */
char **branch_names(const char *of);
/* FALSE with ERROR: it cannot be read. */
gboolean branch_names_are_known(const char *of, GError **error);
/* Those of which only a folder is there, as the command that dropped them was killed. */
char **branch_names_left(const char *of);
/* TRUE when NAME is the name of a branch's box; *OF (may be NULL) is the box's, a new string. */
gboolean branch_is_box_name(const char *name, char **of);
