#include "box/launch.h"

#include <unistd.h>

#include "box/lifecycle.h"
#include "box/verify.h"
#include "common/text.h"
#include "podman/containers.h"
#include "session/client.h"

/* A cleanup that comes late takes well below a second. */
#define TRIES 20
#define PAUSE_MS 50

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

/* How far one attempt came. */
typedef struct {
    box_container *inside; /* as it was verified; owned */
    gboolean started;
    int fd; /* to box-init, or -1 */
} attempt;

static void attempt_clear(attempt *self)
{
    g_clear_pointer(&self->inside, box_container_free);
    if (self->fd >= 0)
        close(self->fd);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(attempt, attempt_clear)

/*
 * Init, look, start: before the first code of the box runs, its mounts are held against what was
 * asked for.
 */
static void try(const box *self, podman *server, attempt *made, GError **error)
{
    if (!podman_container_init(server, self->container, error))
        return;
    made->inside = container_inspect(self, server, error);
    if (!made->inside || !verify_mounts(self, made->inside, error))
        return;
    made->started = podman_container_start(server, self->container, error);
    if (made->started)
        made->fd = await_init(self, server, error);
}

/* TRUE when what was verified has gone meanwhile, and something else may have been started. */
static gboolean was_swept(const attempt *made)
{
    if (!made->inside)
        return FALSE;
    return made->started ? made->fd >= 0 && client_peer(made->fd) != made->inside->pid
                         : !container_is_alive(made->inside);
}

/*
 * Podman cleans up some time after a run has ended, in a process of its own; and with what that run
 * left it sweeps away a container that was prepared for the next one. Then it is prepared again.
 */
int launch(const box *self, podman *server, GError **error)
{
    for (int left = TRIES;; left--) {
        g_auto(attempt) made = {.fd = -1};
        g_autoptr(GError) problem = NULL;
        try(self, server, &made, &problem);
        gboolean swept = was_swept(&made);
        if (!swept && made.fd >= 0 && verify_init(self, made.inside, &problem)) {
            int fd = made.fd;
            made.fd = -1;
            return fd;
        }
        /* What is refused goes; what ended by itself, or was swept away, has gone. */
        if (made.inside && (made.fd >= 0 || (!made.started && !swept)))
            podman_container_stop(server, self->container, 0, NULL);
        if (!swept || left == 0) {
            if (!problem)
                g_set_error(&problem, BOX_ERROR, BOX_ERROR_FAILED,
                            "podman does not keep box '%s' prepared; try again", self->name);
            g_propagate_error(error, g_steal_pointer(&problem));
            return -1;
        }
        g_usleep(PAUSE_MS * 1000);
    }
}
