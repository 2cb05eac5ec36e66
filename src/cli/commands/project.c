#include "cli/commands/project.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/lifecycle/lifecycle.h"
#include "box/registry/branch.h"
#include "box/registry/branch_names.h"
#include "box/registry/project_rules.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "config/config.h"
#include "console/ask.h"
#include "console/log.h"
#include "plan/plan.h"

static gboolean is_project_folder(const char *folder)
{
    return registry_has_project(folder) || project_is_marked(folder);
}

/*
 * NULL when neither START nor a parent of it is a project. A registered project comes before every
 * marker below it: its box can make a .git there, and a new box for that folder would have the
 * defaults, a network among them, whatever the project's configuration says.
 */
static char *known_project(const char *start)
{
    char *registered = project_nearest_that(start, registry_has_project);
    return registered ? registered : project_nearest_that(start, project_is_marked);
}

static char *or_here(char *found, const char *start)
{
    char here[PATH_MAX];
    if (found)
        return found;
    return g_strdup(getcwd(here, sizeof here) && fs_is_below(start, here) ? here : start);
}

static char *real_folder(const char *path, GError **error)
{
    struct stat st;
    char *real = realpath(path, NULL);
    g_autofree char *safe = text_safe(path, -1);
    if (!real && errno == ENOENT && strcmp(path, ".") == 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "the folder that you are in has been removed: change to one that is there "
                    "('box list' shows your projects)");
    else if (!real)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s': %s", safe, g_strerror(errno));
    else if (stat(real, &st) < 0 || !S_ISDIR(st.st_mode))
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s' is not a folder", safe);
    else
        return real;
    free(real);
    return NULL;
}

static gboolean new_project_is_possible(const char *folder, GError **error);

/* One that an earlier version has registered is found all the same, so that it can be removed. */
static char *checked(char *folder, GError **error)
{
    g_autofree char *found = folder;
    if (found && project_is_beyond(found) && !registry_has_project(found) &&
        !new_project_is_possible(found, error))
        return NULL;
    return g_steal_pointer(&found);
}

/* As project_folder(), but ARGUMENT is no box's name. */
static char *project_find(const char *argument, GError **error)
{
    return argument ? checked(real_folder(argument, error), error) : project_above(".", error);
}

char *project_above(const char *folder, GError **error)
{
    g_autofree char *start = real_folder(folder, error);
    return start ? checked(or_here(known_project(start), start), error) : NULL;
}

char *project_to_register(const char *argument, GError **error)
{
    if (argument)
        return project_find(argument, error);
    g_autofree char *start = real_folder(".", error);
    return start ? checked(or_here(project_nearest_that(start, is_project_folder), start), error)
                 : NULL;
}

char *project_nearest(void)
{
    g_autofree char *start = real_folder(".", NULL);
    return start ? known_project(start) : NULL;
}

static gboolean is_path(const char *argument)
{
    return strchr(argument, '/') || argument[0] == '.' || !box_name_is_valid(argument);
}

static struct box *offer_move(struct box *moved, const char *project, GError **error)
{
    g_autoptr(box) self = moved;
    g_autofree char *old = text_safe(self->project, -1);
    g_autofree char *now = text_safe(project, -1);
    g_autofree char *question =
        g_strdup_printf("The project of box '%s' was moved from '%s' to '%s'. Use the box for it?",
                        self->name, old, now);
    if (!ask_can()) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "the project of box '%s' was moved from '%s' to '%s': run 'box init --move' "
                    "there to use the box, or 'box init --new' for a new box",
                    self->name, old, now);
        return NULL;
    }
    if (!ask_yes(question)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CANCELLED,
                    "nothing was changed; 'box init --new' creates a new box for this folder");
        return NULL;
    }
    return registry_move(self, project, error) ? g_steal_pointer(&self) : NULL;
}

/* The name that the configuration asks for; an untrusted file may not choose one. */
static char *wanted_name(const char *project)
{
    g_autoptr(config) read = config_load(project, NULL, NULL, TRUST_SKIP, NULL);
    return read ? g_strdup(config_settings(read)->box.name) : NULL;
}

gboolean project_may_become(const char *project, project_need need, char **wanted, GError **error)
{
    static const new_project_consent consents[] = {
        [PROJECT_REGISTER] = NEW_PROJECT_ASK,
        [PROJECT_INIT] = NEW_PROJECT_NAMED,
        [PROJECT_INIT_ANYWAY] = NEW_PROJECT_ANYWAY,
    };
    if (!new_project_allow(project, consents[need], error))
        return FALSE;
    trust_policy untrusted = need == PROJECT_REGISTER ? TRUST_ASK : TRUST_SKIP;
    g_autoptr(config) read = config_load(project, NULL, NULL, untrusted, error);
    if (read)
        *wanted = g_strdup(config_settings(read)->box.name);
    return read != NULL;
}

/* Registers PROJECT when the user lets it become one. The configuration is read before: what is
 * refused leaves nothing. */
static struct box *register_box(const char *project, project_need need, GError **error)
{
    g_autofree char *wanted = NULL;
    return project_may_become(project, need, &wanted, error)
               ? registry_add(project, wanted, box_revoke_host_access, error)
               : NULL;
}

static struct box *box_of_folder(const char *project, project_need need, GError **error)
{
    struct box *self = registry_by_project(project, error);
    if (self || (error && *error))
        return self;
    struct box *moved = registry_find_moved(project);
    if (moved && need != PROJECT_PEEK)
        return offer_move(moved, project, error);
    g_clear_pointer(&moved, box_free);
    if (need == PROJECT_EXISTING) {
        g_autofree char *safe = text_safe(project, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "'%s' has no box yet; 'box enter' makes one", safe);
        return NULL;
    }
    if (need != PROJECT_PEEK)
        return register_box(project, need, error);
    g_autofree char *wanted = wanted_name(project);
    return box_new(wanted ? wanted : "unregistered", project, error);
}

/* The box called ARGUMENT. FALSE with ERROR when it can be neither a box nor a folder. */
static gboolean find_by_name(const char *argument, struct box **named, GError **error)
{
    g_autoptr(GError) unknown = NULL;
    *named = NULL;
    if (!argument || is_path(argument))
        return TRUE;
    *named = registry_by_name(argument, &unknown);
    if (*named || g_file_test(argument, G_FILE_TEST_IS_DIR))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&unknown));
    return FALSE;
}

char *project_folder(const char *argument, GError **error)
{
    g_autoptr(box) named = NULL;
    if (!find_by_name(argument, &named, error))
        return NULL;
    return named ? g_strdup(named->project) : project_find(argument, error);
}

struct box *project_box(const char *argument, project_need need, GError **error)
{
    struct box *named;
    if (!find_by_name(argument, &named, error) || named)
        return named;
    g_autofree char *project = project_find(argument, error);
    return project ? box_of_folder(project, need, error) : NULL;
}

char **project_box_names(const char *argument, GError **error)
{
    if (!argument)
        return registry_names();
    g_autoptr(box) of = project_box(argument, PROJECT_EXISTING, error);
    return of ? g_strdupv((char *[]){of->name, NULL}) : NULL;
}

struct box *project_box_or_branch(const char *argument, project_need need, GError **error)
{
    g_autofree char *project = NULL;
    if (argument && !is_path(argument) && branch_is_box_name(argument, NULL) &&
        !registry_find_project(argument, &project, error))
        return NULL;
    return project ? branch_or_box(argument, project, error) : project_box(argument, need, error);
}

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

/* FALSE with ERROR when no box can have FOLDER, a real path, as its project. */
static gboolean new_project_is_possible(const char *folder, GError **error)
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

const char *branch_option_name;
gboolean branch_option_isolated;

struct box *branch_option_apply(struct box *of, GError **error)
{
    gboolean is_new = FALSE;
    if (!of || (!branch_option_name && !branch_option_isolated))
        return of;
    g_autoptr(box) owner = of;
    if (!branch_option_name) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE, "--isolated needs --branch");
        return NULL;
    }
    struct box *self =
        branch_open(owner, branch_option_name, branch_option_isolated, &is_new, error);
    if (self && is_new)
        log_note("new branch '%s' of the project of box '%s': nothing of it reaches the project "
                 "before 'box branch take'",
                 self->branch, self->base);
    return self;
}
