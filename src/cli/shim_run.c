#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "box/git_shim/git_shim.h"
#include "box/registry/shims.h"
#include "cli/commands/agent.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "config/agent_preset.h"
#include "console/log.h"

#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127

static void warn_left_out(const char *entry, const char *why)
{
    g_autofree char *safe = text_safe(*entry ? entry : ".", -1);
    log_warning("'%s' is left out of PATH: %s", safe,
                why ? "a box can write there" : "it is not an absolute path");
}

static int no_program(const char *name, const char *skipped)
{
    g_autofree char *safe = text_safe(skipped, -1);
    if (skipped)
        log_error("'%s' is not run on this machine: a box can write '%s'; call it by its path if "
                  "that is what you want",
                  name, safe);
    else
        log_error("this machine has no '%s' in PATH, except for the shim", name);
    return STATUS_NOT_FOUND;
}

/* Becomes this machine's program NAME, with a PATH without the shims and without what a box can
 * write. Returns only when that fails, with a message: the exit status. */
static int run_raw(const char *name, char **argv)
{
    g_auto(GStrv) writable = registry_writable_folders();
    g_autofree char *path = safe_path(g_getenv("PATH"), writable, warn_left_out);
    g_setenv("PATH", path, TRUE);
    g_autofree char *program = shims_program(name);
    g_autofree char *skipped = program ? safe_path_refusal(program, writable) : NULL;
    if (!program || skipped)
        return no_program(name, skipped);
    argv[0] = (char *)name;
    execv(program, argv);
    g_autofree char *safe = text_safe(program, -1);
    log_error("'%s': %s", safe, g_strerror(errno));
    return STATUS_CANNOT_RUN;
}

/* Runs the command of OPTIONS in SELF for the shim NAME, on a terminal of its own when stdin,
 * stdout and stderr are terminals. Returns as box_run_session() does. */
static int run_session(struct box *self, const char *name, session_options options, GError **error)
{
    g_autofree char *hint = shims_not_found_hint(name);
    options.tty = options.apart_stderr = session_has_terminal();
    options.not_found_hint = hint;
    return box_run_session(self, &options, error);
}

/*
 * The agent NAME, as `box agent run` starts it. The preset counts also where the image, or the
 * machine whose /usr it is, has a program of that name: who has made this shim wants that agent,
 * and one start must not differ from the other. By its own settings it would ask for each command,
 * build a sandbox in the sandbox and update itself; and what is in a box's home any session there
 * could have changed. `box run -- NAME` runs the box's own.
 */
static int run_agent(struct box *self, const char *name, char **argv, GError **error)
{
    g_autoptr(agent_preset) preset = agent_preset_read(name, error);
    return preset ? preset_run(self, preset, FALSE, argv + 1, error) : -1;
}

static int run_in_box(const char *name, char **argv, GError **error)
{
    g_autofree char *project = project_nearest();
    if (!project) {
        g_autofree char *here = g_get_current_dir();
        g_autofree char *safe = text_safe(here, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "'%s' is a shim that runs in the box of a project, and '%s' is in none: go to "
                    "one, make it one with 'box init', or run '%s" SHIMS_RAW
                    "', the one of this machine",
                    name, safe, name);
        return -1;
    }
    g_autoptr(box) self = project_box(project, PROJECT_REGISTER, error);
    if (!self)
        return -1;
    if (agent_preset_exists(name))
        return run_agent(self, name, argv, error);
    argv[0] = (char *)name;
    return run_session(self, name, (session_options){.command = argv}, error);
}

int shim_run(const char *name, char **argv, GError **error)
{
    g_autofree char *program = g_str_has_suffix(name, SHIMS_RAW)
                                   ? g_strndup(name, strlen(name) - strlen(SHIMS_RAW))
                                   : NULL;
    /* `shim add` would have refused the name, so somebody else made this link. */
    if (!shims_check_name(program ? program : name, error))
        return -1;
    return program ? run_raw(program, argv) : run_in_box(name, argv, error);
}

static int run_git_session(struct box *self, const session_options *options, GError **error)
{
    return run_session(self, "git", *options, error);
}

static int run_raw_git(char **argv)
{
    return run_raw("git", argv);
}

int shim_run_git(char **argv, GError **error)
{
    static const struct git_shim_ways ways = {run_git_session, run_raw_git};
    return git_shim_run(argv, &ways, error);
}
