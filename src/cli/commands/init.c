#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/trust.h"
#include "console/log.h"

#define TEMPLATE_MAX (1 << 20)

static struct {
    gboolean move, fresh, no_file, anyway;
    const char *image, *template;
} init_given;

static const option init_options[] = {
    {"image", 0, OPTION_TEXT, &init_given.image, "IMAGE",
     "host, template:NAME, or an image reference"},
    {"template", 0, OPTION_TEXT, &init_given.template, "NAME",
     "copy this template's Containerfile into the project"},
    {"no-file", 0, OPTION_FLAG, &init_given.no_file, NULL,
     "only register it; write no litterbox.toml"},
    {"anyway", 0, OPTION_FLAG, &init_given.anyway, NULL,
     "also a hidden folder, another user's, or one that holds projects"},
    {"move", 0, OPTION_FLAG, &init_given.move, NULL,
     "use the box of the project that was moved here"},
    {"new", 0, OPTION_FLAG, &init_given.fresh, NULL,
     "create a new box for a folder that was moved"},
    {0},
};

/* Creates the file NAME in the project. Follows no symlink, as the box of a folder above may put
 * one in the project's place, and replaces nothing. */
static gboolean write_new(const char *project, const char *name, const char *text, GError **error)
{
    int folder = fs_open_real(project, O_PATH | O_DIRECTORY);
    /* While a box runs, an empty folder may stand in for a protected file. */
    if (folder >= 0)
        unlinkat(folder, name, AT_REMOVEDIR);
    int fd = folder < 0 ? -1 : fs_open_beneath(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0644);
    gsize length = strlen(text);
    gboolean done = fd >= 0 && write(fd, text, length) == (gssize)length;
    int saved = errno;
    if (fd >= 0)
        close(fd);
    /* On a full disk: an empty one would count as there. */
    if (fd >= 0 && !done)
        unlinkat(folder, name, 0);
    if (folder >= 0)
        close(folder);
    if (!done)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot write '%s' in the project: %s",
                    name, g_strerror(saved));
    return done;
}

static gboolean copy_template(const char *project, const char *name, GError **error)
{
    g_autofree char *tail = g_build_filename("containerfiles", name, "Containerfile", NULL);
    g_autofree char *path = paths_share(tail);
    g_autofree char *text = NULL;
    if (strchr(name, '/') || !fs_read(AT_FDCWD, path, TEMPLATE_MAX, &text, NULL, NULL)) {
        g_autofree char *safe = text_safe(name, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "no template '%s'; 'box image templates' lists all templates", safe);
        return FALSE;
    }
    return write_new(project, "Containerfile", text, error);
}

static char *starter(void)
{
    g_autofree char *image = init_given.image ? g_strescape(init_given.image, NULL) : NULL;
    const char *source = init_given.template ? "containerfile = \"Containerfile\"\n" : "";
    g_autofree char *line = image ? g_strdup_printf("image = \"%s\"\n", image) : g_strdup("");
    return g_strconcat("# The box of this project. Every key: man litterbox.toml, or\n"
                       "# 'box config show --all'. Changes take effect with 'box trust' and "
                       "'box apply'.\n\n[box]\n",
                       *line || *source ? "" : "# image = \"template:debian\"\n", line, source,
                       NULL);
}

static gboolean write_config(const char *project, GError **error)
{
    g_autofree char *text = starter();
    g_autoptr(trust) state = trust_check(project, error);
    if (!state)
        return FALSE;
    if (state->contents && (init_given.image || init_given.template)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "litterbox.toml already exists: set [box] image or containerfile in it");
        return FALSE;
    }
    if (state->contents) {
        log_note("litterbox.toml already exists and is unchanged");
        return TRUE;
    }
    /* The user asked for this file, so it needs no question. */
    if ((init_given.template && !copy_template(project, init_given.template, error)) ||
        !write_new(project, "litterbox.toml", text, error) || !trust_approve(project, text, error))
        return FALSE;
    log_note("wrote %slitterbox.toml", init_given.template ? "Containerfile and " : "");
    return TRUE;
}

static struct box *moved_box(const char *project, GError **error)
{
    g_autoptr(box) moved = registry_find_moved(project);
    if (!moved) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "no box found whose project was moved here");
        return NULL;
    }
    return registry_move(moved, project, error) ? g_steal_pointer(&moved) : NULL;
}

static struct box *new_box(const char *project, GError **error)
{
    new_project_consent consent = init_given.anyway ? NEW_PROJECT_ANYWAY : NEW_PROJECT_NAMED;
    return new_project_allow(project, consent, error)
               ? registry_add(project, NULL, box_revoke_host_access, error)
               : NULL;
}

/* A running box keeps its mounts, so it still has the folder at the old path. */
static void note_running(const struct box *self)
{
    if (box_find_init(self))
        log_note("box '%s' is still running with the old path; run 'box restart'", self->name);
}

static int run_init(const struct command_call *call, GError **error)
{
    g_autofree char *project = project_to_register(call->operands[0], error);
    if (!project)
        return -1;
    if (init_given.no_file && (init_given.image || init_given.template)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--no-file cannot be combined with --image or --template");
        return -1;
    }
    g_autoptr(box) self = NULL;
    if (init_given.move)
        self = moved_box(project, error);
    else if (init_given.fresh)
        self = new_box(project, error);
    else
        self = project_box(project, init_given.anyway ? PROJECT_INIT_ANYWAY : PROJECT_INIT, error);
    if (!self || (!init_given.move && !init_given.no_file && !write_config(project, error)))
        return -1;
    if (init_given.move)
        note_running(self);
    g_autofree char *safe = text_safe(self->project, -1);
    log_note("box '%s' is for '%s'; 'box enter' opens it", self->name, safe);
    return 0;
}

const struct command command_init = {
    .name = "init",
    .group = GROUP_SETUP,
    .operands = "[PROJECT]",
    .summary = "register a project and write its litterbox.toml",
    .details = "Not needed where .git or litterbox.toml is: 'box enter' there makes a box.",
    .options = init_options,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run_init,
};
