#include <string.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/branch_view.h"
#include "box/branch/commits.h"
#include "box/branch/take.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/rename.h"
#include "box/registry/branch_names.h"
#include "box/snapshot/snapshot.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "cli/commands/show.h"
#include "common/text.h"
#include "config/config.h"
#include "console/ask.h"
#include "console/log.h"

static struct {
    gboolean yes, commits, hunks, of_mcp, overwrite, patch, name_only, stat, strict, then, undo;
    const char *tool;
    GPtrArray *allow;
} branch_given;

static const option branch_options[] = {
    {"allow-protected", 0, OPTION_LIST, &branch_given.allow, "PATH",
     "take: also this, which tools of this machine run or obey"},
    {"commits", 0, OPTION_FLAG, &branch_given.commits, NULL,
     "take: commits that were made there, as commits"},
    {"hunks", 0, OPTION_FLAG, &branch_given.hunks, NULL, "take: ask for each part of each file"},
    {"mcp", 0, OPTION_FLAG, &branch_given.of_mcp, NULL,
     "drop: only what 'box mcp' has made, and you have not worked in"},
    {"name-only", 0, OPTION_FLAG, &branch_given.name_only, NULL, "diff: only names"},
    {"overwrite", 0, OPTION_FLAG, &branch_given.overwrite, NULL,
     "take: also over files that the host has changed, too"},
    {"patch", 'p', OPTION_FLAG, &branch_given.patch, NULL, "diff, take: show what is in the files"},
    {"stat", 0, OPTION_FLAG, &branch_given.stat, NULL,
     "diff: how many lines each file got and lost"},
    {"strict", 0, OPTION_FLAG, &branch_given.strict, NULL,
     "take: refuse all when something must be left out"},
    {"then", 0, OPTION_FLAG, &branch_given.then, NULL,
     "diff: from what the project had when the branch began"},
    {"tool", 0, OPTION_FLAG, &branch_given.tool, "TOOL", "diff: in your difftool, or in TOOL"},
    {"undo", 0, OPTION_FLAG, &branch_given.undo, NULL, "take: undo the last take of the branch"},
    {"yes", 'y', OPTION_FLAG, &branch_given.yes, NULL, "take, drop, rename: do not ask"},
    {0},
};

/* The branch that WORD means: NAME of the current project's box, or BOX.NAME. */
static struct box *find_branch(const char *word, GError **error)
{
    const char *dot = strrchr(word, '.');
    if (!dot) {
        g_autoptr(box) of = project_box(NULL, PROJECT_EXISTING, error);
        return of ? branch_find(of, word, error) : NULL;
    }
    g_autofree char *name = g_strndup(word, (gsize)(dot - word));
    g_autoptr(box) of = registry_by_name(name, error);
    return of ? branch_find(of, dot + 1, error) : NULL;
}

static config *load_origin(const struct box *self, GError **error)
{
    return config_load(self->project, self->base, NULL, TRUST_SKIP, error);
}

static int list_branches(const struct command_call *call, GError **error)
{
    g_auto(GStrv) names = project_box_names(call->operands[0], error);
    if (!names)
        return -1;
    branch_show_list(names, call->json);
    return 0;
}

static gboolean is_wanted(const branch_change *change, void *paths)
{
    return branch_path_is_in(paths, change->path);
}

/* With --tool=NAME, $BOX_DIFFTOOL, or neither. */
static const char *tool_name(void)
{
    const char *name = *branch_given.tool ? branch_given.tool : g_getenv("BOX_DIFFTOOL");
    return name && *name ? name : NULL;
}

static int diff_branch(const struct command_call *call, GError **error)
{
    if (branch_given.tool &&
        (branch_given.name_only || branch_given.patch || branch_given.stat || call->json)) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                            "--tool shows files itself: leave --json, --name-only, --patch and "
                            "--stat out");
        return -1;
    }
    g_autoptr(box) self = find_branch(call->operands[0], error);
    g_autoptr(config) read = self ? load_origin(self, error) : NULL;
    g_autoptr(branch_changes) changes =
        read ? branch_view(self, config_settings(read), error) : NULL;
    if (!changes)
        return -1;
    g_auto(GStrv) paths = branch_paths_of(self->project, call->operands + 1, error);
    if (!paths)
        return -1;
    if (*paths)
        branch_changes_keep(changes, is_wanted, paths);
    if (branch_given.tool)
        return branch_show_tool(self, changes, tool_name(), branch_given.then, error) ? 0 : -1;
    if (branch_given.patch || branch_given.stat || branch_given.then)
        return branch_show_files(self, changes, config_settings(read)->project.hidden,
                                 branch_given.stat, branch_given.then, error)
                   ? 0
                   : -1;
    branch_show_changes(changes, call->json, branch_given.name_only);
    return 0;
}

static gboolean confirm_branches(const char *question, GError **error)
{
    if (branch_given.yes || ask_yes(question))
        return TRUE;
    g_set_error(error, BOX_ERROR, ask_can() ? BOX_ERROR_CANCELLED : BOX_ERROR_USAGE,
                ask_can() ? "nothing was changed" : "there is no terminal to ask on: use --yes");
    return FALSE;
}

/* NULL: its changes cannot be read. */
static branch_changes *view(const struct box *self)
{
    g_autoptr(config) read = load_origin(self, NULL);
    return read ? branch_view(self, config_settings(read), NULL) : NULL;
}

/* Nothing would be lost with SELF. */
static gboolean is_empty(const struct box *self, const branch_changes *changes)
{
    return changes && !changes->list->len && !changes->git && !self->isolated;
}

static gboolean confirm_drop(const struct box *self, GError **error)
{
    g_autoptr(branch_changes) changes = view(self);
    if (is_empty(self, changes))
        return TRUE;
    g_autofree char *what = changes ? branch_changes_describe(changes) : NULL;
    g_autofree char *question = g_strdup_printf(
        "Drop branch '%s'%s (%s)? What nobody has taken is deleted.", self->branch,
        self->isolated ? " with its home" : "", what ? what : "its changes cannot be read");
    return confirm_branches(question, error);
}

/* With the lock of SELF: its container goes. */
static gboolean remove_container(const struct box *self, podman_client *server, GError **error)
{
    return box_stop(self, server, error) && box_remove_container(self, server, error);
}

/* It is empty, and does not run. */
static gboolean is_spent(const struct box *self)
{
    g_autoptr(branch_changes) changes = box_find_init(self) ? NULL : view(self);
    return is_empty(self, changes);
}

static gboolean check_owner(const struct box *self, GError **error)
{
    gboolean is_right = !branch_given.of_mcp || branch_owner_of(self) == BRANCH_OF_MCP;
    if (!is_right)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "branch '%s' is not one that 'box mcp' alone has worked in", self->branch);
    return is_right;
}

/* SPENT: only if it is, by now. */
static gboolean drop_branch(const struct box *self, podman_client *server, gboolean spent,
                            GError **error)
{
    g_autoptr(GError) gone = NULL;
    int lock = box_lock_registered(self, &gone);
    if (lock < 0 && spent && g_error_matches(gone, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        return TRUE;
    if (lock < 0) {
        g_propagate_error(error, g_steal_pointer(&gone));
        return FALSE;
    }
    if (spent && !is_spent(self)) {
        close(lock);
        return TRUE;
    }
    log_step("dropping branch '%s'", self->branch);
    gboolean done = check_owner(self, error) && remove_container(self, server, error);
    if (done)
        box_revoke_host_access(self);
    done = done && branch_remove(self, error);
    log_step_done();
    close(lock);
    if (done && spent)
        log_note("dropped branch '%s' of box '%s', of which nothing is left to take", self->branch,
                 self->base);
    return done;
}

static int drop_branches(const struct command_call *call, GError **error)
{
    for (char **name = call->operands; *name; name++) {
        g_autoptr(box) self = find_branch(*name, error);
        if (!self || !confirm_drop(self, error) || !drop_branch(self, call->server, FALSE, error))
            return -1;
    }
    return 0;
}

static gboolean snapshot_before_take(const struct box *self, const settings *wanted, GError **error)
{
    guint number;
    g_autoptr(box) of = registry_by_name(self->base, error);
    if (!of || !snapshot_auto(of, wanted, FALSE, TRUE, &number, error))
        return FALSE;
    if (number)
        log_note("snapshot %u of box '%s' has what the project is now", number, of->name);
    return TRUE;
}

/* With --overwrite a part would replace the host's work, and the next take could not tell the two
 * apart. */
static gboolean check_hunks(GError **error)
{
    gboolean has_other = branch_given.commits || branch_given.undo || branch_given.overwrite ||
                         branch_given.patch || branch_given.yes;
    if (!branch_given.hunks || (!has_other && ask_can() && isatty(STDOUT_FILENO)))
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                        has_other ? "--hunks shows and asks for each part: leave --commits, "
                                    "--overwrite, --patch, --undo and --yes out"
                                  : "there is no terminal to ask on: name paths, and use --yes "
                                    "in place of --hunks");
    return FALSE;
}

static int take(const struct command_call *call, GError **error)
{
    if (!check_hunks(error))
        return -1;
    g_autoptr(box) self = find_branch(call->operands[0], error);
    if (self && branch_given.undo)
        return branch_take_undo(self, error) ? 0 : -1;
    g_autoptr(config) read = self ? load_origin(self, error) : NULL;
    g_auto(GStrv) paths = read ? branch_paths_of(self->project, call->operands + 1, error) : NULL;
    g_auto(GStrv) allowed =
        paths
            ? branch_paths_of(self->project, (char *const *)options_list(branch_given.allow), error)
            : NULL;
    if (!allowed)
        return -1;
    branch_take_options how = {.paths = paths,
                               .allowed = allowed,
                               .overwrite = branch_given.overwrite,
                               .strict = branch_given.strict,
                               .hunks = branch_given.hunks,
                               .show = branch_given.patch ? branch_show_staged : NULL,
                               .confirm = confirm_branches};
    if (branch_given.commits && *how.paths) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                            "commits are taken as they are: leave the paths out");
        return -1;
    }
    if (!snapshot_before_take(self, config_settings(read), error))
        return -1;
    if (branch_given.commits)
        return branch_take_commits(self, config_settings(read), &how, error) ? 0 : -1;
    return branch_take(self, config_settings(read), &how, error) ? 0 : -1;
}

static int refresh_branch(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = find_branch(call->operands[0], error);
    int lock = self ? box_lock_registered(self, error) : -1;
    if (lock < 0)
        return -1;
    gboolean done = box_stop(self, call->server, error);
    close(lock);
    if (done)
        log_note("branch '%s' sees what the host has now from its next start on", self->branch);
    return done ? 0 : -1;
}

static int rename_branch(const struct command_call *call, GError **error)
{
    gboolean runs;
    g_autoptr(box) self = find_branch(call->operands[0], error);
    int lock = self ? box_lock_registered(self, error) : -1;
    if (lock < 0)
        return -1;
    gboolean done = branch_check_rename(self, call->operands[1], error) &&
                    box_rename_confirm(self, call->server, branch_given.yes, &runs, error) &&
                    remove_container(self, call->server, error);
    if (done)
        box_revoke_host_access(self);
    done = done && branch_rename(self, call->operands[1], error);
    close(lock);
    return done ? 0 : -1;
}

static int gc(const struct command_call *call, GError **error)
{
    g_auto(GStrv) names = registry_names();
    for (char **name = names; *name; name++) {
        g_autoptr(box) of = registry_by_name(*name, NULL);
        g_auto(GStrv) branches = branch_names(*name);
        for (char **branch = branches; of && *branch; branch++) {
            g_autoptr(box) self = branch_find(of, *branch, NULL);
            if (self && is_spent(self) && !drop_branch(self, call->server, TRUE, error))
                return -1;
        }
    }
    return 0;
}

static const struct command_verb branch_verbs[] = {
    {"list", "[PROJECT]", 0, 1, list_branches, "list branches, and how much each has changed",
     COMMAND_JSON, COMPLETE_PROJECT},
    {"diff",
     "NAME [PATH…]",
     1,
     COMMAND_NO_LIMIT,
     diff_branch,
     "show how a branch differs from what the project has now",
     COMMAND_JSON,
     COMPLETE_BRANCHES,
     {COMPLETE_FILES}},
    {"take",
     "NAME [PATH…]",
     1,
     COMMAND_NO_LIMIT,
     take,
     "put what a branch has changed into the project",
     0,
     COMPLETE_BRANCHES,
     {COMPLETE_FILES}},
    {"drop", "NAME…", 1, COMMAND_NO_LIMIT, drop_branches,
     "remove a branch and what nobody has taken", COMMAND_NEEDS_PODMAN, COMPLETE_BRANCHES},
    {"refresh", "NAME", 1, 1, refresh_branch, "let a branch see what the project has now",
     COMMAND_NEEDS_PODMAN, COMPLETE_BRANCHES},
    {"rename",
     "NAME NEW",
     2,
     2,
     rename_branch,
     "give a branch another name",
     COMMAND_NEEDS_PODMAN,
     COMPLETE_BRANCHES,
     {COMPLETE_FREE_TEXT}},
    {"gc", "", 0, 0, gc, "drop branches of which nothing is left to take", COMMAND_NEEDS_PODMAN,
     COMPLETE_NOTHING},
    {0},
};

const struct command command_branch = {
    .name = "branch",
    .group = GROUP_WORK,
    .verbs = branch_verbs,
    .summary = "look at copies of a project, take their changes, or drop them",
    .details =
        "'box run --branch NAME' works on a copy-on-write copy of the project. NAME is a branch of\n"
        "the current project, or BOX.NAME.",
    .options = branch_options,
    .flags = COMMAND_VERB_OPTIONAL,
};
