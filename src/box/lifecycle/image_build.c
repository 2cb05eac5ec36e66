#include "box/lifecycle/image_build.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "console/log.h"
#include "proto/network_rules.h"
#include "proto/session_notice.h"

/* A file system may compress what it holds, and headers have half a KiB or more. */
#define CONTEXT_TIMES 16
#define CONTEXT_LEAST ((gint64)256 << 20)

static void leave_out(GPtrArray *argv, const char *path)
{
    g_autofree char *clean = g_canonicalize_filename(path, "/");
    g_ptr_array_add(argv, g_strconcat("--exclude=.", clean, NULL));
}

/* Adds what COPY has, with the folders that it lies in, which replace links in their places.
 * Without
 * "./" in front, it is not left out. */
static void add_copy(GPtrArray *argv, const char *copy)
{
    g_autoptr(GDir) folder = g_dir_open(copy, 0, NULL);
    g_ptr_array_add(argv, g_strconcat("--directory=", copy, NULL));
    for (const char *name; folder && (name = g_dir_read_name(folder));)
        g_ptr_array_add(argv, g_strconcat("--add-file=", name, NULL));
}

char **build_context_ignore_files(const char *file)
{
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    g_autofree char *for_podman = g_strconcat(file, ".containerignore", NULL);
    g_autofree char *for_docker = g_strconcat(file, ".dockerignore", NULL);
    g_strv_builder_add_many(names, ".containerignore", ".dockerignore", for_podman, for_docker,
                            NULL);
    return g_strv_builder_end(names);
}

gboolean build_context_open(build_context *self, int folder, char *const *left_out,
                            const char *copy, const char *file, GError **error)
{
    g_autofree char *in = g_strdup_printf("/proc/self/fd/%d", folder);
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    static const char *const options[] = {"tar",
                                          "--create",
                                          "--file=-",
                                          "--numeric-owner",
                                          "--one-file-system",
                                          "--format=posix",
                                          "--no-anchored",
                                          "--exclude=.git",
                                          "--anchored",
                                          "--no-wildcards"};

    for (gsize i = 0; i < G_N_ELEMENTS(options); i++)
        g_ptr_array_add(argv, g_strdup(options[i]));
    for (; left_out && *left_out; left_out++)
        leave_out(argv, *left_out);
    g_auto(GStrv) ignore_files = copy ? build_context_ignore_files(file) : NULL;
    for (char **name = ignore_files; name && *name; name++)
        leave_out(argv, *name);
    if (copy)
        leave_out(argv, file);
    g_ptr_array_add(argv, g_strdup("."));
    if (copy)
        add_copy(argv, copy);
    g_ptr_array_add(argv, NULL);
    *self = (build_context){-1, 0};
    if (g_spawn_async_with_pipes(in, (char **)argv->pdata, NULL,
                                 G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                 &self->tar, NULL, &self->fd, NULL, error))
        return TRUE;
    g_prefix_error(error, "cannot pack the build context: ");
    return FALSE;
}

gint64 build_context_max(const char *path)
{
    gint64 used = fs_disk_usage(path);
    /* 0: a file system that does not tell. */
    return used == 0 ? 0 : CONTEXT_LEAST + CONTEXT_TIMES * MAX(used, 0);
}

gboolean build_context_close(build_context *self, GError **error)
{
    int status = 0;

    if (self->fd >= 0)
        close(self->fd); /* if tar is still writing, SIGPIPE ends it */
    self->fd = -1;
    while (self->tar && waitpid(self->tar, &status, 0) < 0 && errno == EINTR)
        ;
    self->tar = 0;
    /* 1: a file changed while tar read it, which is normal in a project in use. */
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot pack the build context");
    return FALSE;
}

static gboolean open_access(build_access *self, const settings *limits, GError **error)
{
    g_autofree char *folder = gate_build_folder(self->box, error);
    self->network = folder ? build_network_open(folder, error) : NULL;
    self->wants_gate = limits->network.mode != NETWORK_NONE;
    if (!self->network || !self->wants_gate)
        return self->network != NULL;
    self->has_gate =
        gate_build_open(self->box, limits, build_network_process(self->network), error);
    if (self->has_gate)
        notice_listener_begin(&self->notices, NOTICE_NO_TERMINAL);
    return self->has_gate;
}

gboolean build_access_open(build_access *self, const struct box *of, const settings *limits,
                           GError **error)
{
    *self = (build_access){.box = limits ? of : NULL};
    notice_listener_init(&self->notices, of);
    if (!limits || open_access(self, limits, error))
        return TRUE;
    g_prefix_error(error, "nothing was built for box '%s': the network of its build cannot be %s: ",
                   of->name, limits->network.mode == NETWORK_NONE ? "cut off" : "filtered");
    return FALSE;
}

void build_access_apply(const build_access *self, podman_build *request)
{
    request->network = self->network ? build_network_path(self->network) : NULL;
    request->nameserver = self->has_gate ? FAKE_SERVER_TEXT : NULL;
}

/* The steps would wait for a network that does not come back. */
static void keep_gate(build_access *self)
{
    g_autoptr(GError) problem = NULL;
    if (self->is_broken ||
        gate_build_ensure_running(self->box, build_network_process(self->network), &problem))
        return;
    self->is_broken = TRUE;
    log_warning("the network of the build has ended: %s", problem->message);
    podman_cancel();
}

char *build_access_tick(build_access *self)
{
    char *text = NULL;
    if (self->has_gate)
        keep_gate(self);
    return self->notices.fd >= 0 && notice_listener_read(&self->notices, &text) ? text : NULL;
}

void build_access_clear(build_access *self)
{
    gboolean was_set_up = self->network && (self->has_gate || !self->wants_gate);
    notice_listener_end(&self->notices);
    g_clear_pointer(&self->network, build_network_close);
    /* When it could not be set up, the logs say why. */
    if (was_set_up)
        gate_build_close(self->box);
}
