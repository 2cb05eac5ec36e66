#include "ssh-agent/agent/keyring.h"

#include <string.h>

#include "ssh-agent/wire/key.h"

/* A program lists and signs at once; a rebase lists and signs on a new connection each time. */
#define RECENT_US (2 * (gint64)G_USEC_PER_SEC)

static void key_free(gpointer data)
{
    keyring_key *self = data;
    g_bytes_unref(self->blob);
    g_free(self->fingerprint);
    g_free(self->label);
    g_free(self);
}

const keyring_key *keyring_find(const GPtrArray *keys, struct ssh_span blob)
{
    for (guint i = 0; i < keys->len; i++) {
        const keyring_key *each = keys->pdata[i];
        gsize length = 0;
        const void *bytes = g_bytes_get_data(each->blob, &length);
        if (length == blob.length && memcmp(bytes, blob.data, length) == 0)
            return each;
    }
    return NULL;
}

static void take(GPtrArray *keys, const agent_box *box, const struct ssh_identity *identity,
                 gboolean is_own)
{
    char fingerprint[SSH_FINGERPRINT_SIZE];
    struct ssh_key key;
    /* A key of a kind that we do not know could not be explained to the user. One that our store
     * has is used from there. */
    if (!ssh_key_parse(&key, identity->blob) || keyring_find(keys, identity->blob))
        return;
    ssh_key_fingerprint(&key, fingerprint);
    char *label = boxes_label(box, fingerprint, (const char *)identity->comment.data,
                              identity->comment.length);
    if (!label)
        return;
    keyring_key *made = g_new0(keyring_key, 1);
    made->blob = g_bytes_new(identity->blob.data, identity->blob.length);
    made->fingerprint = g_strdup(fingerprint);
    made->label = label;
    made->own = is_own;
    g_ptr_array_add(keys, made);
}

static void take_own(GPtrArray *keys, const agent_box *box)
{
    own *ours = box->agent->own;
    own_refresh(ours);
    for (guint i = 0; i < own_count(ours); i++) {
        store_entry entry = own_entry(ours, i);
        struct ssh_identity identity = {entry.key->blob, ssh_span_text(entry.name)};
        take(keys, box, &identity, TRUE);
    }
}

static void on_list(enum ssh_reply outcome, const struct ssh_reply_facts *facts, gpointer data)
{
    client *of = data;
    keyring_done done = of->on_keys;
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(key_free);
    struct ssh_identity identity;
    struct ssh_span left = facts->identities;
    take_own(keys, of->box);
    while (outcome == SSH_REPLY_OK && ssh_identity_next(&left, &identity))
        take(keys, of->box, &identity, FALSE);
    of->on_keys = NULL;
    g_clear_pointer(&of->keys, g_ptr_array_unref);
    of->keys = g_ptr_array_ref(keys);
    of->keys_at = agent_now();
    of->keys_changes = of->box->changes;
    done(of, keys);
}

const GPtrArray *keyring_recent(const client *of)
{
    gboolean good =
        of->keys && of->keys_changes == of->box->changes && agent_now() - of->keys_at < RECENT_US;
    return good ? of->keys : NULL;
}

void keyring_fetch(client *of, keyring_done done)
{
    struct ssh_writer frame = {0};
    of->on_keys = done;
    if (!of->upstream)
        of->upstream = upstream_new(of->box->upstream, of->binds, &of->box->upstreams);
    ssh_agent_write_list(&frame);
    upstream_send(of->upstream, SSH_AGENT_LIST, &frame, on_list, of);
    ssh_writer_clear(&frame);
}
