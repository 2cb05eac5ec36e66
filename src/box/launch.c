#include "box/launch.h"

#include <unistd.h>

#include "box/lifecycle.h"
#include "box/verify.h"
#include "common/text.h"
#include "podman/containers.h"

/* What box-init or the runtime said before it ended, for the error. */
static void collect_log(int stream, const char *data, gsize length, gpointer user_data)
{
    (void)stream;
    g_string_append_len(user_data, data, (gssize)length);
}

static void explain_end(const box *self, podman *server, GError **error)
{
    GString *log = g_string_new(NULL);
    podman_container_logs(server, self->container, FALSE, 5, collect_log, log, NULL);
    g_autofree char *safe = text_safe(log->str, (gssize)log->len);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box ended as soon as it was started%s%s",
                *safe ? ": " : "", safe);
    g_string_free(log, TRUE);
}

/* Waits for box-init to listen; notices when the container has ended instead. */
static int await_init(const box *self, podman *server, GError **error)
{
    for (int waited = 0, pause = 1; waited < LAUNCH_LISTEN_MS; waited += pause) {
        int fd = lifecycle_connect(self);
        if (fd >= 0)
            return fd;
        g_usleep((gulong)pause * 1000);
        if (waited < 250)
            continue;
        pause = 100;
        g_autoptr(box_container) now = container_inspect(self, server, error);
        if (!now)
            return -1;
        if (now->state != BOX_RUNNING) {
            explain_end(self, server, error);
            return -1;
        }
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the box runs, but does not answer: 'box restart' may help, 'box logs' may tell");
    return -1;
}

/*
 * Init, look, start: before the first code of the box runs, its mounts are held against what was
 * asked for.
 */
static gboolean begin(const box *self, podman *server, box_container **inside, GError **error)
{
    if (!podman_container_init(server, self->container, error))
        return FALSE;
    *inside = container_inspect(self, server, error);
    if (!*inside)
        return FALSE;
    if (verify_mounts(self, *inside, error))
        return podman_container_start(server, self->container, error);
    podman_container_stop(server, self->container, 0, NULL);
    return FALSE;
}

int launch(const box *self, podman *server, GError **error)
{
    g_autoptr(box_container) inside = NULL;
    int fd = begin(self, server, &inside, error) ? await_init(self, server, error) : -1;
    if (fd < 0 || verify_init(self, inside, error))
        return fd;
    close(fd);
    podman_container_stop(server, self->container, 0, NULL);
    return -1;
}
