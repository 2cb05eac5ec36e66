#include "cli/commands/project_new.h"

#include "box/registry/project_rules.h"
#include "common/error.h"
#include "common/text.h"
#include "console/ask.h"

/* Entries of a folder that are looked at. */
#define ENTRIES_MAX 10000

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

gboolean new_project_is_possible(const char *folder, GError **error)
{
    const char *why = project_never(folder);
    g_autofree char *safe = text_safe(folder, -1);
    if (why)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s' cannot be a project: it %s", safe,
                    why);
    return !why;
}

static gboolean check_doubt(const char *safe, const char *folder, new_project_consent consent,
                            GError **error)
{
    g_autofree char *why = project_doubt(folder);
    if (why)
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_USAGE,
            "'%s' %s, and its box would see all of it: go to a project's folder, or %s", safe, why,
            consent == NEW_PROJECT_NAMED ? "give --anyway"
                                         : "make this one a project with 'box init --anyway'");
    return !why;
}

gboolean new_project_allow(const char *folder, new_project_consent consent, GError **error)
{
    g_autofree char *safe = text_safe(folder, -1);
    return new_project_is_possible(folder, error) &&
           (consent == NEW_PROJECT_ANYWAY || check_doubt(safe, folder, consent, error)) &&
           (consent != NEW_PROJECT_ASK || project_is_marked(folder) || ask(safe, folder, error));
}
