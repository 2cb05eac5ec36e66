/* One function for each "op" of the control socket, in one table. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ssh-agent/agent/asker.h"
#include "ssh-agent/agent/boxes.h"
#include "ssh-agent/agent/control_later.h"
#include "ssh-agent/agent/places.h"
#include "ssh-agent/agent/wishes.h"

#define MUTE_SECONDS_MAX 86400

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* A number as text, which is how the prompt's contract has it; 0 is none. */
static guint64 number(const json_t *request, const char *key)
{
    guint64 value = 0;
    const char *digits = text(request, key);
    if (!digits || !g_ascii_string_to_unsigned(digits, 10, 1, G_MAXINT64, &value, NULL))
        return 0;
    return value;
}

static void take_display(agent *self, const json_t *request)
{
    json_t *display = json_object_get(request, "display"), *value;
    const char *key;
    if (json_object_size(display) > 0) {
        GPtrArray *list = g_ptr_array_new();
        json_object_foreach (display, key, value)
            if (json_is_string(value))
                g_ptr_array_add(list, g_strconcat(key, "=", json_string_value(value), NULL));
        g_ptr_array_add(list, NULL);
        g_strfreev(self->display);
        self->display = (char **)g_ptr_array_free(list, FALSE);
    }
}

static json_t *op_hello(agent *self, control_client *from, const json_t *request)
{
    take_display(self, request);
    return control_ok();
}

static json_t *key_json(const key_wish *wish)
{
    json_t *key = json_object();
    if (wish->fingerprint)
        json_object_set_new(key, "fingerprint", json_string(wish->fingerprint));
    if (wish->label)
        json_object_set_new(key, "label", json_string(wish->label));
    return key;
}

static json_t *box_json(const agent_box *box)
{
    const GPtrArray *lists[] = {box->attached, box->keys};
    json_t *keys = json_array();
    for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
        for (guint i = 0; i < lists[l]->len; i++)
            json_array_append_new(keys, key_json(lists[l]->pdata[i]));
    json_t *made =
        json_pack("{s:s, s:s, s:i, s:i, s:s, s:o}", "box", box->name, "project", box->project,
                  "pid", (int)box->pid, "connections", (int)box->clients->len, "forward",
                  box->forward_ask ? "ask" : "deny", "keys", keys);
    json_object_set_new(made, "upstream", box->upstream ? json_string(box->upstream) : json_null());
    return made;
}

static json_t *op_status(agent *self, control_client *from, const json_t *request)
{
    json_t *boxes = json_array(), *answer = control_ok();
    GHashTableIter iter;
    gpointer box;
    g_hash_table_iter_init(&iter, self->boxes);
    while (g_hash_table_iter_next(&iter, NULL, &box))
        json_array_append_new(boxes, box_json(box));
    g_autofree char *phrase = identity_phrase(self);
    json_object_set_new(answer, "boxes", boxes);
    json_object_set_new(answer, "locked", json_boolean(self->locked));
    json_object_set_new(answer, "held", json_boolean(self->held));
    json_object_set_new(answer, "keys_unlocked", json_boolean(!own_is_locked(self->own)));
    json_object_set_new(answer, "display", json_boolean(asker_has_display(self)));
    json_object_set_new(answer, "phrase", json_string(phrase));
    json_object_set_new(answer, "pending", json_integer(questions_all(self->questions)->len));
    json_object_set_new(answer, "grants",
                        json_integer(grants_live(self->grants, agent_now())->len));
    return answer;
}

static json_t *op_pending(agent *self, control_client *from, const json_t *request)
{
    json_t *list = json_array(), *answer = control_ok();
    const GPtrArray *all = questions_all(self->questions);
    for (guint i = 0; i < all->len; i++) {
        const question *each = all->pdata[i];
        gint64 left = each->since + QUESTIONS_SECONDS * G_USEC_PER_SEC - agent_now();
        json_t *copy = json_copy(each->text);
        json_object_set_new(copy, "shown", json_boolean(each->shown));
        json_object_set_new(copy, "left", json_integer(MAX(left, 0) / G_USEC_PER_SEC));
        json_array_append_new(list, copy);
    }
    json_object_set_new(answer, "pending", list);
    return answer;
}

/* Says which answers the question ID has. */
static json_t *refuse_answer(const agent *self, guint64 id)
{
    const question *asked = questions_find(self->questions, id);
    g_autoptr(GString) names = g_string_new(NULL);
    json_t *choice;
    size_t i;
    if (!asked)
        return control_error("there is no such question, or it has been answered");
    json_array_foreach (json_object_get(asked->text, "choices"), i, choice)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", text(choice, "id"));
    return control_error("this question is answered by %s%sdeny", names->str,
                         names->len ? " or " : "");
}

static json_t *answer_question(agent *self, const json_t *request, const char *choice)
{
    guint64 id = number(request, "id");
    if (id && questions_answer(self->questions, id, choice, NULL, agent_now()))
        return control_ok();
    return refuse_answer(self, id);
}

static json_t *op_approve(agent *self, control_client *from, const json_t *request)
{
    const char *choice = text(request, "choice");
    return answer_question(self, request, choice ? choice : "once");
}

static json_t *op_deny(agent *self, control_client *from, const json_t *request)
{
    return answer_question(self, request, ANSWER_DENY);
}

static json_t *op_grants(agent *self, control_client *from, const json_t *request)
{
    json_t *list = json_array(), *answer = control_ok();
    gint64 now = agent_now();
    const GPtrArray *live = grants_live(self->grants, now);
    for (guint i = 0; i < live->len; i++) {
        const grant *each = live->pdata[i];
        g_autofree char *id = g_strdup_printf("%" G_GUINT64_FORMAT, each->id);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "id", id, "box",
                            each->scope.box, "key", each->scope.key, "scope", each->words, "uses",
                            (json_int_t)each->uses, "most", (json_int_t)each->most, "idle",
                            (json_int_t)((now - each->used) / G_USEC_PER_SEC), "left",
                            each->until ? json_integer((each->until - now) / G_USEC_PER_SEC)
                                        : json_null()));
    }
    json_object_set_new(answer, "grants", list);
    return answer;
}

static json_t *op_revoke(agent *self, control_client *from, const json_t *request)
{
    if (g_strcmp0(text(request, "id"), "all") == 0)
        grants_clear(self->grants, text(request, "box"), NULL);
    else if (!grants_revoke(self->grants, number(request, "id")))
        return control_error("there is no such grant");
    return control_ok();
}

static json_t *op_lock(agent *self, control_client *from, const json_t *request)
{
    self->locked = TRUE;
    own_lock(self->own);
    agent_forget_grants(self, "locked");
    if (!places_lock(TRUE))
        return control_error("locked, but only for as long as this agent runs: %s",
                             g_strerror(errno));
    return control_ok();
}

static json_t *op_unlock(agent *self, control_client *from, const json_t *request)
{
    if (!places_lock(FALSE))
        return control_error("cannot unlock: %s", g_strerror(errno));
    self->locked = FALSE;
    return control_ok();
}

static json_t *op_mute(agent *self, control_client *from, const json_t *request)
{
    const char *box = text(request, "box");
    json_int_t seconds = json_integer_value(json_object_get(request, "for"));
    if (!box || !g_hash_table_contains(self->boxes, box))
        return control_error("that box does not run");
    seconds = CLAMP(seconds, 0, MUTE_SECONDS_MAX);
    questions_mute(self->questions, box, agent_now() + seconds * G_USEC_PER_SEC);
    if (seconds)
        questions_drop(self->questions, box, agent_now());
    return control_ok();
}

static json_t *op_box_open(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    take_display(self, request);
    json_t *wrong = boxes_open(self, request, &error);
    if (!wrong)
        return control_error("%s", error->message);
    return json_pack("{s:b, s:o}", "ok", TRUE, "wrong", wrong);
}

static json_t *op_box_close(agent *self, control_client *from, const json_t *request)
{
    const char *box = text(request, "box");
    if (box)
        boxes_close(self, box);
    return control_ok();
}

static json_t *op_attach(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    const char *box = text(request, "box");
    if (!boxes_is_name(box) || !wishes_attach(box, json_object_get(request, "keys"), &error))
        return control_error("%s", error ? error->message : "no box");
    boxes_reload(self);
    return control_ok();
}

static json_t *op_detach(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    const char *box = text(request, "box"), *key = text(request, "key");
    if (!boxes_is_name(box) || !key || !wishes_detach(box, key, &error))
        return control_error("%s", error ? error->message : "no box, or no key");
    boxes_reload(self);
    return control_ok();
}

/* A key of the store is called otherwise, or deleted: then nothing of it stays with boxes. */
static json_t *op_key_changed(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    const char *key = text(request, "key"), *label = text(request, "label");
    json_t *boxes = key ? wishes_change_in_all(key, label, &error) : NULL;
    if (!boxes)
        return control_error("%s", error ? error->message : "no key");
    own_refresh(self->own);
    if (!label)
        grants_clear(self->grants, NULL, key);
    boxes_reload(self);
    agent_check_idle(self);
    return json_pack("{s:b, s:o}", "ok", TRUE, "boxes", boxes);
}

/* The password is on a pipe, written before it was sent: it is never in a message. */
static json_t *op_keys_unlock(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(secret) password = secret_new(STORE_PASSWORD_MAX);
    int fd = control_take_given(from);
    gssize length = -1;
    if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        length = read(fd, password->data, STORE_PASSWORD_MAX);
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return control_error("no password came");
    password->length = (gsize)length;
    if (!own_unlock(self->own, password, &error))
        return control_error("%s", error->message);
    agent_check_idle(self);
    return control_ok();
}

static json_t *op_keys_lock(agent *self, control_client *from, const json_t *request)
{
    own_lock(self->own);
    agent_check_idle(self);
    return control_ok();
}

static const struct {
    const char *name;
    json_t *(*run)(agent *self, control_client *from, const json_t *request);
} ops[] = {
    {"hello", op_hello},
    {"status", op_status},
    {"pending", op_pending},
    {"approve", op_approve},
    {"deny", op_deny},
    {"grants", op_grants},
    {"revoke", op_revoke},
    {"lock", op_lock},
    {"unlock", op_unlock},
    {"mute", op_mute},
    {"attach", op_attach},
    {"detach", op_detach},
    {"box-open", op_box_open},
    {"box-close", op_box_close},
    {"ask", control_ask},
    {"keys-unlock", op_keys_unlock},
    {"keys-lock", op_keys_lock},
    {"keys", control_keys},
    {"key-changed", op_key_changed},
};

json_t *control_do(agent *self, control_client *from, const json_t *request)
{
    const char *op = text(request, "op");
    for (gsize i = 0; op && i < G_N_ELEMENTS(ops); i++)
        if (strcmp(ops[i].name, op) == 0)
            return ops[i].run(self, from, request);
    return control_error("there is no such request");
}
