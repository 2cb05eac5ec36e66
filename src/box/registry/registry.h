/*
 * Which box belongs to which project. This is stored, because it cannot be derived: the home of a
 * box outlives its container.
 *
 *   data/boxes/NAME/project      the project's absolute path, as bytes
 *   data/boxes/NAME/folder       "DEVICE INODE BIRTH" of that folder, to recognise it after a move
 *   data/boxes/NAME/devices      devices from `box device add` (config/devices.h)
 *   data/boxes/NAME/home/        the private home
 *   data/projects/               an index of them (project_index.h)
 */
#pragma once

#include "box/registry/box.h"

/* A box_name_owner; the box of a branch has a name, too. A "project" file that exists but cannot be
 * read still belongs to a box, so that is an error. */
gboolean registry_find_project(const char *name, char **project, GError **error);
/* TRUE when no box is called NAME. FALSE with ERROR when that is unknown, because the "project"
 * file cannot be read: such a box keeps its name and its home. */
gboolean registry_is_free(const char *name, GError **error);

/* The registered box NAME; BOX_ERROR_NOT_FOUND, with a similar name, when there is none. */
struct box *registry_by_name(const char *name, GError **error);
/* The box of the project folder PROJECT (real path); NULL without ERROR when it has none. */
struct box *registry_by_project(const char *project, GError **error);
/* TRUE when PROJECT is in the index. Costs one readlink(2). */
gboolean registry_has_project(const char *project);

/* registration.c: what changes the registry, with its lock. */

/*
 * Registers PROJECT under the name WANTED (NULL: see box_name_choose()). When another process has
 * just registered it, returns that box. FORGET, box_revoke_host_access(), is called for a new box,
 * so that it does not get the permissions of an earlier box with its name.
 */
struct box *registry_add(const char *project, const char *wanted,
                         void (*forget)(const struct box *fresh), GError **error);
/* Gives FRESH, whose data folder is there and empty, what it has from the start. FALSE with ERROR.
 */
typedef gboolean (*registry_filler)(const struct box *fresh, void *data, GError **error);
/* The same with FILL (DATA), which runs before the box is registered, and with the registry's lock.
 * An error when PROJECT has a box. */
struct box *registry_add_filled(const char *project, const char *wanted,
                                void (*forget)(const struct box *fresh), registry_filler fill,
                                void *data, GError **error);
/* In the data folder: the name of the box that is being cloned (box/lifecycle/clone.c). While it is
 * there, no box is registered or renamed. */
#define REGISTRY_CLONE_RECORD UNFINISHED_CLONE "/name"
/* Waits for the lock of what is registered. A descriptor, which the caller closes; -1 with ERROR.
 */
int registry_lock(GError **error);
/* The registered box whose project folder was moved to PROJECT; NULL when there is none. */
struct box *registry_find_moved(const char *project);
/* Records that the project of SELF is now at PROJECT. FALSE with ERROR, also when SELF was removed
 * or renamed since it was looked up, as while a question was open. */
gboolean registry_move(struct box *self, const char *project, GError **error);
/* Moves what is kept elsewhere under the name of the box FROM to that of TO. Each part may have
 * been moved before. FALSE with ERROR. */
typedef gboolean (*registry_name_mover)(const struct box *from, const struct box *to,
                                        GError **error);
/*
 * Gives SELF, which has no container, the name of TO, which is its struct under the new one. FORGET
 * is as for registry_add(). A record of what is under way makes it safe against a kill at any
 * moment: registry_rename_repair() goes on with it, or forgets it while the data folder has its
 * old name.
 */
gboolean registry_rename(const struct box *self, const struct box *to,
                         void (*forget)(const struct box *fresh), registry_name_mover move,
                         GError **error);
gboolean registry_rename_repair(registry_name_mover move, GError **error);
/* FALSE with BOX_ERROR_NOT_FOUND: SELF was removed, renamed or moved since it was looked up. The
 * name may be another box's by now. */
gboolean registry_check_same(const struct box *self, GError **error);
/* FALSE with BOX_ERROR_CONFLICT when another box is called NAME. */
gboolean registry_check_free(const char *name, GError **error);
/* FALSE with BOX_ERROR_CONFLICT when SELF has branches, which nothing but 'box branch' removes. */
gboolean registry_check_branches(const struct box *self, GError **error);
/* Unregisters SELF, which has no branches and is still the same, and removes its data folder with
 * its home. */
gboolean registry_remove(struct box *self, GError **error);

/* All registered names, sorted; free with g_strfreev. */
char **registry_names(void);
/* The project folders of all of them; a new list. */
char **registry_projects(void);
/* These, and what else of the host a box could write (writable_folders_note()); a new list. */
char **registry_writable_folders(void);

/* Which programs and PATH entries of the host no box could have written. */

/*
 * Why FILE must not be run on the host: the path of the file, or of a link on the way to it or a
 * folder that the way leaves by "..", that a box can write: WRITABLE is
 * registry_writable_folders(); "" when FILE is missing. A new string. NULL when it may be run.
 */
char *safe_path_refusal(const char *file, char **writable);

/*
 * The real path of PATH (absolute), a new string; NULL when it does not exist, or when a symbolic
 * link on the way to it, PATH included, can be written by a box (WRITABLE, as above): it may lead
 * anywhere, and *LINK is its path, a new string. A caller opens the result without following links:
 * to resolve PATH again would follow a link that a box has made since.
 */
char *safe_path_resolve(const char *path, char **writable, char **link);

/*
 * PATH without the folders that a box can write, so that a host program cannot start a program of a
 * box by name. Relative folders are left out as well, because they depend on the current folder. A
 * new string. LEFT_OUT (may be NULL) is called for each entry that is left out; WHY is as in
 * safe_path_refusal(), or NULL for a relative one. Missing folders are left out without a call.
 */
char *safe_path(const char *path, char **writable,
                void (*left_out)(const char *entry, const char *why));

/* Leaves all that out of PATH of this process and of what it starts. */
void safe_path_set(void);

/* The first program NAME in PATH that no box could have written; a new string, or NULL. */
char *safe_path_find(const char *name);
/* The path of the host's program NAME, which no box could have written; a new string. NULL with
 * ERROR, which says what to do: INSTEAD. */
char *host_program(const char *name, const char *instead, GError **error);
