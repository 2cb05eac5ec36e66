/* Which folders may become projects. A box sees and changes all of its project. */
#pragma once

#include <glib.h>

/*
 * Why no box can have FOLDER, a real path, as its project: the end of a sentence that starts with
 * the path; NULL when one can. Nothing changes that.
 */
const char *project_never(const char *folder);

/*
 * TRUE for the home, what is above it, and system folders, which are a part of those of
 * project_never(): a search for a project ends there. Asks the file system for nothing but, once,
 * the home's real path.
 */
gboolean project_is_beyond(const char *folder);

/*
 * Why a box must not get FOLDER, a real path, by a slip: such an end of a sentence, safe to show, a
 * new string; NULL when nothing is against it. Hidden folders of the home hold keys and settings. A
 * folder that holds other projects would give its box all of them; what is only marked below a
 * folder with a mark of its own is a part of that.
 */
char *project_doubt(const char *folder);

/* START, a real path, or its nearest parent for which IS_ONE holds; a new string. NULL when there
 * is none before the search ends. */
char *project_nearest_that(const char *start, gboolean (*is_one)(const char *folder));

/*
 * TRUE when FOLDER has a litterbox.toml or a .git. A folder called litterbox.toml is no
 * configuration, and what another user has made, in /tmp for example, does not count.
 */
gboolean project_is_marked(const char *folder);
