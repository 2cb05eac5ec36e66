#include "box/branch/difftool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/branch/branch_paths.h"
#include "box/branch/patch.h"
#include "box/registry/registry.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"
#include "console/log.h"

#define COPIES "difftool"
#define BEFORE "before"
#define AFTER "after"
/* Bytes of all copies: a box may have made files of any size and number. */
#define COPIES_MAX ((gsize)1 << 30)
#define LEFT_OUT (BRANCH_NEEDS_YES | BRANCH_NEVER)

struct difftool {
    char *folder;
    int lock;
    guint copied, left; /* changes */
    gsize bytes;        /* of the copies */
};

static gboolean make_copies_folder(const difftool *self, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename(self->folder, name, NULL);
    return fs_make_folder(path, 0700, error);
}

difftool *difftool_new(const struct box *of, GError **error)
{
    g_autofree char *lock = g_build_filename(of->data, COPIES ".lock", NULL);
    int fd = fs_try_lock(lock);
    if (fd < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_BUSY,
                    "another 'box branch diff --tool' of branch '%s' is at work", of->branch);
        return NULL;
    }
    g_autoptr(difftool) self = g_new0(difftool, 1);
    self->lock = fd;
    self->folder = g_build_filename(of->data, COPIES, NULL);
    interrupt_begin();
    /* A killed one may have left something. */
    return fs_remove_tree(self->folder, error) && make_copies_folder(self, BEFORE, error) &&
                   make_copies_folder(self, AFTER, error)
               ? g_steal_pointer(&self)
               : NULL;
}

void difftool_free(difftool *self)
{
    g_autoptr(GError) problem = NULL;
    if (!self)
        return;
    if (!fs_remove_tree(self->folder, &problem))
        log_warning("%s", problem->message);
    interrupt_end();
    close(self->lock);
    g_free(self->folder);
    g_free(self);
}

/* A file that no editor changes by mistake. */
static gboolean write_copy(const difftool *self, const char *side, const char *path,
                           const char *data, gsize length, GError **error)
{
    g_autofree char *name = g_build_filename(side, path, NULL), *in = g_path_get_dirname(name);
    g_autofree char *file = g_build_filename(self->folder, name, NULL);
    if (!make_copies_folder(self, in, error))
        return FALSE;
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
    gboolean done = fd >= 0 && fs_write_all(fd, data, length);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    if (done)
        return TRUE;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot copy '%s': %s", safe,
                g_strerror(saved));
    return FALSE;
}

/* Or there is nothing. */
static gboolean is_folder(mode_t mode)
{
    return !mode || S_ISDIR(mode);
}

/* FD is -1 where nothing is to be read. FALSE also for what is neither a file nor a folder: the
 * tool would show that it is gone. */
static gboolean read_side(mode_t mode, int fd, char **data, gsize *length)
{
    return fd < 0 ? is_folder(mode) : fs_read_fd(fd, "a file", PATCH_FILE_MAX, data, length, NULL);
}

/* A name with control characters would reach the terminal by the tool. */
static gboolean is_left_out(const difftool *self, const branch_change *change)
{
    return change->doubts & LEFT_OUT || branch_path_has_controls(change->path) ||
           strlen(self->folder) + strlen(change->path) + sizeof "/" BEFORE "/" >= PATH_MAX;
}

gboolean difftool_add(difftool *self, const branch_change *change, int before, int after,
                      GError **error)
{
    g_autofree char *old = NULL, *new = NULL;
    gsize old_length = 0, new_length = 0;
    if (!interrupt_check(error))
        return FALSE;
    if (is_folder(change->before) && is_folder(change->after))
        return TRUE;
    if (is_left_out(self, change) || !read_side(change->before, before, &old, &old_length) ||
        !read_side(change->after, after, &new, &new_length) ||
        old_length + new_length > COPIES_MAX - self->bytes) {
        self->left++;
        return TRUE;
    }
    self->bytes += old_length + new_length;
    self->copied++;
    return (!old || write_copy(self, BEFORE, change->path, old, old_length, error)) &&
           (!new || write_copy(self, AFTER, change->path, new, new_length, error));
}

/* Of git's own variables only the place of the user's configuration stays, where no box writes. */
static gboolean is_kept(const char *name, const char *value, char **writable)
{
    if (!g_str_has_prefix(name, "GIT_"))
        return TRUE;
    g_autofree char *refusal = safe_path_refusal(value, writable);
    return strcmp(name, "GIT_CONFIG_GLOBAL") == 0 && !refusal;
}

/*
 * The user's environment, without folders of boxes in PATH. Git, and what the tool itself may
 * start, finds no repository: not one around the copies, nor one that their files pretend to be.
 */
static char **make_environment(const difftool *self)
{
    g_auto(GStrv) all = g_get_environ(), writable = registry_writable_folders();
    char **env = g_get_environ();
    for (char **each = all; *each; each++) {
        g_autofree char *name = g_strndup(*each, strcspn(*each, "="));
        if (!is_kept(name, g_environ_getenv(all, name), writable))
            env = g_environ_unsetenv(env, name);
    }
    const char *old_path = g_environ_getenv(all, "PATH");
    g_autofree char *path = safe_path(old_path ? old_path : "/usr/bin:/bin", writable, NULL);
    g_autofree char *none = g_build_filename(self->folder, "none", NULL);
    env = g_environ_setenv(env, "PATH", path, TRUE);
    return g_environ_setenv(env, "GIT_DIR", none, TRUE);
}

/* Git says by 1 that there are differences. */
static gboolean check_status(int status, GError **error)
{
    if (!interrupt_check(error))
        return FALSE;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                        "the difftool has failed: name one with --tool=NAME or $BOX_DIFFTOOL, or "
                        "set diff.tool of your git configuration");
    return FALSE;
}

gboolean difftool_run(difftool *self, const char *name, GError **error)
{
    g_autofree char *program = host_program("git", "install it, or use --patch", error);
    g_autofree char *tool = name ? g_strconcat("--tool=", name, NULL) : NULL;
    /* With core.bare = false in the user's configuration git would take the copies for a work tree,
     * and obey the attributes in it. */
    const char *argv[] = {program,
                          "-c",
                          "core.bare=true",
                          "difftool",
                          "--no-index",
                          "--no-prompt",
                          tool ? tool : "--no-prompt",
                          "--",
                          BEFORE,
                          AFTER,
                          NULL};
    int status;
    if (!program)
        return FALSE;
    if (self->left)
        log_note(
            "%u file%s not in the copies, as tools of this machine may obey them, or for their "
            "names, kinds or sizes: 'box branch diff -p' shows them",
            self->left, self->left > 1 ? "s are" : " is");
    if (!self->copied) {
        log_note("there is no file to show");
        return TRUE;
    }
    g_auto(GStrv) env = make_environment(self);
    return g_spawn_sync(self->folder, (char **)argv, env, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL,
                        NULL, NULL, &status, error) &&
           check_status(status, error);
}
