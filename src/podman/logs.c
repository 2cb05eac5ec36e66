#include "common/text.h"
#include "podman/call.h"
#include "podman/containers.h"
#include "podman/reply.h"

typedef struct {
    reply_frames frames;
    podman_log_func write;
    gpointer user_data;
} follower;

static gboolean on_chunk(const char *data, gsize length, gpointer user_data, GError **error)
{
    follower *self = user_data;

    return reply_frames_feed(&self->frames, data, length, self->write, self->user_data, error);
}

gboolean podman_container_logs(podman *self, const char *name, gboolean follow, int tail,
                               podman_log_func write, gpointer user_data, GError **error)
{
    g_autofree char *lines = tail < 0 ? g_strdup("all") : g_strdup_printf("%d", tail);
    g_autofree char *path =
        podman_path("/containers/%s/logs?stdout=true&stderr=true&follow=%s&tail=%s", name,
                    follow ? "true" : "false", lines);
    follower state = {.write = write, .user_data = user_data};
    podman_request request = {.method = "GET",
                              .path = path,
                              .patience = follow ? CALL_FOREVER : CALL_SOON,
                              .chunk = on_chunk,
                              .user_data = &state};
    gboolean done =
        podman_perform(self, &request, NULL, error) && reply_frames_end(&state.frames, error);

    reply_frames_clear(&state.frames);
    if (!done) {
        g_autofree char *safe = text_safe_max(name, -1, 200);
        g_prefix_error(error, "cannot read the log of '%s': ", safe);
    }
    return done;
}
