/*
 * `box` on PATH: `box run -- COMMAND` and shims, for a box that runs, and the shim `git` outside of
 * projects. That is what people wait for most, so this program is small and static: half of the
 * time of a short command would be the start of one that can do everything. All else is done by
 * that one, libexec/litterbox/box, which this executes when no session has begun.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box/git_shim/git_shim.h"
#include "box/registry/box.h"
#include "box/registry/project_rules.h"
#include "box/registry/registry.h"
#include "box/registry/shims.h"
#include "box/session/connection.h"
#include "box/session/running_session.h"
#include "build-config.h"
#include "common/cgroup.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/agent_preset.h"
#include "console/log.h"
#include "net/unix_socket.h"
#include "sys/crash.h"
#include "sys/debug.h"

#define STATUS_FAILED 125

/* What is not done here. */
#define NOT_QUICK (-1) /* of running_session() without an error, too */

typedef struct {
    const char *box;  /* NULL: of the current folder */
    const char *shim; /* or NULL */
    char **command;
    gboolean no_tty;
} quick_call;

/* "run [-T] [BOX] -- COMMAND…". FALSE: with other words than these, or with none for the command.
 */
static gboolean read_run(char **argv, quick_call *call)
{
    if (g_strcmp0(argv[1], "run") != 0)
        return FALSE;
    char **word = argv + 2;
    if (g_strcmp0(*word, "-T") == 0) {
        call->no_tty = TRUE;
        word++;
    }
    if (*word && **word != '-' && box_name_is_valid(*word))
        call->box = *word++;
    if (g_strcmp0(*word, "--") != 0 || !word[1])
        return FALSE;
    call->command = word + 1;
    return TRUE;
}

/* For NAME-raw the links lead to the whole program, but for those of earlier versions. It starts
 * agents, too, also by links that are older than their presets. */
static gboolean read_shim(const char *name, char **argv, quick_call *call)
{
    if (g_str_has_suffix(name, SHIMS_RAW) || !shims_check_name(name, NULL) ||
        agent_preset_exists(name))
        return FALSE;
    argv[0] = (char *)name;
    call->shim = name;
    call->command = argv;
    return TRUE;
}

/* The registered box that is meant; NULL when the whole program has to look for it. */
static struct box *find_box(const char *name)
{
    if (name)
        return registry_by_name(name, NULL);
    char *here = realpath(".", NULL);
    g_autofree char *project = here ? project_nearest_that(here, registry_has_project) : NULL;
    free(here);
    return project ? registry_by_project(project, NULL) : NULL;
}

/* -1 without ERROR: it is stopped or paused, and the whole program says or changes that. */
static int connect_to(struct box *self, const session_options *options, GError **error)
{
    (void)options, (void)error;
    int connection = box_connect(self);
    if (connection < 0)
        return -1;
    if (cgroup_is_frozen(unix_socket_peer_pid(connection))) {
        close(connection);
        return -1;
    }
    running_session_wake_helpers(self, connection);
    return connection;
}

/* -1 without ERROR when nothing was done. */
static int run_session(struct box *self, const char *shim, session_options options, GError **error)
{
    g_autofree char *hint = shim ? shims_not_found_hint(shim) : NULL;
    gboolean is_missing = FALSE;
    options.apart_stderr = !shim || options.tty;
    options.not_found_hint = hint;
    return running_session(self, &options, connect_to, &is_missing, error);
}

static int run_call(const quick_call *call, GError **error)
{
    g_autoptr(box) self = find_box(call->box);
    session_options options = {.command = call->command,
                               .tty = !call->no_tty && session_has_terminal()};
    return self ? run_session(self, call->shim, options, error) : -1;
}

static int run_git_session(struct box *self, const session_options *options, GError **error)
{
    session_options own = *options;
    own.tty = session_has_terminal();
    return run_session(self, "git", own, error);
}

static int leave_git(char **argv)
{
    (void)argv;
    return -1;
}

/* The whole program would begin from the start, and so in the folder where this one began. */
static int run_git(char **argv, GError **error)
{
    static const struct git_shim_ways ways = {run_git_session, leave_git};
    int folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    int status = git_shim_run(argv, &ways, error);
    if (status < 0 && !*error && fchdir(folder) < 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the current folder: %s",
                    g_strerror(errno));
    close(folder);
    return status;
}

/* Where the whole program has something to do first. Without HOME the password database would be
 * read, for which a static program loads libraries. */
static gboolean is_quick(char **argv)
{
    return !g_getenv(DEBUG_VARIABLE) && g_getenv("HOME") && argv[0] && paths_check_instance(NULL) &&
           !unfinished_is_there();
}

/* The exit status, or NOT_QUICK when nothing was done. */
static int run(const char *shim, char **argv)
{
    g_autoptr(GError) error = NULL;
    quick_call call = {0};
    int status = NOT_QUICK;
    if (!is_quick(argv))
        return NOT_QUICK;
    if (g_strcmp0(shim, "git") == 0)
        status = run_git(argv, &error);
    else if (shim ? read_shim(shim, argv, &call) : read_run(argv, &call))
        status = run_call(&call, &error);
    if (!error)
        return status;
    log_error("%s", error->message);
    return box_error_exit_status(error);
}

/* ARGV with "--shim NAME" before its words: the kernel would not say any more by which link this
 * program was called. */
static char **shim_words(const char *shim, char **argv)
{
    GPtrArray *words = g_ptr_array_new();
    g_ptr_array_add(words, (char *)"box");
    g_ptr_array_add(words, (char *)"--shim");
    g_ptr_array_add(words, (char *)shim);
    for (argv++; *argv; argv++)
        g_ptr_array_add(words, *argv);
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

static int execute_whole(const char *shim, char **argv)
{
    g_autofree char *program = paths_libexec("box");
    g_autofree char **words = shim && argv[0] ? shim_words(shim, argv) : NULL;
    shims_restore_path();
    execv(program, words ? words : argv);
    g_autofree char *safe = text_safe(program, -1);
    log_error("'%s': %s", safe, g_strerror(errno));
    return STATUS_FAILED;
}

int main(int argc, char **argv)
{
    log_start();
    crash_handler_install("box", NULL);
    if (g_getenv("HOME"))
        shims_remove_from_path();
    const char *shim = shims_called_name();
    if (!shim && argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("box " BOX_VERSION);
        return fflush(stdout) == 0 ? 0 : STATUS_FAILED;
    }
    int status = run(shim, argv);
    return status == NOT_QUICK ? execute_whole(shim, argv) : status;
}
