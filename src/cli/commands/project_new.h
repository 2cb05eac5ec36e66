/* Whether a folder without a box may become a project: what runs in its box sees all of it. */
#pragma once

#include <glib.h>

typedef enum {
    NEW_PROJECT_ASK,    /* a command that works in a box: a folder without a mark is asked about */
    NEW_PROJECT_NAMED,  /* the user asks for it, by `box init` */
    NEW_PROJECT_ANYWAY, /* and knows what is special about it */
} new_project_consent;

/*
 * TRUE when FOLDER (real path) may become a project. MARKED: it has a litterbox.toml or .git.
 * Without NEW_PROJECT_ANYWAY these never may: hidden folders of the home, which hold keys and
 * settings; folders of other users, as /tmp, /etc and /home are; without a mark, folders that hold
 * other projects. One slip would show a box everything in them, and everything below would count as
 * that project from then on.
 */
gboolean new_project_allow(const char *folder, gboolean marked, new_project_consent consent,
                           GError **error);
