#include "box/exec/agents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/exec/sessions.h"
#include "box/lifecycle/lifecycle.h"
#include "box/registry/branch_copied.h"
#include "box/registry/tools.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/plan.h"

/* How often another command may remove an agent between its installation and its start. */
#define HOLD_TRIES 3

/* PATH in the home of SELF, a descriptor; or -1. */
static int open_in_home(const struct box *self, const char *path)
{
    g_autofree char *upper = g_build_filename(self->data, PLAN_DATA_LAYERS,
                                              plan_layer_names[PLAN_LAYER_HOME], "upper", NULL);
    int flags = O_RDONLY | O_NONBLOCK;
    int fd = self->isolated ? fs_open_below(upper, path, flags) : -1;
    /* What an isolated branch has removed is a device there (overlayfs), and no ENOENT; a copy has
     * all that there is. */
    gboolean is_copy = self->isolated && branch_copied_is(self, PLAN_LAYER_HOME);
    if (fd < 0 && (!self->isolated || (errno == ENOENT && !is_copy)))
        fd = fs_open_below(self->home, path, flags);
    return fd;
}

/* The version file of NAME with ID; NULL when that is broken. */
static char *read_version(const char *name, const char *id)
{
    g_autofree char *text = NULL;
    int fd = tools_open(name, id, "version");
    if (fd >= 0)
        fs_read_fd(fd, "version", AGENT_PRESET_VERSION_MAX, &text, NULL, NULL);
    if (fd >= 0)
        close(fd);
    return text && *g_strstrip(text) ? g_steal_pointer(&text) : NULL;
}

char *agents_version(const struct box *self, const char *name)
{
    g_autofree char *kind = tools_used_kind(self, name);
    g_autofree char *id = kind ? tools_current(name, kind) : NULL;
    return id ? read_version(name, id) : NULL;
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
    log_note("waiting for another installation of it to end");
}

static gboolean install_locked(struct box *self, const agent_preset *preset, const char *kind,
                               GError **error)
{
    g_autofree char *package = agent_preset_package(preset), *safe = text_safe(package, -1);
    log_note("installing '%s' for box '%s' and others of its image%s%s%s", preset->name, self->name,
             preset->install ? "" : ": npm package '", preset->install ? "" : safe,
             preset->install ? "" : "'");
    g_autofree char *id = agent_install(self, preset, kind, error);
    g_autofree char *version = id ? read_version(preset->name, id) : NULL;
    g_autofree char *quoted = version ? text_quoted(version, -1, AGENT_PRESET_VERSION_MAX) : NULL;
    if (version)
        log_note("box '%s' has '%s' %s", self->name, preset->name, quoted);
    else if (id)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the package of '%s' has no version",
                    preset->name);
    return version != NULL;
}

/* What boxes of KIND have, if it is whole; a new string. */
static char *present_version(const agent_preset *preset, const char *kind)
{
    g_autofree char *id = tools_current(preset->name, kind);
    return id ? read_version(preset->name, id) : NULL;
}

static void note_present(const struct box *self, const agent_preset *preset, const char *version)
{
    g_autofree char *quoted = text_quoted(version, -1, AGENT_PRESET_VERSION_MAX);
    log_note("box '%s' has '%s' %s; 'box agent update %s' gets a newer one", self->name,
             preset->name, quoted, preset->name);
}

/* In SELF, which runs. */
static gboolean install(struct box *self, const agent_preset *preset, const char *kind,
                        gboolean anew, GError **error)
{
    int lock = tools_lock(preset->name, note_wait, error);
    if (lock < 0)
        return FALSE;
    g_autofree char *present = present_version(preset, kind);
    gboolean done = tools_use(self, preset->name, kind, error);
    if (done && present && !anew)
        note_present(self, preset, present);
    else if (done)
        done = install_locked(self, preset, kind, error);
    tools_sweep(preset->name);
    close(lock);
    return done;
}

gboolean agents_install(struct box *self, const agent_preset *preset, gboolean anew, GError **error)
{
    g_autofree char *kind = box_ensure_running(self, error) ? tools_kind(self, error) : NULL;
    return kind && install(self, preset, kind, anew, error);
}

/* "cafe, shop": the boxes that use NAME as SELF did; a new string. */
static char *other_users(const char *name, const char *kind)
{
    g_autoptr(GString) others = g_string_new(NULL);
    g_auto(GStrv) names = registry_names();
    for (char **each = names; *each; each++) {
        g_autoptr(box) other = registry_by_name(*each, NULL);
        g_autofree char *used = other ? tools_used_kind(other, name) : NULL;
        if (g_strcmp0(used, kind) == 0)
            g_string_append_printf(others, "%s%s", others->len ? ", " : "", *each);
    }
    return g_strdup(others->str);
}

gboolean agents_remove(struct box *self, const char *name, GError **error)
{
    int lock = tools_lock(name, note_wait, error);
    if (lock < 0)
        return FALSE;
    g_autofree char *kind = tools_used_kind(self, name);
    gboolean done = FALSE;
    if (!kind)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "box '%s' has no agent '%s'", self->name,
                    name);
    else
        done = tools_disuse(self, name, error);
    tools_sweep(name);
    close(lock);
    g_autofree char *others = done ? other_users(name, kind) : g_strdup("");
    if (*others)
        log_note("'%s' stays installed for %s", name, others);
    return done;
}

static char *program_path(const agent_preset *preset, const char *id)
{
    g_autofree char *at = tools_path(preset->name, id);
    return g_build_filename(at, "bin", preset->program, NULL);
}

/* As agents_hold(), in SELF, which runs. */
static int hold_program(struct box *self, const agent_preset *preset, const char *kind,
                        char **program, GError **error)
{
    for (int tries = 0; tries < HOLD_TRIES; tries++) {
        g_autofree char *present = present_version(preset, kind), *id = NULL;
        if (!present && !install(self, preset, kind, FALSE, error))
            return -1;
        if (!tools_use(self, preset->name, kind, error))
            return -1;
        int fd = tools_hold(preset->name, kind, &id);
        if (fd >= 0) {
            *program = program_path(preset, id);
            return fd;
        }
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT, "'%s' is being removed by another command",
                preset->name);
    return -1;
}

int agents_hold(struct box *self, const agent_preset *preset, char **program, GError **error)
{
    g_autofree char *kind = box_ensure_running(self, error) ? tools_kind(self, error) : NULL;
    return kind ? hold_program(self, preset, kind, program, error) : -1;
}

/* Both for sh -c, with names and contents in turn. Another session may read the files meanwhile, or
 * write the same. The first has the folder before them. */
static const char write_files_script[] =
    "mkdir -p \"$1\" && cd \"$1\" && shift || exit 1\n"
    "while [ $# -gt 0 ]; do\n"
    "    printf %s \"$2\" >\".$1.$$\" && mv \".$1.$$\" \"$1\" || exit 1\n"
    "    shift 2\n"
    "done\n";
static const char write_missing_script[] =
    "umask 077\n"
    "while [ $# -gt 0 ]; do\n"
    "    at=$HOME/${1#\\~/}\n"
    "    if [ ! -e \"$at\" ] && [ ! -L \"$at\" ]; then\n"
    "        mkdir -p \"${at%/*}\" && printf %s \"$2\" >\"$at.$$\" && mv \"$at.$$\" \"$at\" || exit 1\n"
    "    fi\n"
    "    shift 2\n"
    "done\n";

static gboolean is_of_home(const char *file)
{
    return *file == '~';
}

/* Runs SCRIPT, with FIRST (may be NULL), for the files of PRESET that are of the home, or not. */
static gboolean write_some(struct box *self, const agent_preset *preset, gboolean of_home,
                           const char *script, const char *first, GError **error)
{
    const char *const begin[] = {"/bin/sh", "-c", script, "agent", first, NULL};
    g_autoptr(GPtrArray) command = g_ptr_array_new_with_free_func(g_free);
    for (const char *const *each = begin; *each; each++)
        g_ptr_array_add(command, g_strdup(*each));
    guint without = command->len;
    for (char **file = preset->files; file && *file; file++) {
        const char *content = strchr(*file, '=') + 1;
        if (is_of_home(*file) != of_home)
            continue;
        g_ptr_array_add(command, g_strndup(*file, (gsize)(content - 1 - *file)));
        g_ptr_array_add(command, g_strdup(content));
    }
    if (command->len == without)
        return TRUE;
    g_ptr_array_add(command, NULL);
    session_options session = {
        .command = (char **)command->pdata, .root = !of_home, .workdir = "/", .quiet = TRUE};
    int status = box_run_session(self, &session, error);
    if (status > 0)
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_FAILED,
            "box '%s' could not write the files of preset '%s', so that '%s' was not started",
            self->name, preset->name, preset->program);
    return status == 0;
}

/* Root of the box writes those that the agent shall not change: some agents want that, too. */
static gboolean write_files(struct box *self, const agent_preset *preset, GError **error)
{
    g_autofree char *folder = agent_preset_folder(preset);
    return write_some(self, preset, FALSE, write_files_script, folder, error) &&
           write_some(self, preset, TRUE, write_missing_script, NULL, error);
}

gboolean agents_try_start(struct box *self, const agent_preset *preset, GError **error)
{
    g_autofree char *kind = box_ensure_running(self, error) ? tools_kind(self, error) : NULL;
    g_autofree char *id = NULL;
    int held = kind ? tools_hold(preset->name, kind, &id) : -1;
    if (kind && held < 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "'%s' is not installed for the image that box '%s' has now", preset->name,
                    self->name);
    if (held < 0)
        return FALSE;
    g_autofree char *program = program_path(preset, id);
    g_auto(GStrv) env = agent_preset_env(preset, FALSE);
    g_autoptr(GPtrArray) command = g_ptr_array_new();
    g_ptr_array_add(command, (char *)"/usr/bin/env");
    for (char **each = env; *each; each++)
        g_ptr_array_add(command, *each);
    g_ptr_array_add(command, program);
    g_ptr_array_add(command, (char *)"--version");
    g_ptr_array_add(command, NULL);
    g_autofree char *said =
        box_capture_output(self, (const char *const *)command->pdata, CAPTURE_MAX, NULL, NULL);
    close(held);
    if (!said)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s --version' fails in box '%s'",
                    preset->program, self->name);
    return said != NULL;
}

int agents_run(struct box *self, const agent_preset *preset, gboolean asks, const char *program,
               char *const *arguments, GError **error)
{
    if (!write_files(self, preset, error))
        return -1;
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
