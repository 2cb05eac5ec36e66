#include <string.h>

#include "ssh-agent/agent/client.h"
#include "ssh-agent/wire/key.h"

/* A program that signs has usually listed the keys just before, on the same connection. */
#define RECENT_US (2 * (gint64)G_USEC_PER_SEC)
/* Of a key, beside its blob and label. */
#define KEY_BYTES 256

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

static void add_found(GPtrArray *keys, const agent_box *box, const struct ssh_identity *identity,
                      gboolean in_store)
{
    char fingerprint[SSH_FINGERPRINT_SIZE];
    struct ssh_key key;
    /* A key of an unknown type could not be explained to the user. A key that is in our store as
     * well is used from there. */
    if (!ssh_key_parse(&key, identity->blob) || keyring_find(keys, identity->blob))
        return;
    ssh_key_fingerprint(&key, fingerprint);
    char *label = agent_box_label(box, fingerprint, (const char *)identity->comment.data,
                                  identity->comment.length);
    if (!label)
        return;
    keyring_key *made = g_new0(keyring_key, 1);
    made->blob = g_bytes_new(identity->blob.data, identity->blob.length);
    made->fingerprint = g_strdup(fingerprint);
    made->label = label;
    made->in_store = in_store;
    g_ptr_array_add(keys, made);
}

static void add_store_keys(GPtrArray *keys, const agent_box *box)
{
    keystore_backend *backend = box->agent->keystore;
    keystore_backend_refresh(backend);
    for (guint i = 0; i < keystore_backend_count(backend); i++) {
        key_store_entry entry = keystore_backend_entry(backend, i);
        struct ssh_identity identity = {entry.key->blob, ssh_span_text(entry.name)};
        add_found(keys, box, &identity, TRUE);
    }
}

void keyring_forget(client *self)
{
    self->box->remembered -= self->keys_size;
    self->keys_size = 0;
    g_clear_pointer(&self->keys, g_ptr_array_unref);
}

/* Bytes of memory of KEYS. */
static gsize size_of(const GPtrArray *keys)
{
    gsize size = 0;
    for (guint i = 0; i < keys->len; i++) {
        const keyring_key *each = keys->pdata[i];
        size += g_bytes_get_size(each->blob) + strlen(each->label) + KEY_BYTES;
    }
    return size;
}

/* For keyring_recent(), while there is room: in place of what is old by now. */
static void remember_keys(client *self, GPtrArray *keys)
{
    agent_box *box = self->box;
    gsize size = size_of(keys);
    keyring_forget(self);
    for (guint i = 0; box->remembered + size > BOX_REMEMBERED_MAX && i < box->clients->len; i++)
        if (!keyring_recent(box->clients->pdata[i]))
            keyring_forget(box->clients->pdata[i]);
    if (box->remembered + size > BOX_REMEMBERED_MAX)
        return;
    box->remembered += size;
    self->keys_size = size;
    self->keys = g_ptr_array_ref(keys);
    self->keys_time = agent_now();
    self->keys_version = box->keys_version;
}

static const char *lack_of(const agent_box *box, enum ssh_reply_status status)
{
    if (status == SSH_REPLY_OK)
        return NULL;
    if (status == SSH_REPLY_FAILED)
        return UPSTREAM_REFUSED;
    return box->upstream ? UPSTREAM_SILENT : UPSTREAM_NONE;
}

static void on_list(enum ssh_reply_status status, const struct ssh_reply *reply, gpointer data)
{
    client *self = data;
    keyring_done done = self->keys_done;
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(key_free);
    struct ssh_identity identity;
    struct ssh_span left = reply->identities;
    add_store_keys(keys, self->box);
    while (status == SSH_REPLY_OK && ssh_identity_next(&left, &identity))
        add_found(keys, self->box, &identity, FALSE);
    self->keys_done = NULL;
    self->keys_lack = lack_of(self->box, status);
    remember_keys(self, keys);
    done(self, keys);
}

const GPtrArray *keyring_recent(const client *self)
{
    gboolean fresh = self->keys && self->keys_version == self->box->keys_version &&
                     agent_now() - self->keys_time < RECENT_US;
    return fresh ? self->keys : NULL;
}

void keyring_fetch(client *self, keyring_done done)
{
    struct ssh_writer frame = {0};
    self->keys_done = done;
    /* The box may have got another real agent. Binds are sent again. */
    if (self->upstream && !upstream_is_at(self->upstream, self->box->upstream))
        g_clear_pointer(&self->upstream, upstream_free);
    if (!self->upstream)
        self->upstream = upstream_new(self->box->upstream, self->binds, &self->box->upstream_count);
    ssh_agent_write_identities_request(&frame);
    upstream_send(self->upstream, SSH_AGENTC_REQUEST_IDENTITIES, &frame, on_list, self);
    ssh_writer_clear(&frame);
}
