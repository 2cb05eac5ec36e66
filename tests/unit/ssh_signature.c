/* Signature algorithms, and verification of signatures and certificates. */
#include "ssh-agent/wire/signature.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "ssh-agent/wire/known_hosts.h"
#include "ssh_recorded.h"
#include "ssh_samples.h"

#define NOW 1700000000

static struct ssh_key key_of(enum ssh_key_type type)
{
    return (struct ssh_key){.type = type};
}

static void flags(void)
{
    const struct {
        enum ssh_key_type type;
        guint32 flags;
        enum ssh_algorithm algorithm;
    } cases[] = {
        {SSH_KEY_RSA, 0, SSH_ALGORITHM_NONE},
        {SSH_KEY_RSA, 1, SSH_ALGORITHM_NONE},
        {SSH_KEY_RSA, 2, SSH_ALGORITHM_RSA_SHA256},
        {SSH_KEY_RSA, 4, SSH_ALGORITHM_RSA_SHA512},
        {SSH_KEY_RSA, 6, SSH_ALGORITHM_RSA_SHA256},
        {SSH_KEY_RSA, 3, SSH_ALGORITHM_NONE},
        {SSH_KEY_RSA, 0x80000002, SSH_ALGORITHM_NONE},
        {SSH_KEY_ED25519, 0, SSH_ALGORITHM_ED25519},
        {SSH_KEY_ED25519, 4, SSH_ALGORITHM_ED25519},
        {SSH_KEY_ED25519, 8, SSH_ALGORITHM_NONE},
        {SSH_KEY_ECDSA_256, 0, SSH_ALGORITHM_ECDSA_256},
        {SSH_KEY_ECDSA_384, 0, SSH_ALGORITHM_ECDSA_384},
        {SSH_KEY_ECDSA_521, 2, SSH_ALGORITHM_ECDSA_521},
        {SSH_KEY_SK_ED25519, 0, SSH_ALGORITHM_SK_ED25519},
        {SSH_KEY_SK_ECDSA, 0, SSH_ALGORITHM_SK_ECDSA},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_key key = key_of(cases[i].type);
        enum ssh_algorithm algorithm = ssh_algorithm_for(&key, cases[i].flags);
        g_assert_cmpint(algorithm, ==, cases[i].algorithm);
        g_assert_cmpint(ssh_algorithm_fits(algorithm, &key), ==, algorithm != SSH_ALGORITHM_NONE);
    }
}

static void names(void)
{
    struct ssh_key rsa = key_of(SSH_KEY_RSA), ed25519 = key_of(SSH_KEY_ED25519);
    for (int i = SSH_ALGORITHM_NONE + 1; i < SSH_ALGORITHMS; i++) {
        const char *name = ssh_algorithm_name((enum ssh_algorithm)i);
        g_assert_cmpint(ssh_algorithm_by_name(ssh_span_text(name)), ==, i);
    }
    g_assert_cmpint(ssh_algorithm_by_name(SSH_SPAN("ssh-rsa")), ==, SSH_ALGORITHM_NONE);
    g_assert_cmpint(ssh_algorithm_by_name(SSH_SPAN("")), ==, SSH_ALGORITHM_NONE);
    g_assert_true(
        ssh_algorithm_is_userauth_name(SSH_ALGORITHM_RSA_SHA256, &rsa, SSH_SPAN("rsa-sha2-256")));
    g_assert_false(
        ssh_algorithm_is_userauth_name(SSH_ALGORITHM_RSA_SHA256, &rsa, SSH_SPAN("rsa-sha2-512")));
    g_assert_false(
        ssh_algorithm_is_userauth_name(SSH_ALGORITHM_RSA_SHA256, &rsa, SSH_SPAN("ssh-rsa")));
    g_assert_false(
        ssh_algorithm_is_userauth_name(SSH_ALGORITHM_ED25519, &rsa, SSH_SPAN("ssh-ed25519")));
    rsa.is_certificate = ed25519.is_certificate = true;
    g_assert_true(ssh_algorithm_is_userauth_name(SSH_ALGORITHM_RSA_SHA512, &rsa,
                                                 SSH_SPAN("rsa-sha2-512-cert-v01@openssh.com")));
    g_assert_false(
        ssh_algorithm_is_userauth_name(SSH_ALGORITHM_RSA_SHA512, &rsa, SSH_SPAN("rsa-sha2-512")));
    g_assert_true(ssh_algorithm_is_userauth_name(SSH_ALGORITHM_ED25519, &ed25519,
                                                 SSH_SPAN("ssh-ed25519-cert-v01@openssh.com")));
}

/* Signatures of OpenSSH's agent verify, and do not after a bit was flipped. */
static void recorded_signatures(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    guint seen = 0;
    for (guint i = 0; i + 1 < all->len; i++) {
        const recorded *one = all->pdata[i], *answer = all->pdata[i + 1];
        struct ssh_request request;
        struct ssh_reply reply;
        struct ssh_key key;
        if (one->kind != 'C' || one->data[0] != SSH_AGENTC_SIGN_REQUEST)
            continue;
        ssh_request_parse(&request, recorded_span(one));
        g_assert_cmpint(ssh_reply_parse(&reply, SSH_AGENTC_SIGN_REQUEST, recorded_span(answer)), ==,
                        SSH_REPLY_OK);
        g_assert_true(ssh_key_parse(&key, request.key));
        gboolean sha1 = g_str_equal(one->scenario, "user-rsa-sha1");
        g_assert_cmpint(ssh_signature_verify(&key, reply.signature, request.data), ==, !sha1);
        guchar *last = (guchar *)reply.signature.data + reply.signature.length - 1;
        *last ^= 1;
        g_assert_false(ssh_signature_verify(&key, reply.signature, request.data));
        *last ^= 1;
        request.data.length--;
        g_assert_false(ssh_signature_verify(&key, reply.signature, request.data));
        seen++;
    }
    g_assert_cmpuint(seen, >, 25);
}

/* Writing the fields of a parsed signature produces the same blob. */
static void round_trip(void)
{
    const char *const scenarios[] = {"host-ed25519", "user-ecdsa256", "user-ecdsa384",
                                     "user-ecdsa521", "user-rsa2048"};
    g_autoptr(GPtrArray) all = recorded_load();
    for (gsize i = 0; i < G_N_ELEMENTS(scenarios); i++) {
        struct ssh_reply reply;
        struct ssh_signature parsed;
        g_auto(sample_bytes) again = {0}, longer = {0};
        ssh_reply_parse(&reply, SSH_AGENTC_SIGN_REQUEST,
                        recorded_find(all, scenarios[i], 'A', SSH_AGENT_SIGN_RESPONSE));
        g_assert_true(ssh_signature_parse(&parsed, reply.signature));
        if (parsed.r.length > 0)
            ssh_signature_write_ecdsa(&again, parsed.algorithm, parsed.r, parsed.s);
        else
            ssh_signature_write(&again, parsed.algorithm, parsed.raw);
        g_assert_true(ssh_span_equal(ssh_writer_span(&again), reply.signature));
        ssh_write_raw(&longer, reply.signature);
        ssh_write_byte(&longer, 0);
        g_assert_false(ssh_signature_parse(&parsed, ssh_writer_span(&longer)));
        for (gsize length = 0; length < reply.signature.length; length++)
            g_assert_false(
                ssh_signature_parse(&parsed, (struct ssh_span){reply.signature.data, length}));
    }
}

static void malformed_signatures(void)
{
    g_auto(sample_bytes) sk = {0}, sha1 = {0}, ecdsa = {0};
    struct ssh_signature parsed;
    guchar raw[64] = {1};
    const struct ssh_span span = {raw, sizeof raw};
    ssh_signature_write(&sk, SSH_ALGORITHM_SK_ED25519, span);
    g_assert_false(ssh_signature_parse(&parsed, ssh_writer_span(&sk)));
    ssh_write_byte(&sk, 5);
    ssh_write_u32(&sk, 17);
    g_assert_true(ssh_signature_parse(&parsed, ssh_writer_span(&sk)));
    g_assert_cmpuint(parsed.sk_flags, ==, 5);
    g_assert_cmpuint(parsed.sk_counter, ==, 17);
    ssh_write_text(&sha1, "ssh-rsa");
    ssh_write_string(&sha1, span);
    g_assert_false(ssh_signature_parse(&parsed, ssh_writer_span(&sha1)));
    ssh_signature_write_ecdsa(&ecdsa, SSH_ALGORITHM_ECDSA_256, SSH_SPAN("\1"), SSH_SPAN("\0"));
    g_assert_false(ssh_signature_parse(&parsed, ssh_writer_span(&ecdsa)));
}

/* A valid signature with another length, trailing bytes or another algorithm name. */
static void altered_signatures(void)
{
    g_auto(sample_key) key;
    g_auto(sample_bytes) good = {0}, renamed = {0}, ecdsa = {0};
    struct ssh_signature parsed;
    struct ssh_key parsed_key;
    struct ssh_span blob;
    guchar raw[65] = {1};
    sample_key_init(&key);
    sample_sign(&good, &key, SSH_SPAN("data"));
    struct ssh_reader reader = ssh_reader_of(ssh_writer_span(&good));
    g_assert_true(ssh_key_parse(&parsed_key, sample_blob(&key)));
    g_assert_true(ssh_read_string(&reader, &blob) && ssh_signature_parse(&parsed, blob));
    g_assert_true(ssh_signature_verify(&parsed_key, blob, SSH_SPAN("data")));
    ssh_signature_write(&renamed, SSH_ALGORITHM_RSA_SHA256, parsed.raw);
    g_assert_false(ssh_signature_verify(&parsed_key, ssh_writer_span(&renamed), SSH_SPAN("data")));
    for (gsize length = 63; length <= sizeof raw; length++) {
        g_auto(sample_bytes) one = {0};
        ssh_signature_write(&one, SSH_ALGORITHM_ED25519, (struct ssh_span){raw, length});
        g_assert_cmpint(ssh_signature_parse(&parsed, ssh_writer_span(&one)), ==, length == 64);
    }
    ssh_signature_write(&ecdsa, SSH_ALGORITHM_ECDSA_256, SSH_SPAN("\0\0\0\1\1\0\0\0\1\1x"));
    g_assert_false(ssh_signature_parse(&parsed, ssh_writer_span(&ecdsa)));
}

/* Writes the public key blob of an OpenSSL key. */
static void write_rsa(sample_bytes *to, EVP_PKEY *pair)
{
    guchar e[8], n[256];
    BIGNUM *number = NULL;
    ssh_write_text(to, "ssh-rsa");
    g_assert_cmpint(EVP_PKEY_get_bn_param(pair, OSSL_PKEY_PARAM_RSA_E, &number), ==, 1);
    ssh_write_mpint(to, (struct ssh_span){e, (gsize)BN_bn2bin(number, e)});
    g_assert_cmpint(EVP_PKEY_get_bn_param(pair, OSSL_PKEY_PARAM_RSA_N, &number), ==, 1);
    ssh_write_mpint(to, (struct ssh_span){n, (gsize)BN_bn2bin(number, n)});
    BN_free(number);
}

/* Signs numbers until a signature starts with a zero byte, as one in 256 does; returns the number.
 */
static guint32 sign_short(EVP_PKEY *pair, guchar *raw, size_t length)
{
    guint32 number = 0;
    do {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        number++;
        g_assert_cmpint(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, pair), ==, 1);
        g_assert_cmpint(EVP_DigestSign(context, raw, &length, (guchar *)&number, sizeof number), ==,
                        1);
        EVP_MD_CTX_free(context);
    } while (raw[0] != 0);
    return number;
}

/* Signatures without leading zeros verify; too long ones do not. */
static void short_rsa(void)
{
    EVP_PKEY *pair = EVP_RSA_gen(1024);
    g_auto(sample_bytes) blob = {0}, whole = {0}, few = {0}, many = {0};
    guchar raw[1 + 128] = {0};
    struct ssh_key key;
    write_rsa(&blob, pair);
    g_assert_true(ssh_key_parse(&key, ssh_writer_span(&blob)));
    guint32 number = sign_short(pair, raw + 1, sizeof raw - 1);
    const struct ssh_span data = {(guchar *)&number, sizeof number};
    ssh_signature_write(&whole, SSH_ALGORITHM_RSA_SHA256, (struct ssh_span){raw + 1, 128});
    ssh_signature_write(&few, SSH_ALGORITHM_RSA_SHA256, (struct ssh_span){raw + 2, 127});
    ssh_signature_write(&many, SSH_ALGORITHM_RSA_SHA256, (struct ssh_span){raw, 129});
    g_assert_true(ssh_signature_verify(&key, ssh_writer_span(&whole), data));
    g_assert_true(ssh_signature_verify(&key, ssh_writer_span(&few), data));
    g_assert_false(ssh_signature_verify(&key, ssh_writer_span(&many), data));
    EVP_PKEY_free(pair);
}

static void certificates(void)
{
    g_auto(sample_key) authority, host;
    sample_key_init(&authority);
    sample_key_init(&host);
    const sample_certificate good = {&authority, &host, SSH_CERTIFICATE_HOST, "h", NOW - 1, NOW + 1,
                                     NULL,       NULL};
    const struct {
        guint32 kind;
        guint64 after, before;
        const char *option;
        gboolean valid;
    } cases[] = {
        {SSH_CERTIFICATE_HOST, NOW - 1, NOW + 1, NULL, TRUE},
        {SSH_CERTIFICATE_HOST, 0, G_MAXUINT64, NULL, TRUE},
        {SSH_CERTIFICATE_USER, NOW - 1, NOW + 1, NULL, FALSE},
        {SSH_CERTIFICATE_HOST, NOW + 1, NOW + 2, NULL, FALSE},
        {SSH_CERTIFICATE_HOST, NOW - 2, NOW, NULL, FALSE},
        {SSH_CERTIFICATE_HOST, NOW - 1, NOW + 1, "unknown", FALSE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(sample_bytes) blob = {0};
        struct ssh_key key;
        sample_certificate one = good;
        one.kind = cases[i].kind;
        one.valid_after = cases[i].after;
        one.valid_before = cases[i].before;
        one.option = cases[i].option;
        sample_write_certificate(&blob, &one);
        g_assert_true(ssh_key_parse(&key, ssh_writer_span(&blob)));
        g_assert_cmpint(ssh_certificate_verify(&key, SSH_CERTIFICATE_HOST, NOW), ==,
                        cases[i].valid);
    }
    struct ssh_key plain;
    g_assert_true(ssh_key_parse(&plain, sample_blob(&host)));
    g_assert_false(ssh_certificate_verify(&plain, SSH_CERTIFICATE_HOST, NOW));
}

/* A certificate that names the CA but is signed by another key. */
static void forged_certificate(void)
{
    g_auto(sample_key) authority, attacker, host;
    g_auto(sample_bytes) blob = {0}, data = {0};
    struct ssh_key key;
    sample_key_init(&authority);
    sample_key_init(&attacker);
    sample_key_init(&host);
    sample_write_unsigned(&data, &(sample_certificate){&authority, &host, SSH_CERTIFICATE_HOST, "h",
                                                       0, G_MAXUINT64, NULL, NULL});
    ssh_write_raw(&blob, ssh_writer_span(&data));
    sample_sign(&blob, &attacker, ssh_writer_span(&data));
    g_assert_true(ssh_key_parse(&key, ssh_writer_span(&blob)));
    g_assert_false(ssh_certificate_verify(&key, SSH_CERTIFICATE_HOST, NOW));
}

/* A host certificate made by OpenSSH verifies. */
static void recorded_certificate(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    struct ssh_reader reader =
        ssh_reader_of(recorded_request(all, "host-certificate", SSH_AGENTC_EXTENSION).contents);
    struct ssh_span blob;
    struct ssh_key key;
    g_assert_true(ssh_read_string(&reader, &blob) && ssh_key_parse(&key, blob));
    g_assert_true(ssh_certificate_verify(&key, SSH_CERTIFICATE_HOST, NOW));
    g_assert_false(ssh_certificate_verify(&key, SSH_CERTIFICATE_USER, NOW));
}

static void hashed_names(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    struct ssh_span text = recorded_find(all, "known-hosts", 'T', 0);
    const guchar *blank = memchr(text.data, ' ', text.length);
    struct ssh_span hashed = {text.data, (gsize)(blank - text.data)};
    g_assert_true(ssh_known_hosts_hash_matches(hashed, SSH_SPAN("[127.0.0.1]:40121")));
    g_assert_false(ssh_known_hosts_hash_matches(hashed, SSH_SPAN("[127.0.0.1]:40122")));
    g_assert_false(ssh_known_hosts_hash_matches(hashed, SSH_SPAN("127.0.0.1")));
    for (gsize length = 0; length < hashed.length; length++)
        g_assert_false(ssh_known_hosts_hash_matches((struct ssh_span){hashed.data, length},
                                                    SSH_SPAN("[127.0.0.1]:40121")));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-signature/algorithm-for-flags", flags);
    g_test_add_func("/ssh-signature/algorithm-names", names);
    g_test_add_func("/ssh-signature/openssh-signatures-verify", recorded_signatures);
    g_test_add_func("/ssh-signature/round-trip", round_trip);
    g_test_add_func("/ssh-signature/malformed", malformed_signatures);
    g_test_add_func("/ssh-signature/altered", altered_signatures);
    g_test_add_func("/ssh-signature/rsa-without-leading-zeros", short_rsa);
    g_test_add_func("/ssh-signature/certificates", certificates);
    g_test_add_func("/ssh-signature/forged-certificate", forged_certificate);
    g_test_add_func("/ssh-signature/openssh-certificate-verifies", recorded_certificate);
    g_test_add_func("/ssh-signature/hashed-host-names", hashed_names);
    return g_test_run();
}
