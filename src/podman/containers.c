#include "podman/containers.h"

#include <string.h>

#include "common/text.h"
#include "podman/call.h"
#include "podman/reply.h"

/* How often "wait" looks again after the container's monitor has ended. */
#define WAIT_INTERVAL "20ms"

/* Puts "cannot VERB 'NAME': " in front of ERROR. Returns FALSE. */
static gboolean explain(GError **error, const char *verb, const char *name)
{
    g_autofree char *safe = text_safe_max(name, -1, 200);

    g_prefix_error(error, "cannot %s '%s': ", verb, safe);
    return FALSE;
}

/* A POST without a body that may be repeated: twice is the same as once. */
static gboolean post(podman *self, const char *path, int patience, GError **error)
{
    podman_request request = {
        .method = "POST", .path = path, .patience = patience, .repeatable = TRUE};

    return podman_perform(self, &request, NULL, error);
}

static void collect_warnings(json_t *reply, GPtrArray *warnings)
{
    json_t *warning;
    size_t i;

    json_array_foreach (json_object_get(reply, "Warnings"), i, warning) {
        const char *text = json_string_value(warning);
        if (text && *text)
            g_ptr_array_add(warnings, text_safe(text, -1));
    }
}

char *podman_container_create(podman *self, json_t *request, GPtrArray *warnings, GError **error)
{
    g_autoptr(json_t) reply = NULL;
    const char *name = json_string_value(json_object_get(request, "name"));
    const char *id;

    if (!podman_call(self, "POST", "/containers/create", request, &reply, error)) {
        explain(error, "create the container", name);
        return NULL;
    }
    id = json_string_value(json_object_get(reply, "Id"));
    if (!id || !*id) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman created a container but does not say its ID");
        return NULL;
    }
    if (warnings)
        collect_warnings(reply, warnings);
    return g_strdup(id);
}

json_t *podman_container_inspect(podman *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/json", name);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        explain(error, "inspect the container", name);
    return reply;
}

json_t *podman_container_changes(podman *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/changes", name);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        explain(error, "compare the container", name);
    return reply;
}

json_t *podman_container_list(podman *self, const char *label, GError **error)
{
    g_autofree char *filter = podman_label_filter(label);
    g_autofree char *path = podman_path("/containers/json?all=true&filters=%s", filter);
    json_t *reply = podman_get(self, path, error);

    if (!reply)
        g_prefix_error(error, "cannot list the containers: ");
    return reply;
}

gboolean podman_container_init(podman *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/init", name);

    return post(self, path, CALL_SOON, error) || explain(error, "prepare the container", name);
}

gboolean podman_container_start(podman *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/start", name);

    return post(self, path, CALL_SOON, error) || explain(error, "start the container", name);
}

gboolean podman_container_stop(podman *self, const char *name, int timeout, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/stop?timeout=%d", name, timeout);

    return post(self, path, timeout + CALL_SOON, error) ||
           explain(error, "stop the container", name);
}

gboolean podman_container_unpause(podman *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/unpause", name);

    return podman_call(self, "POST", path, NULL, NULL, error) ||
           explain(error, "unpause the container", name);
}

gboolean podman_container_kill(podman *self, const char *name, int signal, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/kill?signal=%d", name, signal);

    return post(self, path, CALL_SOON, error) || explain(error, "signal the container", name);
}

gboolean podman_container_remove(podman *self, const char *name, GError **error)
{
    g_autofree char *path =
        podman_path("/containers/%s?force=true&timeout=0&volumes=true&ignore=true", name);
    g_autoptr(GError) failure = NULL;

    if (podman_call(self, "DELETE", path, NULL, NULL, &failure))
        return TRUE;
    /* Podman 5 ends a container whose conmon is gone, reports that it could not, and removes it
     * only when it is told again. */
    if (g_error_matches(failure, BOX_ERROR, BOX_ERROR_FAILED)) {
        g_clear_error(&failure);
        if (podman_call(self, "DELETE", path, NULL, NULL, &failure))
            return TRUE;
    }
    if (g_error_matches(failure, BOX_ERROR, BOX_ERROR_NOT_FOUND))
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&failure));
    return explain(error, "remove the container", name);
}

gboolean podman_container_wait(podman *self, const char *name, int *status, GError **error)
{
    g_autofree char *path =
        podman_path("/containers/%s/wait?condition=exited&interval=" WAIT_INTERVAL, name);
    g_autoptr(json_t) reply = NULL;
    podman_request request = {
        .method = "POST", .path = path, .patience = CALL_FOREVER, .repeatable = TRUE};

    if (!podman_perform(self, &request, &reply, error))
        return explain(error, "wait for the container", name);
    if (!json_is_integer(reply)) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman does not say how the container ended");
        return FALSE;
    }
    *status = json_integer_value(reply);
    return TRUE;
}

gboolean podman_container_rename(podman *self, const char *name, const char *to, GError **error)
{
    g_autofree char *path = podman_path("/containers/%s/rename?name=%s", name, to);

    return podman_call(self, "POST", path, NULL, NULL, error) ||
           explain(error, "rename the container", name);
}

json_t *podman_container_stats(podman *self, const char *name, GError **error)
{
    g_autofree char *path = podman_path("/containers/stats?stream=false&containers=%s", name);
    json_t *reply = podman_get(self, path, error);

    /* Podman 4 answers 200 and an error without words when there is no such container. */
    if (reply && !json_is_array(json_object_get(reply, "Stats"))) {
        g_clear_pointer(&reply, json_decref);
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                            "podman gives no figures and no reason; is it there?");
    }
    if (!reply)
        explain(error, "measure the container", name);
    return reply;
}
