#include "ssh-agent/wire/known_hosts.h"

#include <string.h>

#include "ssh-agent/wire/known_hosts_match.h"
#include "ssh-agent/wire/verify.h"

enum marker { MARKER_NONE, MARKER_AUTHORITY, MARKER_REVOKED, MARKER_UNKNOWN };

static void add_name(struct ssh_known_hosts *self, enum ssh_known_kind kind, struct ssh_span text)
{
    if (text.length == 0 || text.length > SSH_KNOWN_NAME_MAX)
        return;
    for (size_t i = 0; i < self->count; i++)
        if (self->names[i].kind == kind && ssh_span_equal(self->names[i].text, text))
            return;
    if (self->count == SSH_KNOWN_NAMES_MAX)
        self->more = true;
    else
        self->names[self->count++] = (struct ssh_known_name){kind, text};
}

static void revoke(struct ssh_known_hosts *self)
{
    self->revoked = true;
    self->more = false;
    self->count = 0;
    self->confirmed = 0;
}

static void add_forge(struct ssh_known_hosts *self)
{
    const char *forge = ssh_forge_name(self->key);
    if (!forge)
        return;
    struct ssh_span name = ssh_span_text(forge);
    add_name(self, SSH_KNOWN_FORGE, name);
    for (size_t i = 0; i < self->claim_count; i++)
        if (!ssh_host_is_pattern(self->claims[i]) &&
            ssh_host_pattern_matches(self->claims[i], name))
            self->confirmed |= 1u << i;
}

void ssh_known_hosts_init(struct ssh_known_hosts *self, const struct ssh_key *key,
                          const struct ssh_span *claims, size_t claim_count, uint64_t now)
{
    *self = (struct ssh_known_hosts){.key = key, .claims = claims};
    self->claim_count = claim_count < SSH_KNOWN_CLAIMS_MAX ? claim_count : SSH_KNOWN_CLAIMS_MAX;
    if (key->is_certificate)
        ssh_key_parse(&self->authority, key->certificate.authority);
    self->certified = ssh_verify_certificate(key, SSH_CERTIFICATE_HOST, now);
    add_forge(self);
}

bool ssh_known_hosts_any(const struct ssh_known_hosts *self)
{
    return !self->revoked && (self->count > 0 || self->confirmed);
}

/* The names that a line with the key holds, as they stand; those that it negates itself are none.
 */
static void tell_names(struct ssh_known_hosts *self, struct ssh_span hosts)
{
    struct ssh_span left = hosts, host;
    bool negated;
    if (hosts.data[0] == '|')
        return;
    while (ssh_host_next(&left, &host, &negated)) {
        if (negated)
            continue;
        if (ssh_host_is_pattern(host))
            add_name(self, SSH_KNOWN_PATTERN, host);
        else if (ssh_hosts_match(hosts, host))
            add_name(self, SSH_KNOWN_NAME, host);
    }
}

/* Names in the certificate, as far as this line lets the CA vouch for them. */
static void tell_principals(struct ssh_known_hosts *self, struct ssh_span hosts)
{
    struct ssh_span left = self->key->certificate.principals, principal;
    struct ssh_host_name name;
    while (ssh_key_principal_next(&left, &principal))
        if (ssh_host_name_init(&name, principal) && ssh_hosts_match(hosts, name.span))
            add_name(self, SSH_KNOWN_PRINCIPAL, principal);
}

/* "host" of "[host]:port": a certificate names hosts without ports. */
static struct ssh_span without_port(struct ssh_span name)
{
    const uint8_t *end = name.data[0] == '[' ? memchr(name.data, ']', name.length) : NULL;
    if (!end)
        return name;
    return (struct ssh_span){name.data + 1, (size_t)(end - name.data - 1)};
}

static bool is_principal(const struct ssh_key *key, struct ssh_span name)
{
    struct ssh_span left = key->certificate.principals, principal;
    while (ssh_key_principal_next(&left, &principal))
        if (ssh_host_pattern_matches(principal, name))
            return true;
    return false;
}

static void test_claims(struct ssh_known_hosts *self, struct ssh_span hosts, bool as_authority)
{
    struct ssh_host_name name;
    for (size_t i = 0; i < self->claim_count; i++) {
        if (self->confirmed & 1u << i || !ssh_host_name_init(&name, self->claims[i]) ||
            !ssh_hosts_match(hosts, name.span))
            continue;
        if (!as_authority || is_principal(self->key, without_port(name.span)))
            self->confirmed |= 1u << i;
    }
}

static void judge(struct ssh_known_hosts *self, enum marker marker, struct ssh_span hosts,
                  const struct ssh_key *key)
{
    bool same = ssh_key_same_base(key, self->key);
    bool authority = self->key->is_certificate && ssh_key_same_base(key, &self->authority);
    if (marker == MARKER_REVOKED && (same || authority)) {
        revoke(self);
    } else if (marker == MARKER_AUTHORITY && authority && self->certified) {
        tell_principals(self, hosts);
        test_claims(self, hosts, true);
    } else if (marker == MARKER_NONE && same) {
        tell_names(self, hosts);
        test_claims(self, hosts, false);
    }
}

static struct ssh_span skip_blanks(struct ssh_span line)
{
    while (line.length > 0 && (line.data[0] == ' ' || line.data[0] == '\t'))
        line = (struct ssh_span){line.data + 1, line.length - 1};
    return line;
}

/* Takes the word at the beginning of *LINE and the blanks behind it. */
static struct ssh_span take_word(struct ssh_span *line)
{
    size_t length = 0;
    while (length < line->length && line->data[length] != ' ' && line->data[length] != '\t')
        length++;
    struct ssh_span word = {line->data, length};
    *line = skip_blanks((struct ssh_span){line->data + length, line->length - length});
    return word;
}

static enum marker take_marker(struct ssh_span *line)
{
    if (line->data[0] != '@')
        return MARKER_NONE;
    struct ssh_span word = take_word(line);
    if (ssh_span_equal(word, SSH_SPAN("@revoked")))
        return MARKER_REVOKED;
    if (ssh_span_equal(word, SSH_SPAN("@cert-authority")))
        return MARKER_AUTHORITY;
    return MARKER_UNKNOWN;
}

static bool is_type_of(struct ssh_span name, const struct ssh_key *key)
{
    return ssh_span_equal(name, ssh_span_text(ssh_key_type_name(key->type, false)));
}

/* FALSE for a line whose key is of another type, as most are: decoding it would be slow. */
static bool may_matter(const struct ssh_known_hosts *self, struct ssh_span line)
{
    struct ssh_span type = take_word(&line);
    return is_type_of(type, self->key) ||
           (self->key->is_certificate && is_type_of(type, &self->authority));
}

static void read_line(struct ssh_known_hosts *self, struct ssh_span line)
{
    uint8_t memory[SSH_RSA_BITS_MAX / 8 + 1024];
    struct ssh_span blob;
    struct ssh_key key;
    line = skip_blanks(line);
    if (line.length == 0 || line.data[0] == '#' || line.length > SSH_KNOWN_HOSTS_LINE_MAX)
        return;
    enum marker marker = take_marker(&line);
    struct ssh_span hosts = take_word(&line);
    if (hosts.length > 0 && may_matter(self, line) &&
        ssh_key_decode(line, memory, sizeof memory, &blob, NULL) && ssh_key_parse(&key, blob))
        judge(self, marker, hosts, &key);
}

void ssh_known_hosts_read(struct ssh_known_hosts *self, struct ssh_span text)
{
    while (text.length > 0 && !self->revoked) {
        const uint8_t *newline = memchr(text.data, '\n', text.length);
        size_t length = newline ? (size_t)(newline - text.data) : text.length;
        size_t taken = newline ? length + 1 : length;
        struct ssh_span line = {text.data, length};
        if (length > 0 && line.data[length - 1] == '\r')
            line.length--;
        read_line(self, line);
        text = (struct ssh_span){text.data + taken, text.length - taken};
    }
}
