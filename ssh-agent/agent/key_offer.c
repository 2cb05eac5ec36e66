#include "ssh-agent/agent/agent.h"

#include <string.h>

#include "common/text.h"
#include "proto/agent_control.h"
#include "ssh-agent/agent/attached_keys.h"
#include "ssh-agent/agent/upstream.h"
#include "ssh-agent/wire/key.h"

struct key_search {
    agent *agent;
    upstream *upstream;
    GPtrArray *no_binds;
    guint connections; /* of this search */
    key_search_done done;
    gpointer data;
};

void key_search_free(key_search *self)
{
    if (!self)
        return;
    upstream_free(self->upstream);
    g_ptr_array_unref(self->no_binds);
    g_free(self);
}

/* The key of LIST with that FINGERPRINT, borrowed; NULL: none. */
static json_t *find_key(const json_t *list, const char *fingerprint)
{
    json_t *each;
    size_t i;
    json_array_foreach ((json_t *)list, i, each)
        if (g_strcmp0(json_string_value(json_object_get(each, "fingerprint")), fingerprint) == 0)
            return each;
    return NULL;
}

/* Certificates are left out: what a box may see is decided for keys. */
static void add_offered(json_t *list, const struct ssh_identity *identity)
{
    char fingerprint[SSH_FINGERPRINT_SIZE];
    struct ssh_key key;
    if (!ssh_key_parse(&key, identity->blob) || key.is_certificate)
        return;
    ssh_key_fingerprint(&key, fingerprint);
    if (find_key(list, fingerprint))
        return;
    g_autofree char *label = text_safe_max((const char *)identity->comment.data,
                                           (gssize)identity->comment.length, AGENT_LABEL_MAX);
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "fingerprint", fingerprint, "label",
                                          label, "type", ssh_key_type_short(key.type)));
}

static void on_identities(enum ssh_reply_status status, const struct ssh_reply *reply,
                          gpointer data)
{
    key_search *self = data;
    keystore_backend *backend = self->agent->keystore;
    json_t *list = json_array();
    struct ssh_identity identity;
    struct ssh_span left = reply->identities;
    keystore_backend_refresh(backend);
    for (guint i = 0; i < keystore_backend_count(backend); i++) {
        key_store_entry entry = keystore_backend_entry(backend, i);
        add_offered(list, &(struct ssh_identity){entry.key->blob, ssh_span_text(entry.name)});
    }
    while (status == SSH_REPLY_OK && ssh_identity_next(&left, &identity))
        add_offered(list, &identity);
    self->done(list, self->data);
    json_decref(list);
    key_search_free(self);
}

key_search *key_search_new(agent *owner, const char *path, key_search_done done, gpointer data)
{
    struct ssh_writer request = {0};
    key_search *self = g_new0(key_search, 1);
    *self = (key_search){.agent = owner, .no_binds = g_ptr_array_new(), .done = done, .data = data};
    self->upstream = upstream_new(path, self->no_binds, &self->connections);
    ssh_agent_write_identities_request(&request);
    upstream_send(self->upstream, SSH_AGENTC_REQUEST_IDENTITIES, &request, on_identities, self);
    ssh_writer_clear(&request);
    return self;
}

typedef struct key_offer {
    question_waiter waiter; /* first, as pending_questions.h wants it */
    agent_box *box;
    key_search *search; /* NULL: done */
    json_t *keys;       /* what was offered: [{"fingerprint", "label", "type"}, …] */
    question *text;     /* what will be asked; NULL once it was */
    gboolean asked;     /* the question is open */
} key_offer;

static void key_offer_free(key_offer *self)
{
    self->box->offer = NULL;
    key_search_free(self->search);
    json_decref(self->keys);
    question_free(self->text);
    g_free(self);
}

void key_offer_cancel(agent_box *box)
{
    key_offer *self = box->offer;
    if (!self)
        return;
    if (self->asked)
        pending_questions_leave(box->agent->questions, self, agent_now());
    key_offer_free(self);
}

static void on_offer_answer(gpointer data, const question_reply *reply)
{
    key_offer *self = data;
    agent_box *box = self->box;
    g_autoptr(GError) error = NULL;
    json_t *chosen = json_array();
    self->asked = FALSE;
    for (guint i = 0; reply->keys && i < reply->keys->len; i++)
        json_array_append(chosen, find_key(self->keys, reply->keys->pdata[i]));
    /* A refusal is remembered as well, as an empty file. After any other end the box may be asked
     * about again in its next run. */
    gboolean decided =
        reply->answer == QUESTION_ANSWER_KEYS || reply->answer == QUESTION_ANSWER_DENY;
    if (decided && !attached_keys_attach(box->attached_name, chosen, &error))
        g_message("%s", error->message);
    json_decref(chosen);
    key_offer_free(self);
    agent_box_reload_all(box->agent);
}

/* Adds as many of FOUND as there is room for to the question. A key without a name is called by its
 * fingerprint. */
static void add_keys(key_offer *self, const json_t *found)
{
    json_t *each;
    size_t i;
    self->keys = json_array();
    json_array_foreach ((json_t *)found, i, each) {
        const char *id = json_string_value(json_object_get(each, "fingerprint"));
        const char *label = json_string_value(json_object_get(each, "label"));
        const char *type = json_string_value(json_object_get(each, "type"));
        if (i == QUESTION_KEYS_MAX)
            break;
        label = label && *label ? label : id;
        question_add_key(self->text, id, label, type);
        json_array_append_new(self->keys, json_pack("{s:s, s:s, s:s}", "fingerprint", id, "label",
                                                    label, "type", type));
    }
    if (json_array_size(found) > QUESTION_KEYS_MAX)
        question_add_warning(
            self->text,
            "Not all of your keys fit in here: 'box keys attach' can attach the others.");
}

static void on_found(const json_t *found, gpointer data)
{
    key_offer *self = data;
    agent *daemon = self->box->agent;
    self->search = NULL; /* it frees itself */
    add_keys(self, found);
    self->asked = json_array_size(self->keys) > 0 &&
                  pending_questions_ask(daemon->questions, g_steal_pointer(&self->text), NULL, self,
                                        agent_now()) == QUESTION_REFUSAL_NONE;
    if (self->asked)
        agent_tick(daemon);
    else
        key_offer_free(self);
}

/* The question, without keys yet. The chain is read at once, as PID may be gone later. */
static question *new_question(const agent_box *box, pid_t pid)
{
    question *asked = agent_box_question(box, QUESTION_KEYS, "Which SSH keys may this box use?");
    question_set_verdict(
        asked, QUESTION_VERDICT_NONE,
        "It sees only those that you choose. You are asked before each signature.");
    if (strcmp(box->attached_name, box->name) != 0) {
        g_autofree char *whose =
            g_strdup_printf("box %s, its branches and its temporary boxes", box->attached_name);
        question_add_known(asked, "Count for", whose, NULL, NULL);
    }
    peer_process_add_chain(asked, pid, box->pid);
    return asked;
}

void key_offer_begin(agent_box *box, pid_t pid)
{
    if (box->offer || box->offered || !prompt_client_has_display(box->agent) ||
        attached_keys_exist(box->attached_name))
        return;
    box->offered = TRUE;
    key_offer *self = g_new0(key_offer, 1);
    self->waiter.answered = on_offer_answer;
    self->box = box;
    self->text = new_question(box, pid);
    box->offer = self;
    self->search = key_search_new(box->agent, box->upstream, on_found, self);
}
