#include "box/git_shim/git_shim.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "box/git_shim/git_places.h"
#include "box/registry/shims.h"
#include "common/text.h"
#include "console/log.h"

/* As git has it when it cannot work where it is. */
#define STATUS_FATAL 128

/*
 * Variables that mean the same in a box. None that names a program or a configuration, since those
 * of the host do not fit the box and may hold secrets: GIT_EDITOR, GIT_SSH_COMMAND, GIT_CONFIG_….
 */
static const char *const passed[] = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "GIT_OPTIONAL_LOCKS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_TERMINAL_PROMPT",
    "GIT_REFLOG_ACTION",
    "GIT_MERGE_AUTOEDIT",
    NULL,
};

/* Carries the -C out itself: no box can change a folder that this process has already entered. */
static int enter_folders(const git_call *call)
{
    for (guint i = 0; i < call->folders->len; i++) {
        const char *folder = call->folders->pdata[i];
        if (!*folder || chdir(folder) == 0)
            continue;
        g_autofree char *safe = text_safe(folder, -1);
        log_error("git: cannot change to '%s': %s", safe, g_strerror(errno));
        return STATUS_FATAL;
    }
    return 0;
}

/* The words to call git with, without the -C. */
static char **make_argv(const git_call *call)
{
    GPtrArray *argv = g_ptr_array_new();
    g_ptr_array_add(argv, g_strdup("git"));
    if (call->git_dir)
        g_ptr_array_add(argv, g_strconcat("--git-dir=", call->git_dir, NULL));
    if (call->work_tree)
        g_ptr_array_add(argv, g_strconcat("--work-tree=", call->work_tree, NULL));
    for (guint i = 0; i < call->rest->len; i++)
        g_ptr_array_add(argv, g_strdup(call->rest->pdata[i]));
    g_ptr_array_add(argv, NULL);
    return (char **)g_ptr_array_free(argv, FALSE);
}

static int run_in_box(struct box *owner, char **argv, const char *folder,
                      const struct git_shim_ways *ways, GError **error)
{
    g_autoptr(GError) problem = NULL;
    gboolean is_watched = isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
    session_options options = {
        .command = argv, .workdir = folder, .env = passed, .running_only = !is_watched};
    int status = ways->session(owner, &options, &problem);
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_STATE)) {
        if (isatty(STDERR_FILENO))
            log_error("%s", problem->message);
        return STATUS_FATAL;
    }
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return status;
}

static int refuse_unknown(const git_call *call)
{
    g_autofree char *safe = text_safe(call->unknown, -1);
    log_error("the shim 'git' does not know the option '%s', so it cannot tell where git would "
              "work; 'git" SHIMS_RAW "' is the git of this machine",
              safe);
    return STATUS_FATAL;
}

static int refuse_from_outside(const struct box *owner, const char *folder)
{
    g_autofree char *safe = text_safe(folder, -1);
    g_autofree char *project = text_safe(owner->project, -1);
    log_error("git would use '%s', the project of box '%s', from '%s', which that box does not "
              "see: use -C in the project, make a box here with 'box init', or run 'git" SHIMS_RAW
              "', the git of this machine",
              project, owner->name, safe);
    return STATUS_FATAL;
}

/* The environment is the caller's, the shims in its PATH included. */
static int run_on_host(char **argv, const project_finder *projects,
                       const struct git_shim_ways *ways)
{
    g_autofree char *found = shims_program("git");
    g_autofree char *program = found ? g_canonicalize_filename(found, NULL) : NULL;
    g_autofree char *refused =
        program ? safe_path_refusal(program, project_finder_projects(projects)) : NULL;
    if (program && !refused) {
        shims_restore_path();
        execv(program, argv);
    }
    return ways->other(argv);
}

/* Runs CALL in FOLDER, the current folder. */
static int run(const git_call *call, const char *folder, const struct git_shim_ways *ways,
               GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_auto(GStrv) argv = make_argv(call);
    g_autoptr(project_finder) projects = project_finder_new(error);
    if (!projects)
        return -1;
    g_autoptr(box) inside = project_finder_look(projects, folder, &problem);
    if (inside)
        return run_in_box(inside, argv, folder, ways, error);
    if (!problem && call->unknown)
        return refuse_unknown(call);
    g_autoptr(box) outside = problem ? NULL : git_places_owner(call, folder, projects, &problem);
    if (outside)
        return refuse_from_outside(outside, folder);
    if (!problem)
        return run_on_host(argv, projects, ways);
    g_propagate_error(error, g_steal_pointer(&problem));
    return -1;
}

int git_shim_run(char **argv, const struct git_shim_ways *ways, GError **error)
{
    char folder[PATH_MAX];
    g_auto(git_call) call = {0};
    git_call_parse(&call, argv);
    int status = enter_folders(&call);
    if (status)
        return status;
    if (getcwd(folder, sizeof folder))
        return run(&call, folder, ways, error);
    log_error("git: the current folder: %s", g_strerror(errno));
    return STATUS_FATAL;
}
