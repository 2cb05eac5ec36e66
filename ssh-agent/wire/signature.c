#include "ssh-agent/wire/signature.h"

#define ED25519_SIGNATURE 64

static const struct {
    const char *name;
    enum ssh_key_type key;
    const char *certificate; /* its name in userauth with a certificate */
} algorithms[] = {
    [SSH_ALGORITHM_NONE] = {"", SSH_KEY_TYPES, ""},
    [SSH_ALGORITHM_ED25519] = {"ssh-ed25519", SSH_KEY_ED25519, NULL},
    [SSH_ALGORITHM_ECDSA_256] = {"ecdsa-sha2-nistp256", SSH_KEY_ECDSA_256, NULL},
    [SSH_ALGORITHM_ECDSA_384] = {"ecdsa-sha2-nistp384", SSH_KEY_ECDSA_384, NULL},
    [SSH_ALGORITHM_ECDSA_521] = {"ecdsa-sha2-nistp521", SSH_KEY_ECDSA_521, NULL},
    [SSH_ALGORITHM_RSA_SHA256] = {"rsa-sha2-256", SSH_KEY_RSA, "rsa-sha2-256-cert-v01@openssh.com"},
    [SSH_ALGORITHM_RSA_SHA512] = {"rsa-sha2-512", SSH_KEY_RSA, "rsa-sha2-512-cert-v01@openssh.com"},
    [SSH_ALGORITHM_SK_ED25519] = {"sk-ssh-ed25519@openssh.com", SSH_KEY_SK_ED25519, NULL},
    [SSH_ALGORITHM_SK_ECDSA] = {"sk-ecdsa-sha2-nistp256@openssh.com", SSH_KEY_SK_ECDSA, NULL},
};
_Static_assert(sizeof algorithms / sizeof *algorithms == SSH_ALGORITHMS, "a row for each");

static enum ssh_algorithm rsa_algorithm(uint32_t flags)
{
    if (flags & SSH_FLAG_SHA256)
        return SSH_ALGORITHM_RSA_SHA256;
    return flags & SSH_FLAG_SHA512 ? SSH_ALGORITHM_RSA_SHA512 : SSH_ALGORITHM_NONE;
}

enum ssh_algorithm ssh_algorithm_for(const struct ssh_key *key, uint32_t flags)
{
    if (flags & ~(SSH_FLAG_SHA256 | SSH_FLAG_SHA512))
        return SSH_ALGORITHM_NONE;
    if (key->type == SSH_KEY_RSA)
        return rsa_algorithm(flags);
    enum ssh_algorithm algorithm = SSH_ALGORITHM_NONE;
    for (int i = 0; i < SSH_ALGORITHMS; i++)
        if (algorithms[i].key == key->type)
            algorithm = (enum ssh_algorithm)i;
    return algorithm;
}

const char *ssh_algorithm_name(enum ssh_algorithm algorithm)
{
    return algorithms[algorithm].name;
}

enum ssh_algorithm ssh_algorithm_named(struct ssh_span name)
{
    for (int i = SSH_ALGORITHM_NONE + 1; i < SSH_ALGORITHMS; i++)
        if (ssh_span_equal(name, ssh_span_text(algorithms[i].name)))
            return (enum ssh_algorithm)i;
    return SSH_ALGORITHM_NONE;
}

bool ssh_algorithm_fits(enum ssh_algorithm algorithm, const struct ssh_key *key)
{
    return algorithm != SSH_ALGORITHM_NONE && algorithms[algorithm].key == key->type;
}

bool ssh_algorithm_is_userauth_name(enum ssh_algorithm algorithm, const struct ssh_key *key,
                                    struct ssh_span name)
{
    if (!ssh_algorithm_fits(algorithm, key))
        return false;
    const char *expected = algorithms[algorithm].name;
    if (key->is_certificate)
        expected = algorithms[algorithm].certificate ? algorithms[algorithm].certificate
                                                     : ssh_key_type_name(key->type, true);
    return ssh_span_equal(name, ssh_span_text(expected));
}

static bool is_ecdsa(enum ssh_algorithm algorithm)
{
    return algorithm == SSH_ALGORITHM_ECDSA_256 || algorithm == SSH_ALGORITHM_ECDSA_384 ||
           algorithm == SSH_ALGORITHM_ECDSA_521 || algorithm == SSH_ALGORITHM_SK_ECDSA;
}

static bool is_sk(enum ssh_algorithm algorithm)
{
    return algorithm == SSH_ALGORITHM_SK_ED25519 || algorithm == SSH_ALGORITHM_SK_ECDSA;
}

static bool parse_raw(struct ssh_signature *self)
{
    struct ssh_reader reader = ssh_reader_of(self->raw);
    if (is_ecdsa(self->algorithm))
        return ssh_read_mpint(&reader, &self->r) && ssh_read_mpint(&reader, &self->s) &&
               ssh_reader_done(&reader);
    if (algorithms[self->algorithm].key == SSH_KEY_RSA)
        return self->raw.length > 0 && self->raw.length <= SSH_RSA_BITS_MAX / 8;
    return self->raw.length == ED25519_SIGNATURE;
}

bool ssh_signature_parse(struct ssh_signature *self, struct ssh_span blob)
{
    struct ssh_reader reader = ssh_reader_of(blob);
    struct ssh_span name;
    *self = (struct ssh_signature){0};
    if (ssh_read_string(&reader, &name))
        self->algorithm = ssh_algorithm_named(name);
    ssh_read_string(&reader, &self->raw);
    if (is_sk(self->algorithm)) {
        ssh_read_byte(&reader, &self->sk_flags);
        ssh_read_u32(&reader, &self->sk_counter);
    }
    if (self->algorithm != SSH_ALGORITHM_NONE && ssh_reader_done(&reader) && parse_raw(self))
        return true;
    *self = (struct ssh_signature){0};
    return false;
}

void ssh_signature_write(struct ssh_writer *to, enum ssh_algorithm algorithm, struct ssh_span raw)
{
    ssh_write_text(to, ssh_algorithm_name(algorithm));
    ssh_write_string(to, raw);
}

void ssh_signature_write_ecdsa(struct ssh_writer *to, enum ssh_algorithm algorithm,
                               struct ssh_span r, struct ssh_span s)
{
    ssh_write_text(to, ssh_algorithm_name(algorithm));
    size_t mark = ssh_write_begin(to);
    ssh_write_mpint(to, r);
    ssh_write_mpint(to, s);
    ssh_write_end(to, mark);
}
