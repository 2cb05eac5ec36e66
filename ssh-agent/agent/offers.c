#include "ssh-agent/agent/offers.h"

#include "common/text.h"
#include "ssh-agent/agent/upstream.h"
#include "ssh-agent/wire/key.h"

#define LABEL_MAX 128

struct offers {
    agent *agent;
    upstream *upstream;
    GPtrArray *no_binds;
    guint open;
    offers_done done;
    gpointer data;
};

void offers_free(offers *self)
{
    if (!self)
        return;
    upstream_free(self->upstream);
    g_ptr_array_unref(self->no_binds);
    g_free(self);
}

static gboolean has(const json_t *list, const char *fingerprint)
{
    json_t *each;
    size_t i;
    json_array_foreach ((json_t *)list, i, each) {
        if (g_strcmp0(json_string_value(json_object_get(each, "fingerprint")), fingerprint) == 0)
            return TRUE;
    }
    return FALSE;
}

static void add_key(json_t *list, const struct ssh_identity *identity)
{
    char fingerprint[SSH_FINGERPRINT_SIZE];
    struct ssh_key key;
    if (!ssh_key_parse(&key, identity->blob) || key.is_certificate)
        return;
    ssh_key_fingerprint(&key, fingerprint);
    if (has(list, fingerprint))
        return;
    g_autofree char *label = text_safe_max((const char *)identity->comment.data,
                                           (gssize)identity->comment.length, LABEL_MAX);
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "fingerprint", fingerprint, "label",
                                          label, "type", ssh_key_type_short(key.type)));
}

static void on_list(enum ssh_reply outcome, const struct ssh_reply_facts *facts, gpointer data)
{
    offers *self = data;
    own *ours = self->agent->own;
    json_t *list = json_array();
    struct ssh_identity identity;
    struct ssh_span left = facts->identities;
    own_refresh(ours);
    for (guint i = 0; i < own_count(ours); i++) {
        store_entry entry = own_entry(ours, i);
        add_key(list, &(struct ssh_identity){entry.key->blob, ssh_span_text(entry.name)});
    }
    while (outcome == SSH_REPLY_OK && ssh_identity_next(&left, &identity))
        add_key(list, &identity);
    self->done(list, self->data);
    json_decref(list);
    offers_free(self);
}

offers *offers_find(agent *self, const char *path, offers_done done, gpointer data)
{
    struct ssh_writer frame = {0};
    offers *made = g_new0(offers, 1);
    *made = (offers){.agent = self, .no_binds = g_ptr_array_new(), .done = done, .data = data};
    made->upstream = upstream_new(path, made->no_binds, &made->open);
    ssh_agent_write_list(&frame);
    upstream_send(made->upstream, SSH_AGENT_LIST, &frame, on_list, made);
    ssh_writer_clear(&frame);
    return made;
}
