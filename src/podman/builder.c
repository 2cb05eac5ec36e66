#include "podman/builder.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/fs.h"
#include "podman/call.h"
#include "podman/keeper.h"
#include "podman/scratch.h"
#include "podman/socket.h"
#include "podman/spawn.h"

/* Listens on PATH, in FOLDER, and starts the service there. */
static gboolean start(builder *self, const char *path, const char *log, const char *folder,
                      GError **error)
{
    int parent;
    g_autofree char *address = socket_address(path, &parent);
    int listener = address ? socket_listen(address) : -1;

    if (listener < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot listen on '%s' for a podman service: %s", path, g_strerror(errno));
    } else {
        self->lifeline = spawn_builder(listener, log, folder, error);
        close(listener);
    }
    if (parent >= 0)
        close(parent);
    return self->lifeline >= 0;
}

gboolean builder_open(builder *self, podman *shared, GError **error)
{
    service *at = NULL;

    self->podman = shared;
    if (podman_is_given(shared))
        return TRUE;
    g_autofree char *folder = scratch_make(error);
    if (!folder)
        return FALSE;
    g_autofree char *path = g_build_filename(folder, "podman.sock", NULL);
    g_autofree char *log = g_build_filename(folder, "podman.log", NULL);
    if (start(self, path, log, folder, error))
        at = service_at(path, log, error);
    else
        fs_remove_tree(folder, NULL);
    self->podman = self->own = at ? podman_connect_to(at, error) : NULL;
    return self->own != NULL;
}

void builder_done(builder *self)
{
    char word = KEEPER_DONE;

    /* A keeper that was killed reads nothing; its service then ends when it is idle. */
    if (self->lifeline >= 0)
        send(self->lifeline, &word, 1, MSG_NOSIGNAL);
}

void builder_clear(builder *self)
{
    /* The connection first: buildah must know that it shall not go on after the step that is ended.
     */
    podman_free(self->own);
    if (self->lifeline >= 0)
        close(self->lifeline);
}
