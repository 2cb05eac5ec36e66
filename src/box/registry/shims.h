/*
 * Shims: commands in a folder on the user's PATH that run the program of the same name in the box
 * of the current folder.
 *
 *   data/shims/NAME       symbolic link to box: runs NAME in the box
 *   data/shims/NAME-raw   symbolic link to box: runs the host's program that NAME hides
 *
 * The -raw ones lead to the whole program in libexec at once. That runs agents, too, but by the
 * same link as other programs: a preset may come and go after the link was made, and so the
 * launcher looks for it at each call (launcher/main.c).
 *
 * They are links and not scripts: no shell has to start, the path may contain any characters, and
 * `box` is not searched in PATH. The kernel says by which link `box` was called (AT_EXECFN,
 * getauxval(3)); argv[0] could be anything.
 */
#pragma once

#include "common/error.h"

#define SHIMS_RAW "-raw"

/* The path of `box` beside the running program, a new string. Not from PATH, which may have another
 * one. NULL with ERROR. */
char *shims_own_program(GError **error);

/* The folder of the shims, a new string. */
char *shims_folder(void);

/* FALSE with ERROR and the reason when no shim may have this NAME. */
gboolean shims_check_name(const char *name, GError **error);

/* The shim by which this program was called, "NAME" or "NAME-raw"; NULL when it was called as
 * `box`. */
const char *shims_called_name(void);

/*
 * Removes the folder from PATH of this process and all that it starts, so that Podman and its
 * helpers never run in a box.
 */
void shims_remove_from_path(void);
/* Undoes it, for a program that is to be called as the user called it. */
void shims_restore_path(void);
gboolean shims_are_on_path(void);
/*
 * The line that adds the folder to PATH in the user's shell ($SHELL: bash, zsh, fish, or another
 * one), and in *FILE the file to write it to. New strings.
 */
char *shims_path_line(char **file);

/* All shims, sorted, without "-raw" ones; free with g_strfreev(). */
char **shims_names(void);
/* TRUE when the target of the shim NAME is missing: Litterbox was moved or removed. */
gboolean shims_is_stale(const char *name);

/* Creates both links of NAME, or repairs them. Does not replace other files. */
gboolean shims_add(const char *name, GError **error);
/* Removes both links; BOX_ERROR_NOT_FOUND when there are none. */
gboolean shims_remove(const char *name, GError **error);

/* What to do when the box has no NAME, a new string. */
char *shims_not_found_hint(const char *name);
/* The host's program NAME in the current PATH, never a shim; a new string or NULL. */
char *shims_program(const char *name);
/* TRUE when a shell that searches for NAME finds the shim. */
gboolean shims_is_found(const char *name);
