/*
 * Shims: commands in a folder of ours on the user's PATH that run, under the name of a program,
 * that program in the box of the current folder.
 *
 *   data/shims/NAME       link to box: runs NAME in the box
 *   data/shims/NAME-raw   link to box: runs the program of the machine that NAME hides
 *
 * Links rather than scripts: no shell has to start, a home with any characters in its name will do,
 * and `box` is not looked for on a PATH. By which link `box` was called the kernel says
 * (AT_EXECFN), not argv[0], which is the caller's to choose.
 */
#pragma once

#include "common/error.h"

#define SHIMS_RAW "-raw"

/* The real path of the running `box`, a new string: what stands on a PATH could be another's. */
char *shims_own_program(GError **error);

/* The folder; a new string. */
char *shims_folder(void);

/* FALSE with ERROR and the reason when no shim may be called NAME. */
gboolean shims_check_name(const char *name, GError **error);

/* The name by which a shim was called, "NAME" or "NAME-raw"; NULL when `box` was called as `box`.
 */
const char *shims_called(void);

/*
 * Takes the folder off the PATH of this process and of all that it starts: Podman and its helpers
 * must never be looked for in a box. shims_path() is PATH as it was.
 */
void shims_leave_path(void);
const char *shims_path(void);
gboolean shims_are_on_path(void);
/*
 * What to write where so that the shells of the user ($SHELL: bash, zsh, fish, else any other) have
 * the folder on PATH: a line, and in *FILE the name of the file. New strings.
 */
char *shims_path_line(char **file);

/* All shims, sorted, without the "-raw" ones; free with g_strfreev. */
char **shims_names(void);
/* TRUE when the link NAME is ours but leads nowhere: Litterbox was moved or removed. */
gboolean shims_is_stale(const char *name);

/* Makes both links of NAME, or makes them right. Refuses to replace what is not ours. */
gboolean shims_add(const char *name, GError **error);
/* Removes both links; BOX_ERROR_NOT_FOUND when there is none. */
gboolean shims_remove(const char *name, GError **error);

/* The program NAME of this machine, by PATH as it is now, never a shim; NULL. */
char *shims_program(const char *name);
/* TRUE when a shell that looks for NAME finds the shim. */
gboolean shims_is_found(const char *name);
