#include "ssh-agent/store/export.h"

#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/error.h"
#include "ssh-agent/store/openssh.h"
#include "ssh-agent/store/private.h"

/* As ssh-keygen does it since OpenSSH 9.4. */
#define CIPHER "aes256-ctr"
#define ROUNDS 24
#define SALT 16
#define LINE 70

/* Room for the container around a private form: names, salt, lengths, padding, the public blob. */
#define ROOM (PRIVATE_MAX + SSH_RSA_BITS_MAX / 8 + 1024)

/* The part that is encrypted: check numbers, key, comment, padding up to BLOCK. */
static gboolean write_private(const store_key *self, const char *comment, gsize block,
                              struct ssh_writer *to)
{
    guint32 check = randombytes_random();
    ssh_write_u32(to, check);
    ssh_write_u32(to, check);
    ssh_write_raw(to, store_key_private(self));
    ssh_write_text(to, comment);
    for (guint8 i = 1; to->length % block != 0 && !to->failed; i++)
        ssh_write_byte(to, i);
    return !to->failed;
}

static void write_head(struct ssh_writer *to, const cipher *kind, struct ssh_span salt)
{
    ssh_write_raw(to, (struct ssh_span){(const guint8 *)OPENSSH_MAGIC, sizeof OPENSSH_MAGIC});
    ssh_write_text(to, kind ? kind->name : "none");
    ssh_write_text(to, kind ? "bcrypt" : "none");
    size_t options = ssh_write_begin(to);
    if (kind) {
        ssh_write_string(to, salt);
        ssh_write_u32(to, ROUNDS);
    }
    ssh_write_end(to, options);
    ssh_write_u32(to, 1);
}

static gboolean encrypt(const cipher *kind, const secret *passphrase, struct ssh_span salt,
                        secret *plain)
{
    g_autoptr(secret) key = openssh_derive(kind, passphrase, salt, ROUNDS);
    return key && cipher_encrypt(kind, key->data, plain->data, plain->length, plain->data);
}

/* BYTES in base64, LINE characters a line, between the two marks. */
static secret *armour(struct ssh_span bytes)
{
    gsize length = sodium_base64_encoded_len(bytes.length, sodium_base64_VARIANT_ORIGINAL) - 1;
    g_autoptr(secret) text = secret_new(length + 1);
    g_autoptr(secret) all =
        secret_new(strlen(OPENSSH_BEGIN OPENSSH_END) + length + length / LINE + 1);
    guint8 *to = all->data;

    sodium_bin2base64((char *)text->data, length + 1, bytes.data, bytes.length,
                      sodium_base64_VARIANT_ORIGINAL);
    to = (guint8 *)g_stpcpy((char *)to, OPENSSH_BEGIN);
    for (gsize at = 0; at < length; at += LINE) {
        gsize part = MIN(LINE, length - at);
        memcpy(to, text->data + at, part);
        to[part] = '\n';
        to += part + 1;
    }
    memcpy(to, OPENSSH_END, strlen(OPENSSH_END));
    all->length = to + strlen(OPENSSH_END) - all->data;
    return g_steal_pointer(&all);
}

secret *export_key(const store_key *self, const char *comment, const secret *passphrase,
                   GError **error)
{
    const cipher *kind = passphrase ? cipher_find(CIPHER, strlen(CIPHER)) : NULL;
    g_autoptr(secret) plain = secret_new(ROOM), container = secret_new(2 * ROOM);
    guint8 random[SALT];
    struct ssh_span salt = {random, sizeof random};
    struct ssh_writer inner, outer;

    if (passphrase && passphrase->length == 0) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_PASSPHRASE, "the passphrase is empty");
        return NULL;
    }
    randombytes_buf(random, sizeof random);
    ssh_writer_init_over(&inner, plain->data, plain->length);
    ssh_writer_init_over(&outer, container->data, container->length);
    gboolean good = write_private(self, comment, kind ? kind->block : OPENSSH_BLOCK, &inner);
    plain->length = inner.length;
    if (good && kind)
        good = encrypt(kind, passphrase, salt, plain);
    write_head(&outer, kind, salt);
    ssh_write_string(&outer, store_key_public(self)->blob);
    ssh_write_string(&outer, (struct ssh_span){plain->data, plain->length});
    if (!good || outer.failed) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED, "the key cannot be written as a file");
        return NULL;
    }
    return armour(ssh_writer_span(&outer));
}
