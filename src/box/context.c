#include "box/context.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/text.h"

gboolean context_begin(context *self, const char *folder, GError **error)
{
    g_autofree char *directory = g_strconcat("--directory=", folder, NULL);
    char *argv[] = {
        "tar",     "--create", "--file=-", "--numeric-owner", "--one-file-system", "--format=posix",
        directory, ".",        NULL};
    *self = (context){-1, 0};
    if (g_spawn_async_with_pipes(NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                 NULL, NULL, &self->tar, NULL, &self->fd, NULL, error))
        return TRUE;
    g_prefix_error(error, "cannot pack the build context: ");
    return FALSE;
}

gboolean context_end(context *self, GError **error)
{
    int status = 0;
    if (self->fd >= 0)
        close(self->fd); /* a tar that still writes ends with SIGPIPE */
    self->fd = -1;
    while (self->tar && waitpid(self->tar, &status, 0) < 0 && errno == EINTR)
        ;
    self->tar = 0;
    /* 1: a file changed while it was read, which a living project may do. */
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "packing the build context failed");
    return FALSE;
}
