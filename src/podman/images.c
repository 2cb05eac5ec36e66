#include "podman/podman.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <sys/socket.h>

#include "common/fs.h"
#include "common/text.h"
#include "net/unix_socket.h"
#include "podman/build_reaper.h"
#include "podman/client.h"
#include "podman/image_stream.h"

/* Prefixes ERROR with "cannot VERB the image 'REFERENCE': ". */
static void explain_image(GError **error, const char *verb, const char *reference)
{
    g_autofree char *safe = text_safe_max(reference, -1, 200);

    g_prefix_error(error, "cannot %s the image '%s': ", verb, safe);
}

gboolean podman_image_exists(podman_client *self, const char *reference, GError **error)
{
    g_autofree char *path = podman_path("/images/%s/exists", reference);
    g_autoptr(GError) failure = NULL;

    if (podman_call(self, "GET", path, NULL, NULL, &failure))
        return TRUE;
    if (g_error_matches(failure, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        return FALSE;
    g_propagate_error(error, g_steal_pointer(&failure));
    explain_image(error, "look for", reference);
    return FALSE;
}

json_t *podman_image_inspect(podman_client *self, const char *reference, GError **error)
{
    g_autofree char *path = podman_path("/images/%s/json", reference);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        explain_image(error, "inspect", reference);
    return reply;
}

json_t *podman_image_list_all(podman_client *self, GError **error)
{
    json_t *reply = podman_get(self, "/images/json?all=true", error);

    if (!reply)
        g_prefix_error(error, "cannot list the images: ");
    return reply;
}

char *podman_image_pull(podman_client *self, const char *reference, podman_progress_func progress,
                        gpointer user_data, GError **error)
{
    g_autofree char *path = podman_path("/images/pull?reference=%s", reference);
    g_auto(image_stream) state;
    podman_request request = {
        .method = "POST",
        .path = path,
        .timeout = PODMAN_TIMEOUT_NONE,
        .chunk = image_stream_chunk,
        .tick = image_stream_tick,
        .user_data = &state,
    };

    image_stream_init(&state, "looking for the image", progress, user_data);
    if (podman_perform(self, &request, NULL, error) && image_stream_end(&state, FALSE, error))
        return g_steal_pointer(&state.id);
    explain_image(error, "pull", reference);
    return NULL;
}

char *podman_image_import(podman_client *self, const char *reference, const char *change, int tar,
                          podman_progress_func progress, gpointer user_data, GError **error)
{
    g_autofree char *path =
        podman_path("/images/import?reference=%s&changes=%s", reference, change);
    g_autoptr(json_t) reply = NULL;
    g_auto(image_stream) state;
    podman_request request = {
        .method = "POST",
        .path = path,
        .upload = TRUE,
        .body_fd = tar,
        .content_type = "application/x-tar",
        .timeout = PODMAN_TIMEOUT_NONE,
        .tick = image_stream_tick,
        .user_data = &state,
    };
    const char *id;

    image_stream_init(&state, "importing", progress, user_data);
    if (!podman_perform(self, &request, &reply, error)) {
        explain_image(error, "import", reference);
        return NULL;
    }
    id = json_string_value(json_object_get(reply, "Id"));
    if (!id || !*id) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman imported an image, but its reply has no ID");
        return NULL;
    }
    return g_strdup(g_str_has_prefix(id, "sha256:") ? id + strlen("sha256:") : id);
}

gboolean podman_image_remove(podman_client *self, const char *reference, GError **error)
{
    g_autofree char *path = podman_path("/images/%s", reference);

    if (podman_call(self, "DELETE", path, NULL, NULL, error))
        return TRUE;
    explain_image(error, "remove", reference);
    return FALSE;
}

/* Without this, Podman's REST API runs a build's steps in the host's network namespace, where they
 * reach services on the loopback interface. podman-build(1) gives them their own network. */
#define PRIVATE_NETWORK "[{\"Name\":\"network\",\"Host\":false,\"Path\":\"\"}]"

/* As the API counts them (buildah, define.NetworkConfigurationPolicy). */
#define NETWORK_DEFAULT 0
#define NETWORK_DISABLED 1

#define OUTPUT_FORMAT "application/vnd.docker.distribution.manifest.v2+json"

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

/* What the API is told of the network of the steps, a new string. */
static char *network_parameters(const podman_build *build)
{
    g_autoptr(json_t) options = NULL;
    g_autofree char *text = NULL;

    if (!build->network || !build->nameserver)
        return podman_path("&nsoptions=%s&networkmode=%d", PRIVATE_NETWORK,
                           build->network ? NETWORK_DISABLED : NETWORK_DEFAULT);
    options = json_pack("[{s:s, s:b, s:s}]", "Name", "network", "Host", 0, "Path", build->network);
    text = json_dumps(options, JSON_COMPACT);
    g_autofree char *servers = g_strdup_printf("[\"%s\"]", build->nameserver);
    return podman_path("&nsoptions=%s&networkmode=%d&dnsservers=%s", text, NETWORK_DEFAULT,
                       servers);
}

static char *build_path(const podman_build *build)
{
    g_autofree char *buildargs = json_map(build->buildargs);
    g_autofree char *labels = json_map(build->labels);
    g_autofree char *network = network_parameters(build);

    /* Podman caches nothing without "layers" and a format. Unlike OCI's format, this one can hold
     * all instructions of a Containerfile (SHELL). "forcerm" cleans up after a step that fails. */
    g_autofree char *path = podman_path(
        "/build?dockerfile=%s&buildargs=%s&labels=%s&outputformat=%s&layers=true&httpproxy=false&rm=true"
        "&forcerm=true&nocache=%s&pullpolicy=%s",
        build->containerfile, buildargs, labels, OUTPUT_FORMAT, build->no_cache ? "true" : "false",
        build->check        ? "never"
        : build->pull_newer ? "ifnewer"
                            : "missing");
    return g_strconcat(path, network, NULL);
}

/* The service in which one build runs (build_reaper.h says why it has its own). */
typedef struct {
    podman_client *client; /* to build with */
    podman_client *owned;  /* the same client; NULL: it is borrowed */
    int lifeline;          /* of the build's reaper, or -1 */
} build_service;

/* Listens on PATH, which is in FOLDER, and starts the service there. */
static gboolean build_service_start(build_service *self, const char *path, const char *log,
                                    const char *folder, const char *network, GError **error)
{
    int listener = unix_socket_listen(path, SOCK_STREAM, 0600, SOMAXCONN);

    if (listener < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                    "cannot listen on '%s' for a podman service: %s", path, g_strerror(errno));
    } else {
        self->lifeline = podman_service_spawn_builder(listener, log, folder, network, error);
        close(listener);
    }
    return self->lifeline >= 0;
}

/* Uses SHARED when CONTAINER_HOST names the only service and the build has no NETWORK; otherwise
 * starts a service. */
static gboolean build_service_open(build_service *self, podman_client *shared, const char *network,
                                   GError **error)
{
    podman_service *service = NULL;

    self->client = shared;
    if (podman_is_from_environment(shared) && !network)
        return TRUE;
    g_autofree char *folder = build_folder_make(error);
    if (!folder)
        return FALSE;
    g_autofree char *path = g_build_filename(folder, "podman.sock", NULL);
    g_autofree char *log = g_build_filename(folder, "podman.log", NULL);
    if (build_service_start(self, path, log, folder, network, error))
        service = podman_service_new_at(path, log, error);
    else
        fs_remove_tree(folder, NULL);
    self->client = self->owned = service ? podman_connect_to(service, error) : NULL;
    return self->owned != NULL;
}

/* The build has ended, so the service may end at once. */
static void build_service_done(build_service *self)
{
    char word = BUILD_REAPER_DONE;

    /* If the reaper was killed, the service ends when it has been idle for a while. */
    if (self->lifeline >= 0)
        send(self->lifeline, &word, 1, MSG_NOSIGNAL);
}

/* Without build_service_done() before, stops the build, in the background. */
static void build_service_clear(build_service *self)
{
    /* The connection first, so that Buildah does not start the next step when one is killed. */
    podman_free(self->owned);
    if (self->lifeline >= 0)
        close(self->lifeline);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(build_service, build_service_clear)

gboolean podman_image_tag(podman_client *self, const char *image, const char *reference,
                          GError **error)
{
    const char *slash = strrchr(reference, '/');
    const char *colon = strrchr(slash ? slash : reference, ':');
    g_autofree char *name = colon ? g_strndup(reference, colon - reference) : g_strdup(reference);
    g_autofree char *path =
        podman_path("/images/%s/tag?repo=%s&tag=%s", image, name, colon ? colon + 1 : "latest");

    return podman_call(self, "POST", path, NULL, NULL, error);
}

/* Sends the context and follows the build. TRUE when the build has ended, successfully or not. */
static gboolean run_build(podman_client *self, const podman_build *build, int context,
                          image_stream *state, GError **error)
{
    g_autofree char *path = build_path(build);
    podman_request request = {
        .method = "POST",
        .path = path,
        .upload = TRUE,
        .body_fd = context,
        .body_max = build->context_max,
        .content_type = "application/x-tar",
        .timeout = PODMAN_TIMEOUT_NONE,
        .chunk = image_stream_chunk,
        .tick = image_stream_tick,
        .user_data = state,
    };

    return podman_perform(self, &request, NULL, error);
}

char *podman_image_build(podman_client *self, const podman_build *build, int context,
                         podman_progress_func progress, gpointer user_data, GError **error)
{
    g_auto(build_service) service = {.lifeline = -1};
    g_auto(image_stream) state;
    char *id = NULL;

    image_stream_init(&state, "sending the build context", progress, user_data);
    if (build_service_open(&service, self, build->network, error) &&
        (!build->check || build->check(service.client, error)) &&
        run_build(service.client, build, context, &state, error)) {
        build_service_done(&service);
        /* Podman could tag it, but it would also tag the image of a build that it continues after
         * its client has gone, with half of the context. */
        if (image_stream_end(&state, TRUE, error) &&
            podman_image_tag(self, state.id, build->tag, error))
            id = g_steal_pointer(&state.id);
    }
    if (!id) {
        g_autofree char *safe = text_safe_max(build->tag, -1, 200);
        g_prefix_error(error, "cannot build the image '%s': ", safe);
    }
    return id;
}
