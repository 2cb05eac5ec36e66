#include "ssh-agent/wire/known_hosts.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sodium.h>
#include <string.h>

#include "ssh-agent/wire/signature.h"

/*
 * Fingerprints of the host keys of well-known Git hosting services. Each one was found in the
 * service's documentation (as quoted by other projects) and in at least one independent list, and
 * both agreed. The RSA and ECDSA keys of git.sr.ht are missing because no second source was found.
 *
 *   - github.com: docs.github.com/…/githubs-ssh-key-fingerprints, api.github.com/meta
 *   - gitlab.com: docs.gitlab.com/user/gitlab_com/#ssh-host-keys-fingerprints
 *   - bitbucket.org:
 * support.atlassian.com/bitbucket-cloud/docs/configure-ssh-and-two-step-verification and
 * bitbucket.org/blog/ssh-host-key-changes (2023)
 *   - codeberg.org: docs.codeberg.org/security/ssh-fingerprint
 *   - git.sr.ht: man.sr.ht/git.sr.ht/#ssh-host-keys
 */
static const struct {
    const char *name, *fingerprint;
} forges[] = {
    {"github.com", "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"},    /* ED25519 */
    {"github.com", "SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM"},    /* ECDSA */
    {"github.com", "SHA256:uNiVztksCsDhcc0u9e8BujQXVUpKZIDTMczCvj3tD2s"},    /* RSA */
    {"gitlab.com", "SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8"},    /* ED25519 */
    {"gitlab.com", "SHA256:HbW3g8zUjNSksFbqTiUWPWg2Bq1x8xdGUrliXFzSnUw"},    /* ECDSA */
    {"gitlab.com", "SHA256:ROQFvPThGrW4RuWLoL9tq9I9zJ42fK4XywyRtbOz/EQ"},    /* RSA */
    {"bitbucket.org", "SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM"}, /* ED25519 */
    {"bitbucket.org", "SHA256:FC73VB6C4OQLSCrjEayhMp9UMxS97caD/Yyi2bhW/J0"}, /* ECDSA */
    {"bitbucket.org", "SHA256:46OSHA1Rmj8E8ERTC6xkNcmGOw9oFxYr0WF6zWW8l1E"}, /* RSA */
    {"codeberg.org", "SHA256:mIlxA9k46MmM6qdJOdMnAQpzGxF4WIVVL+fj+wZbw0g"},  /* ED25519 */
    {"codeberg.org", "SHA256:T9FYDEHELhVkulEKKwge5aVhVTbqCW0MIRwAfpARs/E"},  /* ECDSA */
    {"codeberg.org", "SHA256:6QQmYi4ppFS4/+zSZ5S4IU+4sa6rwvQ4PbhCtPEBekQ"},  /* RSA */
    {"git.sr.ht", "SHA256:WXXNZu0YyoE3KBl5qh4GsnF1vR0NeEPYJAiPME+P09g"},     /* ED25519 */
};

const char *ssh_forge_name(const struct ssh_key *key)
{
    char fingerprint[SSH_FINGERPRINT_SIZE];
    ssh_key_fingerprint(key, fingerprint);
    for (size_t i = 0; i < sizeof forges / sizeof *forges; i++)
        if (strcmp(forges[i].fingerprint, fingerprint) == 0)
            return forges[i].name;
    return NULL;
}

#define HASHED_PREFIX "|1|"
#define HASHED_SIZE 20

/* A host name in lower case that has only characters of names, addresses and ports. */
struct host_name {
    uint8_t bytes[SSH_KNOWN_NAME_MAX];
    struct ssh_span span; /* points into bytes */
};

static bool decode_hash(struct ssh_span text, uint8_t bytes[HASHED_SIZE])
{
    size_t length;
    return sodium_base642bin(bytes, HASHED_SIZE, (const char *)text.data, text.length, NULL,
                             &length, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 &&
           length == HASHED_SIZE;
}

bool ssh_known_hosts_hash_matches(struct ssh_span hashed, struct ssh_span name)
{
    uint8_t salt[HASHED_SIZE], expected[HASHED_SIZE], actual[EVP_MAX_MD_SIZE];
    const size_t prefix = sizeof HASHED_PREFIX - 1;
    unsigned length;
    if (hashed.length <= prefix || memcmp(hashed.data, HASHED_PREFIX, prefix) != 0)
        return false;
    struct ssh_span salt_text = {hashed.data + prefix, hashed.length - prefix};
    const uint8_t *bar = memchr(salt_text.data, '|', salt_text.length);
    if (!bar)
        return false;
    struct ssh_span hash_text = {bar + 1, (size_t)(hashed.data + hashed.length - (bar + 1))};
    salt_text.length = (size_t)(bar - salt_text.data);
    return decode_hash(salt_text, salt) && decode_hash(hash_text, expected) &&
           HMAC(EVP_sha1(), salt, sizeof salt, name.data, name.length, actual, &length) &&
           length == HASHED_SIZE && memcmp(actual, expected, HASHED_SIZE) == 0;
}

static uint8_t to_lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c - 'A' + 'a') : c;
}

static bool is_name_character(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c != '\0' && strchr(".-_:%[]", c));
}

static bool host_name_init(struct host_name *self, struct ssh_span text)
{
    if (text.length == 0 || text.length > sizeof self->bytes)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        self->bytes[i] = to_lower(text.data[i]);
        if (!is_name_character(self->bytes[i]))
            return false;
    }
    self->span = (struct ssh_span){self->bytes, text.length};
    return true;
}

/* Compares with a pattern of * and ?, ignoring case. On a mismatch only the last * takes one more
 * character; earlier ones need not be retried, so there is no exponential backtracking. */
static bool host_pattern_matches(struct ssh_span pattern, struct ssh_span name)
{
    size_t p = 0, n = 0, star = SIZE_MAX, star_n = 0;
    while (n < name.length) {
        if (p < pattern.length && pattern.data[p] == '*') {
            star = ++p;
            star_n = n;
        } else if (p < pattern.length && (pattern.data[p] == '?' ||
                                          to_lower(pattern.data[p]) == to_lower(name.data[n]))) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star;
            n = ++star_n;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.data[p] == '*')
        p++;
    return p == pattern.length;
}

static bool host_is_pattern(struct ssh_span text)
{
    return text.length > 0 &&
           (memchr(text.data, '*', text.length) || memchr(text.data, '?', text.length));
}

/* Moves the next entry out of *LEFT, a list separated by commas. NEGATED: it started with "!". */
static bool host_next(struct ssh_span *left, struct ssh_span *host, bool *negated)
{
    if (left->length == 0)
        return false;
    const uint8_t *comma = memchr(left->data, ',', left->length);
    size_t length = comma ? (size_t)(comma - left->data) : left->length;
    size_t consumed = comma ? length + 1 : length;
    *host = (struct ssh_span){left->data, length};
    *left = (struct ssh_span){left->data + consumed, left->length - consumed};
    *negated = host->length > 0 && host->data[0] == '!';
    if (*negated)
        *host = (struct ssh_span){host->data + 1, host->length - 1};
    return true;
}

/* True if the field HOSTS of a line is for NAME (in lower case): the hash matches, or at least one
 * pattern and no negated one does. */
static bool hosts_match(struct ssh_span hosts, struct ssh_span name)
{
    bool matches = false, negated;
    struct ssh_span host;
    if (hosts.length > 0 && hosts.data[0] == '|')
        return ssh_known_hosts_hash_matches(hosts, name);
    while (host_next(&hosts, &host, &negated)) {
        if (!host_pattern_matches(host, name))
            continue;
        if (negated)
            return false;
        matches = true;
    }
    return matches;
}

/* The same, and by NAME itself or its hash, not by a pattern alone. */
static bool hosts_name(struct ssh_span hosts, struct ssh_span name)
{
    bool negated;
    struct ssh_span left = hosts, host;
    if (!hosts_match(hosts, name))
        return false;
    if (hosts.data[0] == '|')
        return true;
    while (host_next(&left, &host, &negated))
        if (!negated && !host_is_pattern(host) && host_pattern_matches(host, name))
            return true;
    return false;
}

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
        if (!host_is_pattern(self->claims[i]) && host_pattern_matches(self->claims[i], name))
            self->confirmed |= 1u << i;
}

void ssh_known_hosts_init(struct ssh_known_hosts *self, const struct ssh_key *key,
                          const struct ssh_span *claims, size_t claim_count, uint64_t now)
{
    *self = (struct ssh_known_hosts){.key = key, .claims = claims};
    self->claim_count = claim_count < SSH_KNOWN_CLAIMS_MAX ? claim_count : SSH_KNOWN_CLAIMS_MAX;
    if (key->is_certificate)
        ssh_key_parse(&self->authority, key->certificate.authority);
    self->certified = ssh_certificate_verify(key, SSH_CERTIFICATE_HOST, now);
    add_forge(self);
}

/* Adds the names and patterns of a line with the key, but not names that the line itself negates.
 */
static void add_names(struct ssh_known_hosts *self, struct ssh_span hosts)
{
    struct ssh_span left = hosts, host;
    bool negated;
    if (hosts.data[0] == '|')
        return;
    while (host_next(&left, &host, &negated)) {
        if (negated)
            continue;
        if (host_is_pattern(host))
            add_name(self, SSH_KNOWN_PATTERN, host);
        else if (hosts_match(hosts, host))
            add_name(self, SSH_KNOWN_NAME, host);
    }
}

/* Adds the principals of the certificate that match HOSTS, the field of a @cert-authority line. */
static void add_principals(struct ssh_known_hosts *self, struct ssh_span hosts)
{
    struct ssh_span left = self->key->certificate.principals, principal;
    struct host_name name;
    while (ssh_key_principal_next(&left, &principal))
        if (host_name_init(&name, principal) && hosts_match(hosts, name.span))
            add_name(self, SSH_KNOWN_PRINCIPAL, principal);
}

/* The "host" of "[host]:port": the principals of a certificate have no port. */
static struct ssh_span without_port(struct ssh_span name)
{
    const uint8_t *end = name.data[0] == '[' ? memchr(name.data, ']', name.length) : NULL;
    if (!end)
        return name;
    return (struct ssh_span){name.data + 1, (size_t)(end - name.data - 1)};
}

/* True if NAME is a principal. A pattern that it fits is reported in its place. */
static bool test_principals(struct ssh_known_hosts *self, struct ssh_span name)
{
    struct ssh_span left = self->key->certificate.principals, principal, pattern = {0};
    while (ssh_key_principal_next(&left, &principal)) {
        if (!host_pattern_matches(principal, name))
            continue;
        if (!host_is_pattern(principal))
            return true;
        pattern = principal;
    }
    add_name(self, SSH_KNOWN_PATTERN, pattern);
    return false;
}

static void test_claims(struct ssh_known_hosts *self, struct ssh_span hosts, bool as_authority)
{
    struct host_name name;
    for (size_t i = 0; i < self->claim_count; i++) {
        if (self->confirmed & 1u << i || !host_name_init(&name, self->claims[i]))
            continue;
        if (as_authority
                ? hosts_match(hosts, name.span) && test_principals(self, without_port(name.span))
                : hosts_name(hosts, name.span))
            self->confirmed |= 1u << i;
    }
}

static void apply_line(struct ssh_known_hosts *self, enum marker marker, struct ssh_span hosts,
                       const struct ssh_key *key)
{
    bool same = ssh_key_same_base(key, self->key);
    bool authority = self->key->is_certificate && ssh_key_same_base(key, &self->authority);
    if (marker == MARKER_REVOKED && (same || authority)) {
        revoke(self);
    } else if (marker == MARKER_AUTHORITY && authority && self->certified) {
        add_principals(self, hosts);
        test_claims(self, hosts, true);
    } else if (marker == MARKER_NONE && same) {
        add_names(self, hosts);
        test_claims(self, hosts, false);
    }
}

static struct ssh_span skip_blanks(struct ssh_span line)
{
    while (line.length > 0 && (line.data[0] == ' ' || line.data[0] == '\t'))
        line = (struct ssh_span){line.data + 1, line.length - 1};
    return line;
}

/* Moves the first word and the blanks after it out of *LINE. */
static struct ssh_span next_field(struct ssh_span *line)
{
    size_t length = 0;
    while (length < line->length && line->data[length] != ' ' && line->data[length] != '\t')
        length++;
    struct ssh_span word = {line->data, length};
    *line = skip_blanks((struct ssh_span){line->data + length, line->length - length});
    return word;
}

static enum marker next_marker(struct ssh_span *line)
{
    if (line->data[0] != '@')
        return MARKER_NONE;
    struct ssh_span word = next_field(line);
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

/* False if the key's type, the first word of LINE, rules it out. Most lines are skipped so:
 * decoding their keys would be slow. */
static bool has_relevant_type(const struct ssh_known_hosts *self, struct ssh_span line)
{
    struct ssh_span type = next_field(&line);
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
    enum marker marker = next_marker(&line);
    struct ssh_span hosts = next_field(&line);
    if (hosts.length > 0 && has_relevant_type(self, line) &&
        ssh_key_decode(line, memory, sizeof memory, &blob, NULL) && ssh_key_parse(&key, blob))
        apply_line(self, marker, hosts, &key);
}

void ssh_known_hosts_read(struct ssh_known_hosts *self, struct ssh_span text)
{
    while (text.length > 0 && !self->revoked) {
        const uint8_t *newline = memchr(text.data, '\n', text.length);
        size_t length = newline ? (size_t)(newline - text.data) : text.length;
        size_t consumed = newline ? length + 1 : length;
        struct ssh_span line = {text.data, length};
        if (length > 0 && line.data[length - 1] == '\r')
            line.length--;
        read_line(self, line);
        text = (struct ssh_span){text.data + consumed, text.length - consumed};
    }
}
