/*
 * Which box belongs to which project: the one fact about boxes that cannot be derived, because the
 * home of a box outlives its container.
 *
 *   data/boxes/NAME/project      the project's absolute path, as bytes
 *   data/boxes/NAME/folder       "DEVICE INODE BIRTH" of it, to recognise a project that was moved
 *   data/boxes/NAME/devices      what `box device add` gave to it (config/devices.h)
 *   data/boxes/NAME/home/        the private home
 *   data/projects/SHA256         link to ../boxes/NAME: the index by path, made anew when missing
 */
#pragma once

#include "box/registry/box.h"

/* TRUE when no box is called NAME, for certain. FALSE with ERROR when that cannot be told: a box
 * whose "project" merely cannot be read keeps its name and its home. */
gboolean registry_is_free(const char *name, GError **error);

/* The registered box NAME; BOX_ERROR_NOT_FOUND, with the nearest name, when there is none. */
struct box *registry_by_name(const char *name, GError **error);
/* The box of the project folder PROJECT (real path); NULL without ERROR when it has none. */
struct box *registry_by_project(const char *project, GError **error);
/* TRUE when the index knows PROJECT; one readlink, for walking up from a folder. */
gboolean registry_has_project(const char *project);

/*
 * Registers PROJECT under WANTED (NULL: made from the folder's name, and made unique). Safe against
 * another `box` doing the same; returns the existing box then. FORGET (box_revoke_host_access())
 * takes from a new one what a lost box of its name was allowed; what still runs by that name is cut
 * off.
 */
struct box *registry_add(const char *project, const char *wanted,
                         void (*forget)(const struct box *fresh), GError **error);
/* A registered box whose project folder is gone and is now found at PROJECT; NULL when none is. */
struct box *registry_find_moved(const char *project);
/* Tells SELF that its project is now at PROJECT. */
gboolean registry_move(struct box *self, const char *project, GError **error);
/* Forgets SELF and removes its data folder, home included. */
gboolean registry_remove(struct box *self, GError **error);

/* All registered names, sorted; free with g_strfreev. */
char **registry_names(void);
/* The project folders of all of them; a new list. */
char **registry_projects(void);
