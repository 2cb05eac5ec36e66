/* Keys, binds, logins and certificates for tests, with valid signatures. */
#pragma once

#include <glib.h>
#include <sodium.h>

#include "ssh-agent/wire/buffer.h"

typedef struct {
    guchar public_key[crypto_sign_PUBLICKEYBYTES];
    guchar secret[crypto_sign_SECRETKEYBYTES];
    struct ssh_writer blob;
} sample_key;

static inline void sample_key_init(sample_key *self)
{
    *self = (sample_key){0};
    g_assert_cmpint(sodium_init(), >=, 0);
    crypto_sign_keypair(self->public_key, self->secret);
    ssh_write_text(&self->blob, "ssh-ed25519");
    ssh_write_string(&self->blob, (struct ssh_span){self->public_key, sizeof self->public_key});
}

static inline void sample_key_clear(sample_key *self)
{
    ssh_writer_clear(&self->blob);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(sample_key, sample_key_clear)

typedef struct ssh_writer sample_bytes;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(sample_bytes, ssh_writer_clear)

static inline struct ssh_span sample_blob(const sample_key *self)
{
    return ssh_writer_span(&self->blob);
}

/* Appends KEY's signature over DATA as a string. */
static inline void sample_sign(sample_bytes *to, const sample_key *key, struct ssh_span data)
{
    guchar raw[crypto_sign_BYTES];
    crypto_sign_detached(raw, NULL, data.data, data.length, key->secret);
    size_t mark = ssh_write_begin(to);
    ssh_write_text(to, "ssh-ed25519");
    ssh_write_string(to, (struct ssh_span){raw, sizeof raw});
    ssh_write_end(to, mark);
}

/* Writes the contents of a bind. */
static inline void sample_bind(sample_bytes *to, const sample_key *host, struct ssh_span session_id,
                               gboolean forwarding)
{
    ssh_write_string(to, sample_blob(host));
    ssh_write_string(to, session_id);
    sample_sign(to, host, session_id);
    ssh_write_byte(to, forwarding ? 1 : 0);
}

typedef struct {
    struct ssh_span session_id, user, service, method, algorithm, key, host_key;
    guint8 type, has_signature;
} sample_login;

static inline sample_login sample_login_of(struct ssh_span key)
{
    return (sample_login){
        .session_id = SSH_SPAN("0123456789abcdef0123456789abcdef"),
        .type = 50,
        .user = SSH_SPAN("git"),
        .service = SSH_SPAN("ssh-connection"),
        .method = SSH_SPAN("publickey"),
        .has_signature = 1,
        .algorithm = SSH_SPAN("ssh-ed25519"),
        .key = key,
    };
}

static inline void sample_write_login(sample_bytes *to, const sample_login *from)
{
    ssh_write_string(to, from->session_id);
    ssh_write_byte(to, from->type);
    ssh_write_string(to, from->user);
    ssh_write_string(to, from->service);
    ssh_write_string(to, from->method);
    ssh_write_byte(to, from->has_signature);
    ssh_write_string(to, from->algorithm);
    ssh_write_string(to, from->key);
    if (from->host_key.length > 0)
        ssh_write_string(to, from->host_key);
}

typedef struct {
    const sample_key *authority;
    const sample_key *key;
    guint32 kind;
    const char *principals; /* comma-separated */
    guint64 valid_after, valid_before;
    const char *option; /* a critical option */
    const char *reserved;
} sample_certificate;

static inline void sample_write_principals(sample_bytes *to, const char *principals)
{
    g_auto(GStrv) names = g_strsplit(principals, ",", -1);
    size_t mark = ssh_write_begin(to);
    for (gsize i = 0; names[i]; i++)
        ssh_write_text(to, names[i]);
    ssh_write_end(to, mark);
}

/* Writes the data that the CA signs. */
static inline void sample_write_unsigned(sample_bytes *to, const sample_certificate *from)
{
    ssh_write_text(to, "ssh-ed25519-cert-v01@openssh.com");
    ssh_write_text(to, "a nonce of thirty-two characters");
    ssh_write_string(to, (struct ssh_span){from->key->public_key, crypto_sign_PUBLICKEYBYTES});
    ssh_write_u64(to, 17);
    ssh_write_u32(to, from->kind);
    ssh_write_text(to, "sample");
    sample_write_principals(to, from->principals);
    ssh_write_u64(to, from->valid_after);
    ssh_write_u64(to, from->valid_before);
    size_t mark = ssh_write_begin(to);
    if (from->option) {
        ssh_write_text(to, from->option);
        ssh_write_text(to, "");
    }
    ssh_write_end(to, mark);
    ssh_write_text(to, ""); /* extensions */
    ssh_write_text(to, from->reserved ? from->reserved : "");
    ssh_write_string(to, sample_blob(from->authority));
}

static inline void sample_write_certificate(sample_bytes *to, const sample_certificate *from)
{
    sample_write_unsigned(to, from);
    g_autofree guchar *copy = g_memdup2(to->data, to->length);
    sample_sign(to, from->authority, (struct ssh_span){copy, to->length});
}
