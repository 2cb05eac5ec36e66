/* The requests of the control socket about keys. */
#include <fcntl.h>
#include <unistd.h>

#include "ssh-agent/agent/attached_keys.h"
#include "ssh-agent/agent/control_socket.h"

json_t *control_attach(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    const char *box = control_text(request, "box");
    if (!agent_box_is_name(box) ||
        !attached_keys_attach(box, json_object_get(request, "keys"), &error))
        return control_error("%s", error ? error->message : "no box");
    agent_box_reload_all(self);
    return control_ok();
}

json_t *control_detach(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    const char *box = control_text(request, "box"), *key = control_text(request, "key");
    if (!agent_box_is_name(box) || !key || !attached_keys_detach(box, key, &error))
        return control_error("%s", error ? error->message : "no box, or no key");
    agent_box_reload_all(self);
    return control_ok();
}

/* A key of the store has another label, or was deleted; then it is detached from all boxes. */
json_t *control_key_changed(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    const char *key = control_text(request, "key"), *label = control_text(request, "label");
    if (!key)
        return control_error("no key");
    json_t *boxes = attached_keys_change_in_all(key, label, &error);
    keystore_backend_refresh(self->keystore);
    if (!label)
        grants_clear(self->grants, NULL, key);
    agent_box_reload_all(self);
    agent_check_idle(self);
    if (!boxes)
        return control_error("%s", error->message);
    return json_pack("{s:b, s:o}", "ok", TRUE, "boxes", boxes);
}

/* The password is in a pipe that came with the request and was filled before, so that it is never
 * part of a message. */
json_t *control_keys_unlock(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(secret) password = secret_new(KEY_STORE_PASSWORD_MAX);
    int fd = control_take_descriptor(from);
    gssize length = -1;
    if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        length = read(fd, password->data, KEY_STORE_PASSWORD_MAX);
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return control_error("the request has no password");
    password->length = (gsize)length;
    if (!keystore_backend_unlock(self->keystore, password, &error))
        return control_error("%s", error->message);
    agent_check_idle(self);
    return control_ok();
}

json_t *control_keys_lock(agent *self, control_client *from, const json_t *request)
{
    keystore_backend_lock(self->keystore);
    agent_check_idle(self);
    return control_ok();
}

typedef struct {
    key_search *search;
    control_client *from;
} list_request;

static void on_keys_client_gone(gpointer data)
{
    list_request *self = data;
    key_search_free(self->search);
    g_free(self);
}

static void on_key_list(const json_t *keys, gpointer data)
{
    list_request *self = data;
    json_t *answer = control_ok();
    json_object_set_new(answer, "keys", json_deep_copy(keys));
    control_answer(self->from, answer);
    g_free(self);
}

json_t *control_list_keys(agent *self, control_client *from, const json_t *request)
{
    list_request *list = g_new0(list_request, 1);
    list->from = from;
    list->search = key_search_new(self, control_text(request, "upstream"), on_key_list, list);
    control_on_gone(from, on_keys_client_gone, list);
    return NULL;
}
