#include "ssh-agent/wire/key.h"

#include <sodium.h>
#include <string.h>

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
_Static_assert(sizeof names / sizeof *names == SSH_KEY_TYPES, "one row for each type");

const char *ssh_key_type_name(enum ssh_key_type type, bool certificate)
{
    return certificate ? names[type].certificate : names[type].plain;
}

const char *ssh_key_type_short(enum ssh_key_type type)
{
    return names[type].brief;
}

#define ED25519_POINT 32
#define NONCE_MAX 64

/* Bytes of a coordinate on the type's NIST curve; 0 for types without one. */
static size_t coordinate_size(enum ssh_key_type type)
{
    switch (type) {
    case SSH_KEY_ECDSA_256:
    case SSH_KEY_SK_ECDSA:
        return 32;
    case SSH_KEY_ECDSA_384:
        return 48;
    case SSH_KEY_ECDSA_521:
        return 66;
    default:
        return 0;
    }
}

static struct ssh_span curve_name(enum ssh_key_type type)
{
    switch (type) {
    case SSH_KEY_ECDSA_384:
        return SSH_SPAN("nistp384");
    case SSH_KEY_ECDSA_521:
        return SSH_SPAN("nistp521");
    default:
        return SSH_SPAN("nistp256");
    }
}

static unsigned bit_length(struct ssh_span magnitude)
{
    if (magnitude.length == 0)
        return 0;
    unsigned bits = (unsigned)(magnitude.length - 1) * 8;
    for (uint8_t top = magnitude.data[0]; top; top >>= 1)
        bits++;
    return bits;
}

static bool is_odd(struct ssh_span magnitude)
{
    return magnitude.length > 0 && magnitude.data[magnitude.length - 1] & 1;
}

static bool parse_rsa(struct ssh_key *self, struct ssh_reader *reader)
{
    if (!ssh_read_mpint(reader, &self->rsa_e) || !ssh_read_mpint(reader, &self->rsa_n))
        return false;
    unsigned bits = bit_length(self->rsa_n);
    return bits >= SSH_RSA_BITS_MIN && bits <= SSH_RSA_BITS_MAX && is_odd(self->rsa_n) &&
           is_odd(self->rsa_e) && bit_length(self->rsa_e) >= 2 && bit_length(self->rsa_e) < bits;
}

static bool parse_point(struct ssh_key *self, struct ssh_reader *reader)
{
    struct ssh_span curve;
    size_t size = coordinate_size(self->type);
    if (size == 0)
        return ssh_read_string(reader, &self->point) && self->point.length == ED25519_POINT;
    return ssh_read_string(reader, &curve) && ssh_span_equal(curve, curve_name(self->type)) &&
           ssh_read_string(reader, &self->point) && self->point.length == 1 + 2 * size &&
           self->point.data[0] == 4;
}

/* Parses the fields of the base key. They follow the type's name and, in a certificate, the nonce.
 */
static bool parse_fields(struct ssh_key *self, struct ssh_reader *reader)
{
    struct ssh_span start = reader->rest;
    if (self->type == SSH_KEY_RSA ? !parse_rsa(self, reader) : !parse_point(self, reader))
        return false;
    if (ssh_key_is_sk(self) && !ssh_read_string(reader, &self->sk_application))
        return false;
    self->fields = (struct ssh_span){start.data, start.length - reader->rest.length};
    return true;
}

static bool parse_type(struct ssh_key *self, struct ssh_reader *reader)
{
    struct ssh_span name;
    if (!ssh_read_string(reader, &name))
        return false;
    for (int i = 0; i < SSH_KEY_TYPES * 2; i++) {
        self->type = (enum ssh_key_type)(i / 2);
        self->is_certificate = i % 2;
        const char *known = ssh_key_type_name(self->type, self->is_certificate);
        if (ssh_span_equal(name, ssh_span_text(known)))
            return true;
    }
    return false;
}

static bool parse_principals(struct ssh_certificate *self)
{
    struct ssh_span left = self->principals, principal;
    while (ssh_key_principal_next(&left, &principal))
        if (principal.length == 0 || ++self->principal_count > SSH_PRINCIPALS_MAX)
            return false;
    return left.length == 0;
}

/* True if OPTIONS is a sequence of `string name ‖ string value`. */
static bool are_options(struct ssh_span options)
{
    struct ssh_reader reader = ssh_reader_of(options);
    struct ssh_span name, value;
    while (reader.rest.length > 0)
        if (!ssh_read_string(&reader, &name) || !ssh_read_string(&reader, &value))
            return false;
    return true;
}

static bool is_plain_key(struct ssh_span blob)
{
    struct ssh_key key = {.blob = blob};
    struct ssh_reader reader = ssh_reader_of(blob);
    return parse_type(&key, &reader) && !key.is_certificate && parse_fields(&key, &reader) &&
           ssh_reader_done(&reader);
}

/* Parses the fields from the serial number to the CA's key, where the signed part ends. */
static bool parse_certificate(struct ssh_key *self, struct ssh_reader *reader)
{
    struct ssh_certificate *to = &self->certificate;
    struct ssh_span reserved;
    ssh_read_u64(reader, &to->serial);
    ssh_read_u32(reader, &to->kind);
    ssh_read_string(reader, &to->id);
    ssh_read_string(reader, &to->principals);
    ssh_read_u64(reader, &to->valid_after);
    ssh_read_u64(reader, &to->valid_before);
    ssh_read_string(reader, &to->critical_options);
    ssh_read_string(reader, &to->extensions);
    ssh_read_string(reader, &reserved);
    if (!ssh_read_string(reader, &to->authority))
        return false;
    to->signed_part = (struct ssh_span){self->blob.data, self->blob.length - reader->rest.length};
    return (to->kind == SSH_CERTIFICATE_USER || to->kind == SSH_CERTIFICATE_HOST) &&
           reserved.length == 0 && parse_principals(to) && are_options(to->critical_options) &&
           are_options(to->extensions) && is_plain_key(to->authority);
}

/* Parses a certificate up to the end of the signed part, or a whole plain key. */
static bool parse_unsigned(struct ssh_key *self, struct ssh_reader *reader)
{
    struct ssh_span nonce;
    if (self->blob.length > SSH_KEY_BLOB_MAX || !parse_type(self, reader))
        return false;
    if (self->is_certificate && (!ssh_read_string(reader, &nonce) || nonce.length > NONCE_MAX))
        return false;
    return parse_fields(self, reader) && (!self->is_certificate || parse_certificate(self, reader));
}

static bool zero_unless(bool good, struct ssh_key *self)
{
    if (!good)
        *self = (struct ssh_key){0};
    return good;
}

bool ssh_key_parse(struct ssh_key *self, struct ssh_span blob)
{
    struct ssh_reader reader = ssh_reader_of(blob);
    *self = (struct ssh_key){.blob = blob};
    bool good = parse_unsigned(self, &reader);
    if (good && self->is_certificate)
        ssh_read_string(&reader, &self->certificate.signature);
    return zero_unless(good && ssh_reader_done(&reader), self);
}

bool ssh_key_parse_unsigned(struct ssh_key *self, struct ssh_span data)
{
    struct ssh_reader reader = ssh_reader_of(data);
    *self = (struct ssh_key){.blob = data};
    bool good = parse_unsigned(self, &reader);
    return zero_unless(good && self->is_certificate && ssh_reader_done(&reader), self);
}

bool ssh_key_same_base(const struct ssh_key *a, const struct ssh_key *b)
{
    return a->type == b->type && ssh_span_equal(a->fields, b->fields);
}

bool ssh_key_principal_next(struct ssh_span *left, struct ssh_span *principal)
{
    struct ssh_reader reader = ssh_reader_of(*left);
    bool good = ssh_read_string(&reader, principal);
    if (good)
        *left = reader.rest;
    return good;
}

bool ssh_key_is_sk(const struct ssh_key *self)
{
    return self->type == SSH_KEY_SK_ED25519 || self->type == SSH_KEY_SK_ECDSA;
}

unsigned ssh_key_bits(const struct ssh_key *self)
{
    if (self->type == SSH_KEY_RSA)
        return bit_length(self->rsa_n);
    if (self->type == SSH_KEY_ECDSA_521)
        return 521;
    size_t size = coordinate_size(self->type);
    return size ? (unsigned)size * 8 : ED25519_POINT * 8;
}

static void format_fingerprint(const uint8_t hash[crypto_hash_sha256_BYTES],
                               char text[SSH_FINGERPRINT_SIZE])
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
    format_fingerprint(hash, text);
}

/* Hashes the base key's blob in pieces: allocating memory for it could fail. */
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
    format_fingerprint(hash, text);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

/* Moves the next word out of *LEFT. False if there is none. */
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
