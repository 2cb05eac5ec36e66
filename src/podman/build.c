#include <string.h>

#include "common/text.h"
#include "podman/builder.h"
#include "podman/call.h"
#include "podman/images.h"
#include "podman/stream.h"

/*
 * Podman's REST default lets the steps of a build into the host's network, services on loopback
 * included. Its own command line gives them a network of their own; so do we.
 */
#define OWN_NETWORK "[{\"Name\":\"network\",\"Host\":false,\"Path\":\"\"}]"

#define FORMAT "application/vnd.docker.distribution.manifest.v2+json"

/* {"K":"V"} from "K=V" strings, as text. */
static char *json_map(const char *const *pairs)
{
    g_autoptr(json_t) map = json_object();

    for (; pairs && *pairs; pairs++) {
        const char *equals = strchr(*pairs, '=');
        gsize length = equals ? (gsize)(equals - *pairs) : strlen(*pairs);
        g_autofree char *key = g_strndup(*pairs, length);
        json_object_set_new(map, key, json_string(equals ? equals + 1 : ""));
    }
    return json_dumps(map, JSON_COMPACT);
}

static char *build_path(const podman_build *build)
{
    g_autofree char *buildargs = json_map(build->buildargs);
    g_autofree char *labels = json_map(build->labels);

    /* Nothing is cached without "layers" and an explicit format. This one, unlike OCI's, can hold
     * all that a Containerfile may say (SHELL). "forcerm" cleans up after a step that fails. */
    return podman_path(
        "/build?dockerfile=%s&buildargs=%s&labels=%s&outputformat=%s&layers=true&httpproxy=true&rm=true"
        "&forcerm=true&nocache=%s&pullpolicy=%s&nsoptions=%s",
        build->containerfile, buildargs, labels, FORMAT, build->no_cache ? "true" : "false",
        build->pull_newer ? "ifnewer" : "missing", OWN_NETWORK);
}

/*
 * Gives the built image its name, now that the build is complete. Podman would do it by itself,
 * also for a build that it goes on with after its client has gone, with half of the context.
 */
static gboolean tag(podman *self, const char *id, const char *reference, GError **error)
{
    const char *slash = strrchr(reference, '/');
    const char *colon = strrchr(slash ? slash : reference, ':');
    g_autofree char *name = colon ? g_strndup(reference, colon - reference) : g_strdup(reference);
    g_autofree char *path =
        podman_path("/images/%s/tag?repo=%s&tag=%s", id, name, colon ? colon + 1 : "latest");

    return podman_call(self, "POST", path, NULL, NULL, error);
}

/* Sends the context and follows the build. TRUE when podman brought it to an end, good or bad. */
static gboolean run(podman *self, const podman_build *build, int context, stream *state,
                    GError **error)
{
    g_autofree char *path = build_path(build);
    podman_request request = {
        .method = "POST",
        .path = path,
        .upload = TRUE,
        .body_fd = context,
        .content_type = "application/x-tar",
        .patience = CALL_FOREVER,
        .chunk = stream_chunk,
        .tick = stream_tick,
        .user_data = state,
    };

    return podman_perform(self, &request, NULL, error);
}

char *podman_image_build(podman *self, const podman_build *build, int context,
                         podman_progress_func progress, gpointer user_data, GError **error)
{
    g_auto(builder) place = {.lifeline = -1};
    g_auto(stream) state;
    char *id = NULL;

    stream_init(&state, "sending the build context", progress, user_data);
    if (builder_open(&place, self, error) && run(place.podman, build, context, &state, error)) {
        builder_done(&place);
        if (stream_end(&state, TRUE, error) && tag(self, state.id, build->tag, error))
            id = g_steal_pointer(&state.id);
    }
    if (!id) {
        g_autofree char *safe = text_safe_max(build->tag, -1, 200);
        g_prefix_error(error, "cannot build the image '%s': ", safe);
    }
    return id;
}
