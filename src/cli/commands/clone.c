#include "box/lifecycle/clone.h"

#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "console/log.h"

static struct {
    gboolean anyway;
} clone_given;

static const option clone_options[] = {
    {"anyway", 0, OPTION_FLAG, &clone_given.anyway, NULL,
     "also a hidden folder, another user's, or one that holds projects"},
    {0},
};

/* FALSE with ERROR when PROJECT has a box, here or where it was before a move. */
static gboolean check_without_box(const char *project, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *safe = text_safe(project, -1);
    g_autoptr(box) has = registry_by_project(project, &problem);
    g_autoptr(box) moved = has || problem ? NULL : registry_find_moved(project);
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    else if (has)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "'%s' has the box '%s': 'box rm %s' removes it, with its home", safe, has->name,
                    has->name);
    else if (moved)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "the project of box '%s' was moved to '%s': 'box init --move' there uses it",
                    moved->name, safe);
    else
        return TRUE;
    return FALSE;
}

static int run_clone(const struct command_call *call, GError **error)
{
    const char *from = call->operands[0];
    if (!from) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "missing argument; usage: box clone %s",
                    call->row->operands);
        return -1;
    }
    g_autofree char *wanted = NULL;
    g_autoptr(box) source = project_box(from, PROJECT_EXISTING, error);
    g_autofree char *project = source ? project_to_register(call->operands[1], error) : NULL;
    if (!project || !check_without_box(project, error) ||
        !project_may_become(project, clone_given.anyway ? PROJECT_INIT_ANYWAY : PROJECT_INIT,
                            &wanted, error))
        return -1;
    g_autoptr(box) self = box_clone(source, project, wanted, call->server, error);
    if (!self)
        return -1;
    g_autofree char *safe = text_safe(self->project, -1);
    log_note("box '%s' is for '%s', with a copy of the home and settings of '%s'", self->name, safe,
             source->name);
    log_note("not copied: litterbox.toml, its approval, keys, grants, devices, kept forwards, menu "
             "entries, files outside the home");
    return 0;
}

const struct command command_clone = {
    .name = "clone",
    .group = GROUP_SETUP,
    .operands = "SOURCE [FOLDER]",
    .summary = "make a box with the home and settings of another",
    .details =
        "SOURCE is a box or its project; the box must not run. FOLDER, or the current folder,\n"
        "becomes the project of the new box. Keys, grants and devices are not copied.",
    .options = clone_options,
    .completes = COMPLETE_PROJECT,
    .then = {COMPLETE_FILES},
    .most = 2,
    .run = run_clone,
    .flags = COMMAND_NEEDS_PODMAN,
};
