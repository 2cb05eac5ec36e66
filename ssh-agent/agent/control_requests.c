/* The requests of the control socket: a function for each "op", in one table. */
#include <errno.h>
#include <string.h>

#include "common/error.h"
#include "ssh-agent/agent/attached_keys.h"
#include "ssh-agent/agent/control_socket.h"
#include "ssh-agent/agent/socket_paths.h"

/* A day. */
#define MUTE_SECONDS_MAX 86400

/* An ID, which is a decimal number as text, as it may exceed what JSON numbers hold; 0: none. */
static guint64 id_of(const json_t *request, const char *key)
{
    guint64 value = 0;
    const char *digits = control_text(request, key);
    if (!digits || !g_ascii_string_to_unsigned(digits, 10, 1, G_MAXINT64, &value, NULL))
        return 0;
    return value;
}

/* The display of the request's sender, if any, is the one for prompts from now on. */
static void set_display(agent *self, const json_t *request)
{
    json_t *display = json_object_get(request, "display"), *value;
    const char *key;
    if (json_object_size(display) > 0) {
        GPtrArray *list = g_ptr_array_new();
        json_object_foreach (display, key, value)
            if (json_is_string(value))
                g_ptr_array_add(list, g_strconcat(key, "=", json_string_value(value), NULL));
        g_ptr_array_add(list, NULL);
        prompt_client_set_display(self, (char **)g_ptr_array_free(list, FALSE));
    }
}

static json_t *op_hello(agent *self, control_client *from, const json_t *request)
{
    set_display(self, request);
    boxes_offer_upstream(self, control_text(request, "box"), control_text(request, "upstream"));
    return control_ok();
}

static json_t *key_json(const attached_key *attached)
{
    return json_pack("{s:s?, s:s?}", "fingerprint", attached->fingerprint, "label",
                     attached->label);
}

static json_t *box_json(const agent_box *box)
{
    const GPtrArray *lists[] = {box->attached, box->keys};
    json_t *keys = json_array();
    for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
        for (guint i = 0; i < lists[l]->len; i++)
            json_array_append_new(keys, key_json(lists[l]->pdata[i]));
    json_t *json =
        json_pack("{s:s, s:s, s:i, s:i, s:s, s:o}", "box", box->name, "project", box->project,
                  "pid", (int)box->pid, "connections", (int)box->clients->len, "forward",
                  box->forward_ask ? "ask" : "deny", "keys", keys);
    enum question_refusal refusal =
        pending_questions_check(box->agent->questions, box->name, QUESTION_SIGN, agent_now());
    json_object_set_new(json, "muted", json_boolean(refusal == QUESTION_REFUSAL_MUTED));
    json_object_set_new(json, "upstream", box->upstream ? json_string(box->upstream) : json_null());
    return json;
}

static json_t *op_status(agent *self, control_client *from, const json_t *request)
{
    json_t *boxes = json_array(), *answer = control_ok();
    GHashTableIter iter;
    gpointer box;
    g_hash_table_iter_init(&iter, self->boxes);
    while (g_hash_table_iter_next(&iter, NULL, &box))
        json_array_append_new(boxes, box_json(box));
    g_autofree char *phrase = prompt_client_phrase(self);
    json_object_set_new(answer, "boxes", boxes);
    json_object_set_new(answer, "locked", json_boolean(self->locked));
    json_object_set_new(answer, "held", json_boolean(self->held));
    json_object_set_new(answer, "keys_unlocked",
                        json_boolean(!keystore_backend_is_locked(self->keystore)));
    json_object_set_new(answer, "display", json_boolean(prompt_client_has_display(self)));
    json_object_set_new(answer, "phrase", json_string(phrase));
    json_object_set_new(answer, "pending",
                        json_integer(pending_questions_all(self->questions)->len));
    json_object_set_new(answer, "grants",
                        json_integer(grants_live(self->grants, agent_now())->len));
    return answer;
}

static json_t *op_pending(agent *self, control_client *from, const json_t *request)
{
    json_t *list = json_array(), *answer = control_ok();
    const GPtrArray *all = pending_questions_all(self->questions);
    for (guint i = 0; i < all->len; i++) {
        const pending_question *each = all->pdata[i];
        json_t *item = question_to_json(each->asked);
        g_autofree char *id = g_strdup_printf("%" G_GUINT64_FORMAT, each->id);
        json_object_set_new(item, "id", json_string(id));
        json_object_set_new(item, "shown", json_boolean(each->shown));
        json_object_set_new(item, "left",
                            json_integer(pending_question_seconds_left(each, agent_now())));
        json_array_append_new(list, item);
    }
    json_object_set_new(answer, "pending", list);
    return answer;
}

/* Says which answers the question ID has. */
static json_t *refuse_answer(const agent *self, guint64 id)
{
    const pending_question *which = pending_questions_find(self->questions, id);
    g_autoptr(GString) names = g_string_new(NULL);
    if (!which)
        return control_error("no such request, or it was already answered");
    for (guint i = 0; i < which->asked->choices->len; i++) {
        const question_choice *choice = which->asked->choices->pdata[i];
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "",
                               question_answer_word(choice->answer));
    }
    return control_error("this question is answered by %s%sdeny", names->str,
                         names->len ? " or " : "");
}

/* Why a yes without a window would give nothing; NULL: it would not. */
static const char *why_window(const agent *self, guint64 id)
{
    const pending_question *which = pending_questions_find(self->questions, id);
    return which ? question_kind_traits(which->asked->kind)->gives_why : NULL;
}

static json_t *answer_question(agent *self, const json_t *request, enum question_answer answer)
{
    guint64 id = id_of(request, "id");
    if (id && pending_questions_answer_word(self->questions, id, answer, agent_now()))
        return control_ok();
    return refuse_answer(self, id);
}

/* TRUE unless the user was shown another question than the one that has the number ID now, as after
 * a start of the agent. */
static gboolean is_as_shown(const agent *self, guint64 id, const json_t *shown)
{
    const pending_question *which = pending_questions_find(self->questions, id);
    json_t *now = which && shown ? question_to_json(which->asked) : NULL;
    gboolean same = !now || json_equal(now, shown);
    json_decref(now);
    return same;
}

/* Passwords and keys can only be given in a window. */
static json_t *op_approve(agent *self, control_client *from, const json_t *request)
{
    const char *choice = control_text(request, "choice");
    const char *why = why_window(self, id_of(request, "id"));
    enum question_answer answer = QUESTION_ANSWER_ONCE;
    if (!is_as_shown(self, id_of(request, "id"), json_object_get(request, "shown")))
        return control_error("that request is gone, and another one has its number now");
    if (why)
        return control_error("only its window can allow this, as %s", why);
    if ((choice && !question_answer_parse(choice, &answer)) || !question_answer_is_choice(answer))
        return refuse_answer(self, id_of(request, "id"));
    return answer_question(self, request, answer);
}

static json_t *op_deny(agent *self, control_client *from, const json_t *request)
{
    gboolean never = json_is_true(json_object_get(request, "never"));
    return answer_question(self, request, never ? QUESTION_ANSWER_NEVER : QUESTION_ANSWER_DENY);
}

typedef struct {
    question_waiter waiter; /* first, as pending_questions.h wants it */
    agent *agent;
    control_client *from;
} ask_request;

static void on_ask_client_gone(gpointer data)
{
    ask_request *self = data;
    pending_questions_leave(self->agent->questions, self, agent_now());
    g_free(self);
}

static json_t *answered(enum question_answer answer)
{
    return json_pack("{s:b, s:s}", "ok", TRUE, "answer", question_answer_word(answer));
}

static void on_request_answer(gpointer data, const question_reply *reply)
{
    ask_request *self = data;
    control_answer(self->from, answered(reply->answer));
    g_free(self);
}

/* The client's question as it will be asked, a new one; NULL with ERROR. */
static question *parse_question(const agent *self, control_client *from, const json_t *given,
                                GError **error)
{
    g_autoptr(question) asked = question_from_json(given, error);
    if (!asked)
        return NULL;
    const question_traits *kind = question_kind_traits(asked->kind);
    gboolean has_asker = asked->box || kind->of_user;
    if (!has_asker || !kind->from_clients) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "%s",
                    has_asker ? "only the agent asks questions of this kind"
                              : "a question needs a box");
        return NULL;
    }
    int end = kind->gives ? control_take_descriptor(from) : -1;
    if (kind->gives && end < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                    "a question of this kind needs a descriptor for what it gives");
        return NULL;
    }
    if (kind->gives)
        question_set_descriptor(asked, end);
    prompt_client_identify(self, asked);
    question_set_timeout(asked, QUESTION_TIMEOUT);
    g_autofree char *text = question_dump(asked, error);
    return text ? g_steal_pointer(&asked) : NULL;
}

/* FALSE when the question is refused without asking anybody. ASKED is taken. */
static gboolean ask_user(agent *self, question *asked, ask_request *waiting)
{
    const question_traits *kind = question_kind_traits(asked->kind);
    const char *box = asked->box ? asked->box : PENDING_NO_BOX;
    g_autofree char *same = kind->one_at_a_time
                                ? g_strjoin("\n", kind->word, asked->headline, asked->address, NULL)
                                : NULL;
    if (same && pending_questions_join(self->questions, box, same, waiting, agent_now())) {
        question_free(asked);
        return TRUE;
    }
    return pending_questions_ask(self->questions, asked, same, waiting, agent_now()) ==
           QUESTION_REFUSAL_NONE;
}

static json_t *op_ask(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    question *asked = parse_question(self, from, json_object_get(request, "question"), &error);
    if (!asked)
        return control_error("%s", error->message);
    /* Not NOBODY, which would be asked about on a terminal. */
    if (self->locked) {
        question_free(asked);
        return answered(QUESTION_ANSWER_WITHDRAWN);
    }
    if (!prompt_client_can_show(self) && !question_kind_traits(asked->kind)->waits_for_user) {
        question_free(asked);
        return answered(QUESTION_ANSWER_NOBODY);
    }
    ask_request *waiting = g_new0(ask_request, 1);
    *waiting = (ask_request){{on_request_answer}, self, from};
    if (!ask_user(self, asked, waiting)) {
        g_free(waiting);
        return answered(QUESTION_ANSWER_DENY);
    }
    control_on_gone(from, on_ask_client_gone, waiting);
    agent_tick(self);
    return NULL;
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
                            each->scope.box, "key", each->scope.key, "scope", each->scope_text,
                            "uses", (json_int_t)each->uses, "most", (json_int_t)each->most, "idle",
                            (json_int_t)((now - each->used) / G_USEC_PER_SEC), "left",
                            each->until ? json_integer((each->until - now) / G_USEC_PER_SEC)
                                        : json_null()));
    }
    json_object_set_new(answer, "grants", list);
    return answer;
}

static json_t *op_revoke(agent *self, control_client *from, const json_t *request)
{
    if (g_strcmp0(control_text(request, "id"), "all") == 0)
        grants_clear(self->grants, control_text(request, "box"), NULL);
    else if (!grants_revoke(self->grants, id_of(request, "id")))
        return control_error("no such grant");
    return control_ok();
}

static json_t *op_lock(agent *self, control_client *from, const json_t *request)
{
    self->locked = TRUE;
    keystore_backend_lock(self->keystore);
    agent_forget_grants(self, "locked");
    if (!socket_paths_set_locked(TRUE))
        return control_error("locked, but only for as long as this agent runs: %s",
                             g_strerror(errno));
    return control_ok();
}

static json_t *op_unlock(agent *self, control_client *from, const json_t *request)
{
    if (!socket_paths_set_locked(FALSE))
        return control_error("cannot unlock: %s", g_strerror(errno));
    self->locked = FALSE;
    return control_ok();
}

static json_t *op_mute(agent *self, control_client *from, const json_t *request)
{
    const char *box = control_text(request, "box");
    json_int_t seconds = json_integer_value(json_object_get(request, "for"));
    if (!box || !g_hash_table_contains(self->boxes, box))
        return control_error("that box is not running");
    seconds = CLAMP(seconds, 0, MUTE_SECONDS_MAX);
    pending_questions_mute(self->questions, box, agent_now() + seconds * G_USEC_PER_SEC);
    if (seconds)
        pending_questions_drop(self->questions, box, agent_now());
    return control_ok();
}

static json_t *op_box_open(agent *self, control_client *from, const json_t *request)
{
    g_autoptr(GError) error = NULL;
    set_display(self, request);
    json_t *wrong = boxes_open(self, request, &error);
    if (!wrong)
        return control_error("%s", error->message);
    return json_pack("{s:b, s:o}", "ok", TRUE, "wrong", wrong);
}

static json_t *op_box_close(agent *self, control_client *from, const json_t *request)
{
    const char *box = control_text(request, "box");
    if (box)
        boxes_close(self, box);
    return control_ok();
}

static const struct {
    const char *name;
    control_handler *run;
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
    {"attach", control_attach},
    {"detach", control_detach},
    {"box-open", op_box_open},
    {"box-close", op_box_close},
    {"ask", op_ask},
    {"keys-unlock", control_keys_unlock},
    {"keys-lock", control_keys_lock},
    {"keys", control_list_keys},
    {"key-changed", control_key_changed},
};

json_t *control_do(agent *self, control_client *from, const json_t *request)
{
    const char *op = control_text(request, "op");
    for (gsize i = 0; op && i < G_N_ELEMENTS(ops); i++)
        if (strcmp(ops[i].name, op) == 0)
            return ops[i].run(self, from, request);
    return control_error("there is no such request");
}
