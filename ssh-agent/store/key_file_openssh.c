#include "ssh-agent/store/key_file.h"

#include <openssl/evp.h>
#include <sodium.h>
#include <string.h>

#include "common/text.h"
#include "ssh-agent/store/bcrypt_pbkdf.h"
#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/private_blob.h"
#include "ssh-agent/store/secret.h"

/* Limit in bytes: OpenSSL's lengths are int, and key files are far smaller. */
#define LENGTH_MAX (1 << 20)

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_CIPHER_CTX, EVP_CIPHER_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_CIPHER, EVP_CIPHER_free)

/* The encryption of the private part: ciphers, and keys from a passphrase. */
typedef struct {
    const char *name;
    const char *openssl; /* OpenSSL's name; NULL: OpenSSH's variant of ChaCha20-Poly1305 */
    gsize key, iv;       /* bytes */
    gsize block;         /* bytes; the length of the data is a multiple of it */
    gsize tag;           /* bytes of the authentication tag after the data; 0: none */
} openssh_cipher;

static const openssh_cipher ciphers[] = {
    {"aes256-ctr", "AES-256-CTR", 32, 16, 16, 0},
    {"aes256-gcm@openssh.com", "AES-256-GCM", 32, 12, 16, 16},
    {"chacha20-poly1305@openssh.com", NULL, 64, 0, 8, 16},
    {"aes256-cbc", "AES-256-CBC", 32, 16, 16, 0},
    {"aes192-ctr", "AES-192-CTR", 24, 16, 16, 0},
    {"aes192-cbc", "AES-192-CBC", 24, 16, 16, 0},
    {"aes128-ctr", "AES-128-CTR", 16, 16, 16, 0},
    {"aes128-cbc", "AES-128-CBC", 16, 16, 16, 0},
    {"aes128-gcm@openssh.com", "AES-128-GCM", 16, 12, 16, 16},
};

/* The cipher with NAME (LENGTH bytes, untrusted) or NULL, also for "none". */
static const openssh_cipher *cipher_find(const char *name, gsize length)
{
    for (gsize i = 0; i < G_N_ELEMENTS(ciphers); i++) {
        if (strlen(ciphers[i].name) == length && memcmp(ciphers[i].name, name, length) == 0)
            return &ciphers[i];
    }
    return NULL;
}

/* OpenSSH's PROTOCOL.chacha20poly1305, with sequence number 0 and without an encrypted length; so
 * the second half of the key, which is for lengths, is not used. */
static gboolean decrypt_chacha(const guint8 *key, const guint8 *data, gsize length, guint8 *out)
{
    static const guint8 nonce[crypto_stream_chacha20_NONCEBYTES];
    g_autoptr(secret) once = secret_new(crypto_onetimeauth_KEYBYTES);

    return crypto_stream_chacha20(once->data, once->length, nonce, key) == 0 &&
           crypto_onetimeauth_verify(data + length, data, length, once->data) == 0 &&
           crypto_stream_chacha20_xor_ic(out, data, length, nonce, 1, key) == 0;
}

static gboolean run_openssl(const openssh_cipher *self, const guint8 *key, const guint8 *data,
                            gsize length, guint8 *out, gboolean encrypt)
{
    g_autoptr(EVP_CIPHER) kind = EVP_CIPHER_fetch(NULL, self->openssl, NULL);
    g_autoptr(EVP_CIPHER_CTX) context = EVP_CIPHER_CTX_new();
    int wrote = 0, rest = 0;

    if (!kind || !context || length > LENGTH_MAX ||
        EVP_CipherInit_ex2(context, kind, key, key + self->key, encrypt, NULL) != 1 ||
        EVP_CIPHER_CTX_set_padding(context, 0) != 1)
        return FALSE;
    if (self->tag > 0 && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)self->tag,
                                             (void *)(data + length)) != 1)
        return FALSE;
    return EVP_CipherUpdate(context, out, &wrote, data, (int)length) == 1 &&
           EVP_CipherFinal_ex(context, out + wrote, &rest) == 1 && wrote + rest == (int)length;
}

/*
 * Decrypts LENGTH bytes (a multiple of the block) of DATA into OUT. The tag follows the data; KEY
 * is key and IV. If the tag is wrong or OpenSSL lacks the cipher, returns FALSE; OUT must not be
 * used.
 */
static gboolean cipher_decrypt(const openssh_cipher *self, const guint8 *key, const guint8 *data,
                               gsize length, guint8 *out)
{
    if (!self->openssl)
        return decrypt_chacha(key, data, length, out);
    return run_openssl(self, key, data, length, out, FALSE);
}

/* Encrypts LENGTH bytes of DATA into OUT, which may be the same. Only for ciphers without a tag. */
static gboolean cipher_encrypt(const openssh_cipher *self, const guint8 *key, const guint8 *data,
                               gsize length, guint8 *out)
{
    return self->openssl && self->tag == 0 && run_openssl(self, key, data, length, out, TRUE);
}

/* Derives key and IV for KIND from PASSPHRASE. NULL if a size is out of range. */
static secret *cipher_derive(const openssh_cipher *kind, const secret *passphrase,
                             struct ssh_span salt, guint32 rounds)
{
    g_autoptr(secret) result = secret_new(kind->key + kind->iv);
    if (rounds > KEY_FILE_OPENSSH_ROUNDS_MAX ||
        !bcrypt_pbkdf((const char *)passphrase->data, passphrase->length, salt.data, salt.length,
                      rounds, result->data, result->length))
        return NULL;
    return g_steal_pointer(&result);
}

#define OPENSSH_BEGIN "-----BEGIN OPENSSH PRIVATE KEY-----\n"
#define OPENSSH_END "-----END OPENSSH PRIVATE KEY-----\n"
#define OPENSSH_MAGIC "openssh-key-v1" /* and a NUL */

/* Multiple of which the private part's length is when it is not encrypted. */
#define OPENSSH_BLOCK 8

#define NAME_SHOWN 64

/* The fields of the container; the spans point into it. */
struct container {
    const openssh_cipher *kind; /* NULL: not encrypted */
    struct ssh_span salt;
    guint32 rounds;
    struct ssh_span public, private; /* the cipher's tag, if it has one, follows private */
};

static gboolean refuse_openssh(GError **error, key_error code, const char *why)
{
    g_set_error_literal(error, KEY_ERROR, code, why);
    return FALSE;
}

static gboolean find_cipher(struct container *self, struct ssh_span name, struct ssh_span kdf,
                            struct ssh_span options, GError **error)
{
    struct ssh_reader reader = ssh_reader_of(options);
    if (ssh_span_equal(name, SSH_SPAN("none")))
        return (ssh_span_equal(kdf, SSH_SPAN("none")) && options.length == 0) ||
               refuse_openssh(error, KEY_ERROR_FORMAT, "the key file contradicts itself");
    self->kind = cipher_find((const char *)name.data, name.length);
    if (!self->kind || !ssh_span_equal(kdf, SSH_SPAN("bcrypt"))) {
        g_autofree char *safe =
            text_safe_max((const char *)name.data, (gssize)name.length, NAME_SHOWN);
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT,
                    "the encryption of the key file ('%s') is not supported: change it with "
                    "'ssh-keygen -p -f FILE'",
                    safe);
        return FALSE;
    }
    ssh_read_string(&reader, &self->salt);
    ssh_read_u32(&reader, &self->rounds);
    if (!ssh_reader_done(&reader) || self->salt.length == 0 || self->rounds == 0)
        return refuse_openssh(error, KEY_ERROR_FORMAT,
                              "the key file's passphrase parameters are invalid");
    if (self->rounds > KEY_FILE_OPENSSH_ROUNDS_MAX)
        return refuse_openssh(
            error, KEY_ERROR_FORMAT,
            "the key file's passphrase would take too long to check: change it with "
            "'ssh-keygen -p -a 100 -f FILE'");
    return TRUE;
}

static gboolean read_container(struct container *self, struct ssh_span bytes, GError **error)
{
    struct ssh_reader reader = ssh_reader_of(bytes);
    struct ssh_span magic, name, kdf, options;
    guint32 count;

    *self = (struct container){0};
    ssh_read_raw(&reader, sizeof OPENSSH_MAGIC, &magic);
    if (reader.failed || memcmp(magic.data, OPENSSH_MAGIC, sizeof OPENSSH_MAGIC) != 0)
        return refuse_openssh(error, KEY_ERROR_FORMAT, "this is not an OpenSSH key file");
    ssh_read_string(&reader, &name);
    ssh_read_string(&reader, &kdf);
    ssh_read_string(&reader, &options);
    ssh_read_u32(&reader, &count);
    ssh_read_string(&reader, &self->public);
    ssh_read_string(&reader, &self->private);
    if (reader.failed)
        return refuse_openssh(error, KEY_ERROR_FORMAT, "the key file is truncated");
    if (count != 1)
        return refuse_openssh(error, KEY_ERROR_FORMAT,
                              "the key file does not contain exactly one key");
    if (!find_cipher(self, name, kdf, options, error))
        return FALSE;
    if (reader.rest.length != (self->kind ? self->kind->tag : 0) ||
        self->private.length % (self->kind ? self->kind->block : OPENSSH_BLOCK) != 0)
        return refuse_openssh(error, KEY_ERROR_FORMAT, "the key file has the wrong length");
    return TRUE;
}

static secret *decrypt(const struct container *self, const secret *passphrase, GError **error)
{
    if (!passphrase) {
        refuse_openssh(error, KEY_ERROR_PASSPHRASE,
                       "the key file is encrypted: it needs its passphrase");
        return NULL;
    }
    g_autoptr(secret) key = cipher_derive(self->kind, passphrase, self->salt, self->rounds);
    g_autoptr(secret) plain = secret_new(self->private.length);
    if (!key || !cipher_decrypt(self->kind, key->data, self->private.data, self->private.length,
                                plain->data)) {
        refuse_openssh(error, KEY_ERROR_PASSWORD, "the passphrase is wrong");
        return NULL;
    }
    return g_steal_pointer(&plain);
}

/* The padding is 1, 2, 3 … up to the end of the block. */
static gboolean is_padding(struct ssh_span rest)
{
    for (gsize i = 0; i < rest.length; i++) {
        if (rest.data[i] != (guint8)(i + 1))
            return FALSE;
    }
    return rest.length < 256;
}

static gboolean read_check(struct ssh_reader *reader, gboolean encrypted, GError **error)
{
    guint32 one, two;
    ssh_read_u32(reader, &one);
    ssh_read_u32(reader, &two);
    if (!reader->failed && one == two)
        return TRUE;
    return encrypted ? refuse_openssh(error, KEY_ERROR_PASSWORD, "the passphrase is wrong")
                     : refuse_openssh(error, KEY_ERROR_FORMAT, "the key file is damaged");
}

static private_key *read_private(struct ssh_span plain, gboolean encrypted, char **comment,
                                 GError **error)
{
    struct ssh_reader reader = ssh_reader_of(plain);
    struct private_blob blob;
    struct ssh_span text;

    if (!read_check(&reader, encrypted, error) || !private_blob_read(&blob, &reader, error))
        return NULL;
    if (!ssh_read_string(&reader, &text) || !is_padding(reader.rest)) {
        refuse_openssh(error, KEY_ERROR_FORMAT, "the key file is damaged");
        return NULL;
    }
    if (comment && text.length > 0)
        *comment = g_strndup((const char *)text.data, text.length);
    return private_key_from_blob(blob.all, error);
}

private_key *key_file_read_openssh(struct ssh_span bytes, const secret *passphrase, char **comment,
                                   GError **error)
{
    struct container self;
    if (!read_container(&self, bytes, error))
        return NULL;
    g_autoptr(secret) plain = self.kind ? decrypt(&self, passphrase, error) : NULL;
    if (self.kind && !plain)
        return NULL;
    struct ssh_span private = plain ? (struct ssh_span){plain->data, plain->length} : self.private;
    g_autoptr(private_key) found = read_private(private, self.kind != NULL, comment, error);
    if (found && !ssh_span_equal(private_key_public(found)->blob, self.public)) {
        refuse_openssh(error, KEY_ERROR_FORMAT,
                       "the public and private parts of this key do not belong together");
        return NULL;
    }
    return g_steal_pointer(&found);
}

/* The parameters of ssh-keygen since OpenSSH 9.4. */
#define CIPHER "aes256-ctr"
#define ROUNDS 24
#define SALT 16
#define LINE 70

/* Most bytes of the container with a private blob: names, salt, lengths, padding, public blob. */
#define ROOM (PRIVATE_BLOB_MAX + SSH_RSA_BITS_MAX / 8 + 1024)

/* Writes the part that is encrypted: check numbers, key, comment, padding up to BLOCK. */
static gboolean write_private(const private_key *self, const char *comment, gsize block,
                              struct ssh_writer *to)
{
    guint32 check = randombytes_random();
    ssh_write_u32(to, check);
    ssh_write_u32(to, check);
    ssh_write_raw(to, private_key_blob(self));
    ssh_write_text(to, comment);
    for (guint8 i = 1; to->length % block != 0 && !to->failed; i++)
        ssh_write_byte(to, i);
    return !to->failed;
}

static void write_head(struct ssh_writer *to, const openssh_cipher *kind, struct ssh_span salt)
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

static gboolean encrypt(const openssh_cipher *kind, const secret *passphrase, struct ssh_span salt,
                        secret *plain)
{
    g_autoptr(secret) key = cipher_derive(kind, passphrase, salt, ROUNDS);
    return key && cipher_encrypt(kind, key->data, plain->data, plain->length, plain->data);
}

/* BYTES in base64, with LINE characters per line, between the BEGIN and END lines. */
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

secret *key_file_export(const private_key *self, const char *comment, const secret *passphrase,
                        GError **error)
{
    const openssh_cipher *kind = passphrase ? cipher_find(CIPHER, strlen(CIPHER)) : NULL;
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
    ssh_write_string(&outer, private_key_public(self)->blob);
    ssh_write_string(&outer, (struct ssh_span){plain->data, plain->length});
    if (!good || outer.failed) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED, "the key cannot be written as a file");
        return NULL;
    }
    return armour(ssh_writer_span(&outer));
}
