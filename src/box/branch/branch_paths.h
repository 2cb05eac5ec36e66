/* Paths of what a branch has changed: which are asked for, and which could harm the host. All are
 * relative to the project, and may have any bytes. */
#pragma once

#include <glib.h>

#include "config/settings.h"

/* TRUE when LIST (perhaps with a "/" at the end; NULL: none) has PATH, or a folder that it lies in.
 * "." is the project. */
gboolean branch_path_is_in(char *const *list, const char *path);
/* TRUE when PATH is, or lies below, what WANTED protects or hides, or what git obeys. */
gboolean branch_path_is_protected(const settings *wanted, const char *path);
/* TRUE when PATH has characters that a terminal obeys or hides. */
gboolean branch_path_has_controls(const char *path);
/* NAME, perhaps of several parts, as file systems that ignore case take it; a new string. */
char *branch_path_fold(const char *name);
/* TRUE for a link at PATH with TARGET that surely stays in PROJECT (absolute; FOLDER is open
 * there), whatever other links that stay are taken. It goes through no link of the host's that
 * leads out. */
gboolean branch_link_stays(int folder, const char *project, const char *path, const char *target);
/* WORDS of a command line (NULL: none) as paths relative to the folder PROJECT, where "./x", "a//b"
 * and an absolute path mean the same; a new list. NULL with ERROR when one is outside of it. */
char **branch_paths_of(const char *project, char *const *words, GError **error);

/* Names of one folder of a branch that differ only in case. */

typedef struct branch_twins branch_twins;

/* Of a folder with NAMES, of which GONE are whiteouts; the host's has OF_HOST, or is none. All are
 * sorted. HIDES: the branch has none of the host's names but its own. */
branch_twins *branch_twins_find(const GPtrArray *names, const GPtrArray *gone,
                                const GPtrArray *of_host, gboolean hides);
void branch_twins_free(branch_twins *self);
/* Another name than the new NAME differs only in case. *GOES: one of the host's did, which the
 * branch has removed. */
gboolean branch_twins_has(const branch_twins *self, const char *name, gboolean *goes);
/* SORTED, of text_compare(), has NAME. */
gboolean branch_twins_is_in(const GPtrArray *sorted, const char *name);
