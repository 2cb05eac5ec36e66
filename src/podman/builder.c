#include "podman/builder.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "podman/call.h"
#include "podman/keeper.h"
#include "podman/socket.h"
#include "podman/spawn.h"

#define LOG_NAME "podman-build.log"

/* A new folder for temporary files, on a disk: a build's can be large. */
static char *make_folder(GError **error) {
    const char *base = g_getenv("TMPDIR");
    g_autofree char *folder = g_build_filename(base && g_path_is_absolute(base) ? base : "/var/tmp",
                                               "litterbox-build-XXXXXX", NULL);

    if (g_mkdtemp_full(folder, 0700))
        return g_steal_pointer(&folder);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot make the folder '%s': %s", folder,
                g_strerror(errno));
    return NULL;
}

/* Listens on PATH and starts the service there. */
static gboolean start(builder *self, const char *path, const char *log, GError **error) {
    g_autofree char *temporary = make_folder(error);
    int folder;

    if (!temporary)
        return FALSE;
    g_autofree char *address = socket_address(path, &folder);
    int listener = address ? socket_listen(address) : -1;

    if (listener < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot listen on '%s' for a podman service: %s", path, g_strerror(errno));
    } else {
        self->lifeline = spawn_builder(listener, log, path, temporary, error);
        close(listener);
    }
    if (folder >= 0)
        close(folder);
    if (self->lifeline < 0)
        rmdir(temporary);
    return self->lifeline >= 0;
}

gboolean builder_open(builder *self, podman *shared, GError **error) {
    g_autofree char *folder = paths_runtime(NULL, error);
    g_autofree char *name = g_strdup_printf("podman-build.%d.sock", (int)getpid());
    service *at;

    self->podman = shared;
    if (podman_is_given(shared))
        return TRUE;
    if (!folder || !fs_make_folder(folder, 0700, error))
        return FALSE;
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *log = g_build_filename(folder, LOG_NAME, NULL);
    if (!start(self, path, log, error))
        return FALSE;
    at = service_at(path, log, error);
    self->podman = self->own = at ? podman_connect_to(at, error) : NULL;
    return self->own != NULL;
}

void builder_done(builder *self) {
    char word = KEEPER_DONE;

    /* A keeper that was killed reads nothing; its service then ends when it is idle. */
    if (self->lifeline >= 0)
        send(self->lifeline, &word, 1, MSG_NOSIGNAL);
}

void builder_clear(builder *self) {
    /* The connection first: buildah must know that it shall not go on after the step that is ended.
     */
    podman_free(self->own);
    if (self->lifeline >= 0)
        close(self->lifeline);
}
