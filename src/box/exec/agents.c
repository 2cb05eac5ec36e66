#include "box/exec/agents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/exec/sessions.h"
#include "box/lifecycle/lifecycle.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/plan.h"

/* In a box's home: NAME/bin has the programs of the agent NAME. The file NAME/version says that it
 * is complete. */
#define AGENTS_FOLDER ".local/share/litterbox-agents"
#define VERSION_FILE "version"

/*
 * For sh -c, with the folder as $1, the agent as $2, its package as $3 and with its version as $4,
 * and its program as $5. Standard input and output are those of the agent, which may be started
 * next. npm 12 runs install scripts only of packages that it is told: this one is about to be run
 * anyway. A new folder takes the place of the old one when it is complete; one that was killed
 * between the two renames has left the old one aside. npm's links in it are relative.
 */
static const char install_script[] =
    "exec >&2 </dev/null\n"
    "command -v npm >/dev/null || exit 3\n"
    "mkdir -p \"$HOME/$1\" && cd \"$HOME/$1\" && rm -rf \"$2.new\" || exit 1\n"
    "[ -e \"$2\" ] || [ ! -e \"$2.old\" ] || mv \"$2.old\" \"$2\" || exit 1\n"
    "mkdir -p \"$2.new/lib\" || exit 1\n"
    "npm install --global --prefix \"$PWD/$2.new\" --no-audit --no-fund --no-update-notifier \\\n"
    "    \"--allow-scripts=$3\" -- \"$4\" || exit 1\n"
    "cd \"$2.new\" || exit 1\n"
    "[ -x \"bin/$5\" ] || exit 4\n"
    "for each in lib/node_modules/*/package.json lib/node_modules/@*/*/package.json; do\n"
    "    [ ! -f \"$each\" ] ||\n"
    "        node -p 'require(process.argv[1]).version' \"$PWD/$each\" >" VERSION_FILE
    " || exit 1\n"
    "done\n"
    "cd .. && rm -rf \"$2.old\" || exit 1\n"
    "[ ! -e \"$2\" ] || mv \"$2\" \"$2.old\" || exit 1\n"
    "mv \"$2.new\" \"$2\" && rm -rf \"$2.old\" || exit 1\n";
#define HAS_NO_NPM 3
#define HAS_NO_PROGRAM 4

static const char remove_script[] = "cd \"$HOME/$1\" && rm -rf \"$2\" \"$2.new\" \"$2.old\"\n";

/* The exit status of SCRIPT with AGENTS_FOLDER and ARGUMENTS; -1 with ERROR. */
static int run_agent_script(struct box *self, const char *script, const char *const *arguments,
                            GError **error)
{
    const char *const begin[] = {"/bin/sh", "-c", script, "agent", AGENTS_FOLDER, NULL};
    g_autoptr(GPtrArray) command = g_ptr_array_new();
    for (const char *const *each = begin; *each; each++)
        g_ptr_array_add(command, (char *)*each);
    for (; *arguments; arguments++)
        g_ptr_array_add(command, (char *)*arguments);
    g_ptr_array_add(command, NULL);
    session_options session = {
        .command = (char **)command->pdata,
        .workdir = "/",
        .tty = session_has_terminal(),
        .apart_stderr = TRUE,
    };
    return box_run_session(self, &session, error);
}

/* PATH below FOLDER, a descriptor; -1 with errno. */
static int open_below(const char *folder, const char *path)
{
    int home = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = home < 0 ? -1 : fs_open_beneath(home, path, O_RDONLY | O_NONBLOCK, 0);
    int why = errno;
    if (home >= 0)
        close(home);
    errno = why;
    return fd;
}

/* PATH in the home of SELF, a descriptor; or -1. */
static int open_in_home(const struct box *self, const char *path)
{
    g_autofree char *upper = g_build_filename(self->data, PLAN_DATA_LAYERS,
                                              plan_layer_names[PLAN_LAYER_HOME], "upper", NULL);
    int fd = self->isolated ? open_below(upper, path) : -1;
    /* What an isolated branch has removed is a device there (overlayfs), and no ENOENT. */
    if (fd < 0 && (!self->isolated || errno == ENOENT))
        fd = open_below(self->home, path);
    return fd;
}

char *agents_version(const struct box *self, const char *name)
{
    g_autofree char *path = g_build_filename(AGENTS_FOLDER, name, VERSION_FILE, NULL);
    g_autofree char *text = NULL;
    int fd = open_in_home(self, path);
    if (fd >= 0)
        fs_read_fd(fd, path, AGENT_PRESET_VERSION_MAX, &text, NULL, NULL);
    if (fd >= 0)
        close(fd);
    return text && *g_strstrip(text) ? g_steal_pointer(&text) : NULL;
}

gboolean agents_has_login(const struct box *self, const agent_preset *preset)
{
    gboolean found = FALSE;
    for (char **path = preset->login; path && *path && !found; path++) {
        struct stat st;
        int fd = open_in_home(self, *path + strlen("~/"));
        found = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
        if (fd >= 0)
            close(fd);
    }
    return found;
}

static void note_wait(const char *lock)
{
    (void)lock;
    log_note("waiting for another installation in this home to end");
}

static int lock_agents(const struct box *self, GError **error)
{
    g_autofree char *path = box_home_mark(self, "agents.lock");
    return fs_lock(path, note_wait, error);
}

/* What STATUS of install_script means. */
static gboolean has_installed(const struct box *self, const agent_preset *preset, int status,
                              GError **error)
{
    g_autofree char *version = status == 0 ? agents_version(self, preset->name) : NULL;
    g_autofree char *quoted = version ? text_quoted(version, -1, AGENT_PRESET_VERSION_MAX) : NULL;
    if (version)
        log_note("box '%s' has '%s' %s", self->name, preset->name, quoted);
    else if (status == 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "npm has installed '%s', but it is not in the home of box '%s': "
                    "~/" AGENTS_FOLDER " must not be a link or shared with this machine",
                    preset->name, self->name);
    else if (status == HAS_NO_NPM)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' has no npm to install '%s' with: add \"npm\" (openSUSE: "
                    "\"npm-default\") to [box] packages of litterbox.toml, then 'box apply'; with "
                    "image = \"host\", install it on this machine",
                    self->name, preset->name);
    else if (status == HAS_NO_PROGRAM)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "the package of preset '%s' has no program '%s'", preset->name,
                    preset->program);
    else if (status > 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "cannot install '%s' in box '%s' (status %d); npm says why above", preset->name,
                    self->name, status);
    return version != NULL;
}

gboolean agents_install(struct box *self, const agent_preset *preset, gboolean anew, GError **error)
{
    int lock = lock_agents(self, error);
    if (lock < 0)
        return FALSE;
    g_autofree char *before = anew ? NULL : agents_version(self, preset->name);
    gboolean done = before != NULL;
    if (!before) {
        g_autofree char *package = agent_preset_package(preset);
        g_autofree char *safe = text_safe(package, -1);
        log_note("installing '%s' in box '%s': npm package '%s'", preset->name, self->name, safe);
        const char *const arguments[] = {preset->name, preset->package, package, preset->program,
                                         NULL};
        int status = run_agent_script(self, install_script, arguments, error);
        done = has_installed(self, preset, status, error);
    }
    close(lock);
    return done;
}

gboolean agents_remove(struct box *self, const char *name, GError **error)
{
    int lock = lock_agents(self, error);
    if (lock < 0)
        return FALSE;
    g_autofree char *version = agents_version(self, name);
    int status = -1;
    if (!version)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "box '%s' has no agent '%s'", self->name,
                    name);
    else
        status = run_agent_script(self, remove_script, (const char *const[]){name, NULL}, error);
    close(lock);
    if (status > 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box could not remove '%s'", name);
    return status == 0;
}

/* A box has the user's home at its real path (plan.h). */
static char *agent_program(const agent_preset *preset)
{
    char *home = realpath(paths_home(), NULL);
    char *path = g_build_filename(home ? home : paths_home(), AGENTS_FOLDER, preset->name, "bin",
                                  preset->program, NULL);
    free(home);
    return path;
}

/* For sh -c, with the folder as $1, then a name and a content for each file. Another session may
 * read them meanwhile. */
static const char write_files_script[] =
    "mkdir -p \"$1\" && cd \"$1\" && shift || exit 1\n"
    "while [ $# -gt 0 ]; do\n"
    "    printf %s \"$2\" >\".$1.$$\" && mv \".$1.$$\" \"$1\" || exit 1\n"
    "    shift 2\n"
    "done\n";

/* As root of the box: the agent cannot change them, and those that want such files see to that. */
static gboolean write_files(struct box *self, const agent_preset *preset, GError **error)
{
    g_autofree char *folder = agent_preset_folder(preset);
    const char *const begin[] = {"/bin/sh", "-c", write_files_script, "agent", folder, NULL};
    g_autoptr(GPtrArray) command = g_ptr_array_new_with_free_func(g_free);
    if (!preset->files)
        return TRUE;
    for (const char *const *each = begin; *each; each++)
        g_ptr_array_add(command, g_strdup(*each));
    for (char **file = preset->files; *file; file++) {
        const char *content = strchr(*file, '=') + 1;
        g_ptr_array_add(command, g_strndup(*file, (gsize)(content - 1 - *file)));
        g_ptr_array_add(command, g_strdup(content));
    }
    g_ptr_array_add(command, NULL);
    session_options session = {
        .command = (char **)command->pdata, .root = TRUE, .workdir = "/", .quiet = TRUE};
    int status = box_run_session(self, &session, error);
    if (status > 0)
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_FAILED,
            "box '%s' could not write the files of preset '%s', so that '%s' was not started",
            self->name, preset->name, preset->program);
    return status == 0;
}

gboolean agents_try_start(struct box *self, const agent_preset *preset, GError **error)
{
    g_autofree char *program = agent_program(preset);
    g_auto(GStrv) env = agent_preset_env(preset, FALSE);
    g_autoptr(GPtrArray) command = g_ptr_array_new();
    g_ptr_array_add(command, (char *)"/usr/bin/env");
    for (char **each = env; *each; each++)
        g_ptr_array_add(command, *each);
    g_ptr_array_add(command, program);
    g_ptr_array_add(command, (char *)"--version");
    g_ptr_array_add(command, NULL);
    if (!box_ensure_running(self, error))
        return FALSE;
    g_autofree char *said =
        box_capture_output(self, (const char *const *)command->pdata, CAPTURE_MAX, NULL, NULL);
    if (!said)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s --version' fails in box '%s'",
                    preset->program, self->name);
    return said != NULL;
}

int agents_run(struct box *self, const agent_preset *preset, gboolean asks, char *const *arguments,
               GError **error)
{
    g_autofree char *version = agents_version(self, preset->name);
    if (!version && !agents_install(self, preset, FALSE, error))
        return -1;
    if (!write_files(self, preset, error))
        return -1;
    g_autofree char *program = agent_program(preset);
    g_auto(GStrv) command = agent_preset_command(preset, asks, program, self->project, arguments);
    g_auto(GStrv) env = agent_preset_env(preset, asks);
    g_autofree char *hint = g_strdup_printf("'box agent update %s' installs it anew", preset->name);
    session_options session = {
        .command = command,
        .env = (const char *const *)env,
        .tty = session_has_terminal(),
        .apart_stderr = TRUE,
        .not_found_hint = hint,
    };
    return box_run_session(self, &session, error);
}
