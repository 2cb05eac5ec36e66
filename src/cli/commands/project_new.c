#include "cli/commands/project_new.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "cli/commands/project.h"
#include "common/error.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/ask.h"
#include "plan/plan.h"

/* Entries of a folder that are looked at. */
#define ENTRIES_MAX 10000

/* The hidden folder of the home in which FOLDER lies, as ".ssh"; a new string. NULL: in none. */
static char *hidden_folder(const char *folder)
{
    g_autofree char *home = realpath(paths_home(), NULL);
    if (!home || !plan_is_below(folder, home) || strcmp(folder, home) == 0)
        return NULL;
    g_auto(GStrv) parts = g_strsplit(folder + strlen(home) + 1, "/", 2);
    return parts[0][0] == '.' ? g_strdup(parts[0]) : NULL;
}

static gboolean is_own(const char *folder)
{
    struct stat st;
    return stat(folder, &st) == 0 && st.st_uid == getuid();
}

/* The path of a project in FOLDER: a registered one at any depth, or an entry with a mark. */
static char *project_inside(const char *folder)
{
    g_auto(GStrv) registered = registry_projects();
    for (char **project = registered; *project; project++)
        if (strcmp(*project, folder) != 0 && plan_is_below(*project, folder))
            return g_strdup(*project);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    for (int i = 0; dir && i < ENTRIES_MAX && (name = g_dir_read_name(dir)); i++) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (project_is_marked(path))
            return g_steal_pointer(&path);
    }
    return NULL;
}

/* Why a box must not get FOLDER by a slip, as the rest of a sentence; a new string. NULL: it may. */
static char *danger(const char *folder, gboolean marked)
{
    g_autofree char *hidden = hidden_folder(folder);
    if (hidden) {
        g_autofree char *safe = text_safe(hidden, -1);
        return g_strdup_printf("lies in '%s', where programs keep settings and keys", safe);
    }
    if (!is_own(folder))
        return g_strdup("belongs to another user");
    g_autofree char *inside = marked ? NULL : project_inside(folder);
    g_autofree char *safe = inside ? text_safe(inside, -1) : NULL;
    return inside ? g_strdup_printf("holds other projects, as '%s'", safe) : NULL;
}

/* "12 entries" */
static char *count_entries(const char *folder)
{
    guint found = 0;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    while (dir && found < ENTRIES_MAX && g_dir_read_name(dir))
        found++;
    return g_strdup_printf("%s%u %s", found == ENTRIES_MAX ? "at least " : "", found,
                           found == 1 ? "entry" : "entries");
}

static gboolean ask(const char *safe, const char *folder, GError **error)
{
    if (!ask_can()) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' is not a project, as it has neither .git nor litterbox.toml; 'box init' "
                    "makes it one, and its box then sees everything in it",
                    safe);
        return FALSE;
    }
    g_autofree char *entries = count_entries(folder);
    g_autofree char *question =
        g_strdup_printf("'%s' is not a project yet, as it has neither .git nor litterbox.toml.\n"
                        "Make it one? What runs in its box sees and changes all of it: %s.",
                        safe, entries);
    if (ask_yes(question))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_CANCELLED, "nothing was changed");
    return FALSE;
}

gboolean new_project_allow(const char *folder, gboolean marked, new_project_consent consent,
                           GError **error)
{
    g_autofree char *safe = text_safe(folder, -1);
    g_autofree char *why = consent == NEW_PROJECT_ANYWAY ? NULL : danger(folder, marked);
    if (why) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' %s, and its box would see all of it: go to a project's folder, or make "
                    "this one a project with 'box init --anyway'",
                    safe, why);
        return FALSE;
    }
    return marked || consent != NEW_PROJECT_ASK || ask(safe, folder, error);
}
