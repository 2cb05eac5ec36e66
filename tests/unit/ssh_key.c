/* Public key blobs: parsing, fingerprints, text form. */
#include "ssh-agent/wire/signature.h"
#include "ssh_recorded.h"
#include "ssh_samples.h"

/* The first identity that the agent listed in SCENARIO. */
static struct ssh_identity listed(GPtrArray *all, const char *scenario)
{
    struct ssh_reply reply;
    struct ssh_identity identity;
    struct ssh_span message = recorded_find(all, scenario, 'A', SSH_AGENT_IDENTITIES_ANSWER);
    g_assert_cmpint(ssh_reply_parse(&reply, SSH_AGENTC_REQUEST_IDENTITIES, message), ==,
                    SSH_REPLY_OK);
    g_assert_true(ssh_identity_next(&reply.identities, &identity));
    return identity;
}

static void recorded_types(void)
{
    const struct {
        const char *scenario;
        enum ssh_key_type type;
        unsigned bits;
    } cases[] = {
        {"host-ed25519", SSH_KEY_ED25519, 256},    {"user-ecdsa256", SSH_KEY_ECDSA_256, 256},
        {"user-ecdsa384", SSH_KEY_ECDSA_384, 384}, {"user-ecdsa521", SSH_KEY_ECDSA_521, 521},
        {"user-rsa2048", SSH_KEY_RSA, 2048},
    };
    g_autoptr(GPtrArray) all = recorded_load();
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_key key;
        struct ssh_span blob = listed(all, cases[i].scenario).blob;
        g_assert_true(ssh_key_parse(&key, blob));
        g_assert_cmpint(key.type, ==, cases[i].type);
        g_assert_cmpuint(ssh_key_bits(&key), ==, cases[i].bits);
        g_assert_false(key.is_certificate);
        g_assert_false(ssh_key_is_sk(&key));
    }
}

/* A blob that is cut, has trailing bytes or a changed length does not parse, and the struct is
 * zeroed. */
static void assert_only_whole_parses(struct ssh_span blob)
{
    const struct ssh_key empty = {0};
    struct ssh_key key;
    for (gsize length = 0; length < blob.length; length++) {
        g_assert_false(ssh_key_parse(&key, (struct ssh_span){blob.data, length}));
        g_assert_cmpmem(&key, sizeof key, &empty, sizeof empty);
    }
    g_autofree guchar *longer = g_malloc0(blob.length + 1);
    memcpy(longer, blob.data, blob.length);
    g_assert_false(ssh_key_parse(&key, (struct ssh_span){longer, blob.length + 1}));
}

static void malformed(void)
{
    const char *const scenarios[] = {"host-ed25519", "user-ecdsa256", "user-ecdsa521",
                                     "user-rsa2048", "certificate-file"};
    g_autoptr(GPtrArray) all = recorded_load();
    for (gsize i = 0; i < G_N_ELEMENTS(scenarios); i++)
        assert_only_whole_parses(listed(all, scenarios[i]).blob);
}

static void fingerprints(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    struct ssh_identity identity = listed(all, "host-ed25519");
    struct ssh_key key;
    char text[SSH_FINGERPRINT_SIZE], of_blob[SSH_FINGERPRINT_SIZE];
    g_assert_true(ssh_key_parse(&key, identity.blob));
    ssh_key_fingerprint(&key, text);
    ssh_blob_fingerprint(identity.blob, of_blob);
    g_assert_cmpstr(text, ==, of_blob);
    /* The hash of no bytes, by sha256sum and base64. */
    ssh_blob_fingerprint((struct ssh_span){0}, text);
    g_assert_cmpstr(text, ==, "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU");
    g_assert_true(ssh_span_equal(identity.comment, SSH_SPAN("user of ed25519")));
}

/* A well-known host key, with the fingerprint that its owner publishes. */
static void published(void)
{
    static const char line[] =
        "ssh-ed25519 "
        "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
    guchar memory[64];
    struct ssh_span blob;
    struct ssh_key key;
    char text[SSH_FINGERPRINT_SIZE];
    g_assert_true(ssh_key_decode(ssh_span_text(line), memory, sizeof memory, &blob, NULL));
    g_assert_true(ssh_key_parse(&key, blob));
    ssh_key_fingerprint(&key, text);
    g_assert_cmpstr(text, ==, "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU");
    g_assert_cmpstr(ssh_key_type_short(key.type), ==, "ED25519");
}

/* A certificate has the same fingerprint and base key as its plain key. */
static void certificates(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    struct ssh_key certificate, plain, other;
    struct ssh_span left, principal;
    char of_certificate[SSH_FINGERPRINT_SIZE], of_plain[SSH_FINGERPRINT_SIZE];
    struct ssh_request request =
        recorded_request(all, "agent-certificate", SSH_AGENTC_SIGN_REQUEST);
    g_assert_true(ssh_key_parse(&certificate, request.key));
    g_assert_true(ssh_key_parse(&plain, listed(all, "host-ed25519").blob));
    g_assert_true(ssh_key_parse(&other, listed(all, "user-rsa2048").blob));
    g_assert_true(certificate.is_certificate);
    g_assert_true(ssh_key_same_base(&certificate, &plain));
    g_assert_false(ssh_key_same_base(&certificate, &other));
    ssh_key_fingerprint(&certificate, of_certificate);
    ssh_key_fingerprint(&plain, of_plain);
    g_assert_cmpstr(of_certificate, ==, of_plain);
    g_assert_cmpuint(certificate.certificate.serial, ==, 7);
    g_assert_cmpuint(certificate.certificate.kind, ==, SSH_CERTIFICATE_USER);
    g_assert_true(ssh_span_equal(certificate.certificate.id, SSH_SPAN("made up")));
    g_assert_cmpuint(certificate.certificate.principal_count, ==, 2);
    left = certificate.certificate.principals;
    g_assert_true(ssh_key_principal_next(&left, &principal));
    g_assert_true(ssh_span_equal(principal, SSH_SPAN("root")));
    g_assert_true(ssh_key_principal_next(&left, &principal));
    g_assert_true(ssh_span_equal(principal, SSH_SPAN("me")));
    g_assert_false(ssh_key_principal_next(&left, &principal));
}

static void security_keys(void)
{
    g_auto(sample_bytes) blob = {0};
    struct ssh_key key;
    guchar point[32] = {1};
    ssh_write_text(&blob, "sk-ssh-ed25519@openssh.com");
    ssh_write_string(&blob, (struct ssh_span){point, sizeof point});
    ssh_write_text(&blob, "ssh:box");
    g_assert_true(ssh_key_parse(&key, ssh_writer_span(&blob)));
    g_assert_true(ssh_key_is_sk(&key));
    g_assert_true(ssh_span_equal(key.sk_application, SSH_SPAN("ssh:box")));
    g_assert_cmpstr(ssh_key_type_short(key.type), ==, "ED25519-SK");
    g_assert_cmpint(ssh_algorithm_for(&key, 0), ==, SSH_ALGORITHM_SK_ED25519);
    assert_only_whole_parses(ssh_writer_span(&blob));
}

static gboolean parse_rsa(gsize bytes, guint8 last, struct ssh_span e)
{
    g_auto(sample_bytes) blob = {0};
    struct ssh_key key;
    g_autofree guchar *n = g_malloc0(bytes);
    n[0] = 0x80;
    n[bytes - 1] |= last;
    ssh_write_text(&blob, "ssh-rsa");
    ssh_write_mpint(&blob, e);
    ssh_write_mpint(&blob, (struct ssh_span){n, bytes});
    return ssh_key_parse(&key, ssh_writer_span(&blob));
}

static void invalid_rsa(void)
{
    const struct ssh_span e = SSH_SPAN("\1\0\1");
    g_assert_true(parse_rsa(SSH_RSA_BITS_MIN / 8, 1, e));
    g_assert_true(parse_rsa(SSH_RSA_BITS_MAX / 8, 1, e));
    g_assert_false(parse_rsa(SSH_RSA_BITS_MIN / 8 - 1, 1, e));
    g_assert_false(parse_rsa(SSH_RSA_BITS_MAX / 8 + 1, 1, e));
    g_assert_false(parse_rsa(256, 2, e));
    g_assert_false(parse_rsa(256, 1, SSH_SPAN("\1")));
    g_assert_false(parse_rsa(256, 1, SSH_SPAN("\2")));
    g_assert_false(parse_rsa(256, 1, SSH_SPAN("\0")));
}

static void invalid_certificates(void)
{
    g_auto(sample_key) authority, user;
    sample_key_init(&authority);
    sample_key_init(&user);
    const sample_certificate good = {&authority, &user, 1, "me", 0, G_MAXUINT64, NULL, NULL};
    sample_certificate cases[] = {good, good, good, good};
    cases[1].kind = 3;
    cases[2].reserved = "x";
    cases[3].principals = "me,,you";
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(sample_bytes) blob = {0}, data = {0};
        struct ssh_key key;
        sample_write_certificate(&blob, &cases[i]);
        sample_write_unsigned(&data, &cases[i]);
        g_assert_cmpint(ssh_key_parse(&key, ssh_writer_span(&blob)), ==, i == 0);
        g_assert_cmpint(ssh_key_parse_unsigned(&key, ssh_writer_span(&data)), ==, i == 0);
        g_assert_false(ssh_key_parse(&key, ssh_writer_span(&data)));
        g_assert_false(ssh_key_parse_unsigned(&key, ssh_writer_span(&blob)));
    }
    /* Neither a certificate nor part of a key as authority, nor a plain key as unsigned
     * certificate. */
    g_auto(sample_bytes) inner = {0}, outer = {0}, half = {0}, by_half = {0};
    struct ssh_key key;
    sample_write_certificate(&inner, &good);
    sample_key certified = authority;
    certified.blob = inner;
    sample_write_certificate(&outer,
                             &(sample_certificate){&certified, &user, 1, "me", 0, 1, NULL, NULL});
    g_assert_false(ssh_key_parse(&key, ssh_writer_span(&outer)));
    ssh_write_text(&half, "ssh-ed25519-cert-v01@openssh.com");
    ssh_write_string(&half, (struct ssh_span){user.public_key, sizeof user.public_key});
    certified.blob = half;
    sample_write_certificate(&by_half,
                             &(sample_certificate){&certified, &user, 1, "me", 0, 1, NULL, NULL});
    g_assert_false(ssh_key_parse(&key, ssh_writer_span(&by_half)));
    g_assert_false(ssh_key_parse_unsigned(&key, sample_blob(&user)));
}

/* A compressed point, or a point of another curve than that of the type. */
static void invalid_points(void)
{
    const struct {
        const char *curve;
        gsize length;
        guint8 form;
        gboolean good;
    } cases[] = {
        {"nistp256", 65, 4, TRUE},  {"nistp256", 65, 2, FALSE}, {"nistp256", 33, 2, FALSE},
        {"nistp384", 65, 4, FALSE}, {"nistp256", 97, 4, FALSE}, {"", 65, 4, FALSE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(sample_bytes) blob = {0};
        guchar point[97] = {cases[i].form};
        struct ssh_key key;
        ssh_write_text(&blob, "ecdsa-sha2-nistp256");
        ssh_write_text(&blob, cases[i].curve);
        ssh_write_string(&blob, (struct ssh_span){point, cases[i].length});
        g_assert_cmpint(ssh_key_parse(&key, ssh_writer_span(&blob)), ==, cases[i].good);
    }
}

/* The length of a certificate whose only principal has LENGTH letters, and whether it parses. */
static gsize certificate_with(gsize length, gboolean *parses)
{
    g_auto(sample_key) authority, user;
    g_auto(sample_bytes) blob = {0};
    g_autofree char *name = g_strnfill(length, 'n');
    struct ssh_key key;
    sample_key_init(&authority);
    sample_key_init(&user);
    sample_write_certificate(&blob,
                             &(sample_certificate){&authority, &user, 1, name, 0, 1, NULL, NULL});
    *parses = ssh_key_parse(&key, ssh_writer_span(&blob));
    return ssh_writer_span(&blob).length;
}

static void largest(void)
{
    gboolean parses;
    gsize around = certificate_with(1, &parses) - 1;
    g_assert_cmpuint(certificate_with(SSH_KEY_BLOB_MAX - around, &parses), ==, SSH_KEY_BLOB_MAX);
    g_assert_true(parses);
    certificate_with(SSH_KEY_BLOB_MAX - around + 1, &parses);
    g_assert_false(parses);
}

static void decoding(void)
{
    const struct {
        const char *line;
        const char *comment; /* NULL: does not decode */
    } cases[] = {
        {"abc AAAAA2FiYw== a comment", "a comment"},
        {"  abc\tAAAAA2FiYw==", ""},
        {"abc AAAAA2FiYw", NULL},           /* padding is missing */
        {"abc AAAAA2Fi Yw==", NULL},        /* cut */
        {"abd AAAAA2FiYw==", NULL},         /* another type */
        {"abc AAAAA2FiYw==!", NULL},        /* not base64 */
        {"abc AAAAA2FiYwAAAAAAAA==", NULL}, /* longer than the memory */
        {"abc ", NULL},
        {"", NULL},
    };
    guchar memory[8];
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_span blob, comment;
        gboolean good =
            ssh_key_decode(ssh_span_text(cases[i].line), memory, sizeof memory, &blob, &comment);
        g_assert_cmpint(good, ==, cases[i].comment != NULL);
        if (good)
            g_assert_true(ssh_span_equal(comment, ssh_span_text(cases[i].comment)));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-key/openssh-keys-parse", recorded_types);
    g_test_add_func("/ssh-key/malformed-blobs", malformed);
    g_test_add_func("/ssh-key/fingerprints", fingerprints);
    g_test_add_func("/ssh-key/published-fingerprint", published);
    g_test_add_func("/ssh-key/certificates", certificates);
    g_test_add_func("/ssh-key/security-keys", security_keys);
    g_test_add_func("/ssh-key/invalid-rsa-numbers", invalid_rsa);
    g_test_add_func("/ssh-key/invalid-certificates", invalid_certificates);
    g_test_add_func("/ssh-key/invalid-points", invalid_points);
    g_test_add_func("/ssh-key/largest-blob", largest);
    g_test_add_func("/ssh-key/decode-text", decoding);
    return g_test_run();
}
