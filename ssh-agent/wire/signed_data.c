#include "ssh-agent/wire/signed_data.h"

#include <string.h>

#include "ssh-agent/wire/session_bind.h"

#define USERAUTH_REQUEST 50
#define SSHSIG_MAGIC "SSHSIG"

static const char *const class_names[] = {
    [SSH_CLASS_REFUSED] = "refused",
    [SSH_CLASS_UNKNOWN] = "unknown",
    [SSH_CLASS_CERTIFICATE] = "certificate",
    [SSH_CLASS_SSHSIG] = "sshsig",
    [SSH_CLASS_LOGIN] = "login",
};

static const char *const refusal_texts[] = {
    [SSH_REFUSAL_NONE] = "",
    [SSH_REFUSAL_KEY] = "a key that does not parse",
    [SSH_REFUSAL_SHA1] = "RSA with SHA-1",
    [SSH_REFUSAL_FLAGS] = "unknown signature flags",
};

const char *ssh_data_class_name(enum ssh_data_class class)
{
    return class_names[class];
}

const char *ssh_refusal_text(enum ssh_refusal refusal)
{
    return refusal_texts[refusal];
}

static bool read_text(struct ssh_reader *reader, struct ssh_span expected)
{
    struct ssh_span text;
    return ssh_read_string(reader, &text) && ssh_span_equal(text, expected);
}

static bool read_byte(struct ssh_reader *reader, uint8_t expected)
{
    uint8_t byte;
    return ssh_read_byte(reader, &byte) && byte == expected;
}

static bool read_method(struct ssh_reader *reader, bool *host_bound)
{
    struct ssh_span method;
    if (!ssh_read_string(reader, &method))
        return false;
    *host_bound = ssh_span_equal(method, SSH_SPAN("publickey-hostbound-v00@openssh.com"));
    return *host_bound || ssh_span_equal(method, SSH_SPAN("publickey"));
}

/* ssh puts a certificate that it has as a file (CertificateFile) into the data and has it signed by
 * the plain key, so only the base keys must be equal. */
static bool read_login_key(struct ssh_signed_data *self, struct ssh_reader *reader)
{
    struct ssh_span algorithm, blob;
    struct ssh_key *key = &self->login.key;
    return ssh_read_string(reader, &algorithm) && ssh_read_string(reader, &blob) &&
           ssh_key_parse(key, blob) && ssh_key_same_base(key, &self->key) &&
           ssh_algorithm_is_userauth_name(self->algorithm, key, algorithm);
}

static bool read_host_key(struct ssh_login *login, struct ssh_reader *reader)
{
    struct ssh_key key;
    return !login->host_bound ||
           (ssh_read_string(reader, &login->host_key) && ssh_key_parse(&key, login->host_key));
}

/* RFC 4252, section 7; for host-bound logins OpenSSH's PROTOCOL, section 3.1. */
static bool is_login(struct ssh_signed_data *self, struct ssh_span data)
{
    struct ssh_reader reader = ssh_reader_of(data);
    struct ssh_login *login = &self->login;
    return ssh_read_string(&reader, &login->session_id) && login->session_id.length > 0 &&
           login->session_id.length <= SSH_SESSION_ID_MAX && read_byte(&reader, USERAUTH_REQUEST) &&
           ssh_read_string(&reader, &login->user) &&
           read_text(&reader, SSH_SPAN("ssh-connection")) &&
           read_method(&reader, &login->host_bound) && read_byte(&reader, 1) &&
           read_login_key(self, &reader) && read_host_key(login, &reader) &&
           ssh_reader_done(&reader);
}

static bool hash_fits(const struct ssh_sshsig *sshsig)
{
    if (ssh_span_equal(sshsig->hash_name, SSH_SPAN("sha256")))
        return sshsig->hash.length == 32;
    return ssh_span_equal(sshsig->hash_name, SSH_SPAN("sha512")) && sshsig->hash.length == 64;
}

/* OpenSSH's PROTOCOL.sshsig. The reserved string must be empty: the user would not see its
 * contents.
 */
static bool is_sshsig(struct ssh_signed_data *self, struct ssh_span data)
{
    struct ssh_reader reader = ssh_reader_of(data);
    struct ssh_sshsig *sshsig = &self->sshsig;
    struct ssh_span magic;
    return ssh_read_raw(&reader, sizeof SSHSIG_MAGIC - 1, &magic) &&
           ssh_span_equal(magic, SSH_SPAN(SSHSIG_MAGIC)) &&
           ssh_read_string(&reader, &sshsig->name_space) && sshsig->name_space.length > 0 &&
           read_text(&reader, SSH_SPAN("")) && ssh_read_string(&reader, &sshsig->hash_name) &&
           ssh_read_string(&reader, &sshsig->hash) && hash_fits(sshsig) && ssh_reader_done(&reader);
}

static bool is_certificate(struct ssh_signed_data *self, struct ssh_span data)
{
    struct ssh_key authority;
    return ssh_key_parse_unsigned(&self->certificate, data) &&
           ssh_key_parse(&authority, self->certificate.certificate.authority) &&
           ssh_key_same_base(&authority, &self->key);
}

static enum ssh_refusal refusal_of(struct ssh_signed_data *self, struct ssh_span key,
                                   uint32_t flags)
{
    if (!ssh_key_parse(&self->key, key))
        return SSH_REFUSAL_KEY;
    self->algorithm = ssh_algorithm_for(&self->key, flags);
    if (self->algorithm != SSH_ALGORITHM_NONE)
        return SSH_REFUSAL_NONE;
    return flags ? SSH_REFUSAL_FLAGS : SSH_REFUSAL_SHA1;
}

static const struct {
    enum ssh_data_class class;
    bool (*matches)(struct ssh_signed_data *self, struct ssh_span data);
} parsers[] = {
    {SSH_CLASS_LOGIN, is_login},
    {SSH_CLASS_SSHSIG, is_sshsig},
    {SSH_CLASS_CERTIFICATE, is_certificate},
};

void ssh_signed_data_classify(struct ssh_signed_data *self, struct ssh_span key,
                              struct ssh_span data, uint32_t flags)
{
    memset(self, 0, sizeof *self);
    self->refusal = refusal_of(self, key, flags);
    if (self->refusal != SSH_REFUSAL_NONE)
        return;
    self->class = SSH_CLASS_UNKNOWN;
    /* Fields that a failed attempt has filled in must not remain. */
    const struct ssh_signed_data clean = *self;
    for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++) {
        if (parsers[i].matches(self, data)) {
            self->class = parsers[i].class;
            return;
        }
        *self = clean;
    }
}
