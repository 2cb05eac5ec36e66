/* Keys, binds, logins and certificates made up for a test, signed as a real one is. */
#pragma once

#include <glib.h>
#include <sodium.h>

#include "ssh-agent/wire/buffer.h"

typedef struct {
    guchar public_key[crypto_sign_PUBLICKEYBYTES];
    guchar secret[crypto_sign_SECRETKEYBYTES];
    struct ssh_writer blob;
} madeup_key;

static inline void madeup_key_init(madeup_key *self)
{
    *self = (madeup_key){0};
    g_assert_cmpint(sodium_init(), >=, 0);
    crypto_sign_keypair(self->public_key, self->secret);
    ssh_write_text(&self->blob, "ssh-ed25519");
    ssh_write_string(&self->blob, (struct ssh_span){self->public_key, sizeof self->public_key});
}

static inline void madeup_key_clear(madeup_key *self)
{
    ssh_writer_clear(&self->blob);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(madeup_key, madeup_key_clear)

typedef struct ssh_writer madeup_bytes;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(madeup_bytes, ssh_writer_clear)

static inline struct ssh_span madeup_blob(const madeup_key *self)
{
    return ssh_writer_span(&self->blob);
}

/* Appends KEY's signature over DATA as a string. */
static inline void madeup_sign(madeup_bytes *to, const madeup_key *key, struct ssh_span data)
{
    guchar raw[crypto_sign_BYTES];
    crypto_sign_detached(raw, NULL, data.data, data.length, key->secret);
    size_t mark = ssh_write_begin(to);
    ssh_write_text(to, "ssh-ed25519");
    ssh_write_string(to, (struct ssh_span){raw, sizeof raw});
    ssh_write_end(to, mark);
}

/* The contents of a bind. */
static inline void madeup_bind(madeup_bytes *to, const madeup_key *host, struct ssh_span session_id,
                               gboolean forwarding)
{
    ssh_write_string(to, madeup_blob(host));
    ssh_write_string(to, session_id);
    madeup_sign(to, host, session_id);
    ssh_write_byte(to, forwarding ? 1 : 0);
}

typedef struct {
    struct ssh_span session_id, user, service, method, algorithm, key, host_key;
    guint8 type, has_signature;
} madeup_login;

static inline madeup_login madeup_login_of(struct ssh_span key)
{
    return (madeup_login){
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

static inline void madeup_write_login(madeup_bytes *to, const madeup_login *from)
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
    const madeup_key *authority;
    const madeup_key *key;
    guint32 kind;
    const char *principals; /* comma-separated */
    guint64 valid_after, valid_before;
    const char *option; /* a critical one */
    const char *reserved;
} madeup_certificate;

static inline void madeup_write_principals(madeup_bytes *to, const char *principals)
{
    g_auto(GStrv) names = g_strsplit(principals, ",", -1);
    size_t mark = ssh_write_begin(to);
    for (gsize i = 0; names[i]; i++)
        ssh_write_text(to, names[i]);
    ssh_write_end(to, mark);
}

/* What the CA signs. */
static inline void madeup_write_unsigned(madeup_bytes *to, const madeup_certificate *from)
{
    ssh_write_text(to, "ssh-ed25519-cert-v01@openssh.com");
    ssh_write_text(to, "a nonce of thirty-two characters");
    ssh_write_string(to, (struct ssh_span){from->key->public_key, crypto_sign_PUBLICKEYBYTES});
    ssh_write_u64(to, 17);
    ssh_write_u32(to, from->kind);
    ssh_write_text(to, "made up");
    madeup_write_principals(to, from->principals);
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
    ssh_write_string(to, madeup_blob(from->authority));
}

static inline void madeup_write_certificate(madeup_bytes *to, const madeup_certificate *from)
{
    madeup_write_unsigned(to, from);
    g_autofree guchar *copy = g_memdup2(to->data, to->length);
    madeup_sign(to, from->authority, (struct ssh_span){copy, to->length});
}
