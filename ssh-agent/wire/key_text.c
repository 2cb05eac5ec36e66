/* Keys as people and files write them. */
#include <sodium.h>
#include <string.h>

#include "ssh-agent/wire/key.h"

static const struct {
    const char *plain, *certificate, *brief;
} names[] = {
    [SSH_KEY_ED25519] = {"ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com", "ED25519"},
    [SSH_KEY_ECDSA_256] = {"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256-cert-v01@openssh.com",
                           "ECDSA"},
    [SSH_KEY_ECDSA_384] = {"ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384-cert-v01@openssh.com",
                           "ECDSA"},
    [SSH_KEY_ECDSA_521] = {"ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521-cert-v01@openssh.com",
                           "ECDSA"},
    [SSH_KEY_RSA] = {"ssh-rsa", "ssh-rsa-cert-v01@openssh.com", "RSA"},
    [SSH_KEY_SK_ED25519] = {"sk-ssh-ed25519@openssh.com", "sk-ssh-ed25519-cert-v01@openssh.com",
                            "ED25519-SK"},
    [SSH_KEY_SK_ECDSA] = {"sk-ecdsa-sha2-nistp256@openssh.com",
                          "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com", "ECDSA-SK"},
};
_Static_assert(sizeof names / sizeof *names == SSH_KEY_TYPES, "a name for each type");

const char *ssh_key_type_name(enum ssh_key_type type, bool certificate)
{
    return certificate ? names[type].certificate : names[type].plain;
}

const char *ssh_key_type_short(enum ssh_key_type type)
{
    return names[type].brief;
}

static void show(const uint8_t hash[crypto_hash_sha256_BYTES], char text[SSH_FINGERPRINT_SIZE])
{
    static const char prefix[] = "SHA256:";
    memcpy(text, prefix, sizeof prefix);
    sodium_bin2base64(text + sizeof prefix - 1, SSH_FINGERPRINT_SIZE - (sizeof prefix - 1), hash,
                      crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
}

void ssh_blob_fingerprint(struct ssh_span blob, char text[SSH_FINGERPRINT_SIZE])
{
    uint8_t hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, blob.data, blob.length);
    show(hash, text);
}

/* The base key's blob, hashed in pieces: a fingerprint must not depend on memory being there. */
void ssh_key_fingerprint(const struct ssh_key *self, char text[SSH_FINGERPRINT_SIZE])
{
    struct ssh_span name = ssh_span_text(ssh_key_type_name(self->type, false));
    uint8_t hash[crypto_hash_sha256_BYTES], length[4] = {0, 0, 0, (uint8_t)name.length};
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, length, sizeof length);
    crypto_hash_sha256_update(&state, name.data, name.length);
    crypto_hash_sha256_update(&state, self->fields.data, self->fields.length);
    crypto_hash_sha256_final(&state, hash);
    show(hash, text);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* Takes the next word from *LEFT. FALSE: there is none. */
static bool next_word(struct ssh_span *left, struct ssh_span *word)
{
    size_t start = 0;
    while (start < left->length && is_blank(left->data[start]))
        start++;
    size_t end = start;
    while (end < left->length && !is_blank(left->data[end]))
        end++;
    if (start == end)
        return false;
    *word = (struct ssh_span){left->data + start, end - start};
    *left = (struct ssh_span){left->data + end, left->length - end};
    return true;
}

bool ssh_key_decode(struct ssh_span line, void *memory, size_t size, struct ssh_span *blob,
                    struct ssh_span *comment)
{
    struct ssh_span left = line, type, text, name;
    size_t length;
    if (!next_word(&left, &type) || !next_word(&left, &text) ||
        sodium_base642bin(memory, size, (const char *)text.data, text.length, NULL, &length, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0)
        return false;
    struct ssh_reader reader = ssh_reader_of((struct ssh_span){memory, length});
    if (!ssh_read_string(&reader, &name) || !ssh_span_equal(name, type))
        return false;
    *blob = (struct ssh_span){memory, length};
    while (left.length > 0 && is_blank(left.data[0]))
        left = (struct ssh_span){left.data + 1, left.length - 1};
    if (comment)
        *comment = left;
    return true;
}
