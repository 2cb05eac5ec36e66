/* Whether a folder without a box may become a project: what runs in its box sees all of it. */
#pragma once

#include <glib.h>

typedef enum {
    NEW_PROJECT_ASK,    /* a command that works in a box: a folder without a mark is asked about */
    NEW_PROJECT_NAMED,  /* the user asks for it, by `box init` or `box clone` */
    NEW_PROJECT_ANYWAY, /* and knows what is special about it */
} new_project_consent;

/* FALSE with ERROR when no box can have FOLDER, a real path, as its project. */
gboolean new_project_is_possible(const char *folder, GError **error);

/*
 * FALSE with ERROR unless FOLDER, a real path, may become a project by CONSENT, by the rules of
 * box/registry/project_rules.h. By one slip a box would see everything in it, and everything below
 * would count as that project from then on.
 */
gboolean new_project_allow(const char *folder, new_project_consent consent, GError **error);
