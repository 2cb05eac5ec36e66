/* Each rule for classifying the data of a sign request, with constructed requests. */
#include "ssh-agent/wire/signed_data.h"

#include <string.h>

#include "ssh-agent/wire/session_bind.h"
#include "ssh_samples.h"

static enum ssh_data_class class_of(struct ssh_span key, struct ssh_span data, guint32 flags)
{
    struct ssh_signed_data classified;
    ssh_signed_data_classify(&classified, key, data, flags);
    return classified.class;
}

/* Every field of a login except the user has a required value. */
static void login_fields(void)
{
    g_auto(sample_key) key, other;
    guchar long_id[SSH_SESSION_ID_MAX + 1] = {0};
    sample_key_init(&key);
    sample_key_init(&other);
    const sample_login good = sample_login_of(sample_blob(&key));
    sample_login cases[14];
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        cases[i] = good;
    cases[1].user = SSH_SPAN("git\0x\x1b[2J");
    cases[2].user = SSH_SPAN("");
    cases[3].method = SSH_SPAN("publickey-hostbound-v00@openssh.com");
    cases[3].host_key = sample_blob(&other);
    /* The following ones are UNKNOWN. */
    cases[4].session_id = SSH_SPAN("");
    cases[5].session_id = (struct ssh_span){long_id, sizeof long_id};
    cases[6].type = 51;
    cases[7].service = SSH_SPAN("ssh-userauth");
    cases[8].method = SSH_SPAN("hostbased");
    cases[9].has_signature = 2;
    cases[10].algorithm = SSH_SPAN("ssh-rsa");
    cases[11].key = sample_blob(&other);
    cases[12].method = SSH_SPAN("publickey-hostbound-v00@openssh.com");
    cases[13] = cases[3];
    cases[13].host_key = SSH_SPAN("no key");
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(sample_bytes) data = {0};
        struct ssh_signed_data classified;
        sample_write_login(&data, &cases[i]);
        ssh_signed_data_classify(&classified, sample_blob(&key), ssh_writer_span(&data), 0);
        g_assert_cmpint(classified.class, ==, i < 4 ? SSH_CLASS_LOGIN : SSH_CLASS_UNKNOWN);
        g_assert_true(ssh_span_equal(classified.login.user, i < 4 ? cases[i].user : SSH_SPAN("")));
    }
}

/* A certificate in the data and the plain key as signing key, the reverse, and a certificate of a
 * different key. */
static void login_with_certificate(void)
{
    g_auto(sample_key) authority, key, other;
    g_auto(sample_bytes) mine = {0}, theirs = {0}, data = {0}, forged = {0}, reverse = {0};
    sample_key_init(&authority);
    sample_key_init(&key);
    sample_key_init(&other);
    sample_write_certificate(&mine, &(sample_certificate){&authority, &key, SSH_CERTIFICATE_USER,
                                                          "me", 0, 1, NULL, NULL});
    sample_write_certificate(
        &theirs,
        &(sample_certificate){&authority, &other, SSH_CERTIFICATE_USER, "me", 0, 1, NULL, NULL});
    sample_login login = sample_login_of(ssh_writer_span(&mine));
    login.algorithm = SSH_SPAN("ssh-ed25519-cert-v01@openssh.com");
    sample_write_login(&data, &login);
    g_assert_cmpint(class_of(sample_blob(&key), ssh_writer_span(&data), 0), ==, SSH_CLASS_LOGIN);
    g_assert_cmpint(class_of(ssh_writer_span(&mine), ssh_writer_span(&data), 0), ==,
                    SSH_CLASS_LOGIN);
    login.key = ssh_writer_span(&theirs);
    sample_write_login(&forged, &login);
    g_assert_cmpint(class_of(sample_blob(&key), ssh_writer_span(&forged), 0), ==,
                    SSH_CLASS_UNKNOWN);
    login = sample_login_of(ssh_writer_span(&mine)); /* the plain key's algorithm */
    sample_write_login(&reverse, &login);
    g_assert_cmpint(class_of(sample_blob(&key), ssh_writer_span(&reverse), 0), ==,
                    SSH_CLASS_UNKNOWN);
}

/* Writes the key blob of a security key of TYPE. */
static void write_sk(sample_bytes *to, const char *type, const char *application)
{
    static const guchar point[65] = {4, 1};
    gboolean curve = strstr(type, "ecdsa") != NULL;
    ssh_write_text(to, type);
    if (curve)
        ssh_write_text(to, "nistp256");
    ssh_write_string(to, (struct ssh_span){point, curve ? 65 : 32});
    ssh_write_text(to, application);
}

/* The application is part of the key: the same point for another application is another key. */
static void security_keys(void)
{
    static const char *const types[] = {"sk-ssh-ed25519@openssh.com",
                                        "sk-ecdsa-sha2-nistp256@openssh.com"};
    for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
        g_auto(sample_bytes) key = {0}, other = {0};
        write_sk(&key, types[i], "ssh:");
        write_sk(&other, types[i], "ssh:other");
        const sample_login good = {
            .session_id = SSH_SPAN("id"),
            .type = 50,
            .user = SSH_SPAN("git"),
            .service = SSH_SPAN("ssh-connection"),
            .method = SSH_SPAN("publickey"),
            .has_signature = 1,
            .algorithm = ssh_span_text(types[i]),
            .key = ssh_writer_span(&key),
        };
        sample_login cases[] = {good, good, good};
        cases[1].key = ssh_writer_span(&other);
        cases[2].algorithm = ssh_span_text(types[1 - i]);
        for (gsize j = 0; j < G_N_ELEMENTS(cases); j++) {
            g_auto(sample_bytes) data = {0};
            struct ssh_signed_data classified;
            sample_write_login(&data, &cases[j]);
            ssh_signed_data_classify(&classified, ssh_writer_span(&key), ssh_writer_span(&data), 0);
            g_assert_cmpint(classified.class, ==, j == 0 ? SSH_CLASS_LOGIN : SSH_CLASS_UNKNOWN);
            g_assert_true(ssh_key_is_sk(&classified.key));
        }
    }
}

static void sshsig_fields(void)
{
    static const guchar hash[65] = {0};
    const struct {
        struct ssh_span name_space, reserved, hash_name;
        gsize length;
        gboolean good;
    } cases[] = {
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha512"), 64, TRUE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha256"), 32, TRUE},
        {SSH_SPAN("git\0x"), {0}, SSH_SPAN("sha256"), 32, TRUE}, /* not the same as "git" */
        {SSH_SPAN(""), {0}, SSH_SPAN("sha256"), 32, FALSE},
        {SSH_SPAN("git"), SSH_SPAN("x"), SSH_SPAN("sha256"), 32, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha1"), 20, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha512"), 32, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha256"), 64, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha512"), 65, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha256\0"), 32, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN(""), 0, FALSE},
    };
    g_auto(sample_key) key;
    sample_key_init(&key);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(sample_bytes) data = {0};
        struct ssh_signed_data classified;
        ssh_write_raw(&data, SSH_SPAN("SSHSIG"));
        ssh_write_string(&data, cases[i].name_space);
        ssh_write_string(&data, cases[i].reserved);
        ssh_write_string(&data, cases[i].hash_name);
        ssh_write_string(&data, (struct ssh_span){hash, cases[i].length});
        ssh_signed_data_classify(&classified, sample_blob(&key), ssh_writer_span(&data), 0);
        g_assert_cmpint(classified.class, ==, cases[i].good ? SSH_CLASS_SSHSIG : SSH_CLASS_UNKNOWN);
        if (cases[i].good)
            g_assert_true(ssh_span_equal(classified.sshsig.name_space, cases[i].name_space));
    }
}

/* A namespace may be as long as a message allows. */
static void large_namespace(void)
{
    g_auto(sample_key) key;
    g_auto(sample_bytes) data = {0};
    const gsize length = 200000;
    g_autofree guchar *name = g_malloc0(length);
    struct ssh_signed_data classified;
    sample_key_init(&key);
    ssh_write_raw(&data, SSH_SPAN("SSHSIG"));
    ssh_write_string(&data, (struct ssh_span){name, length});
    ssh_write_text(&data, "");
    ssh_write_text(&data, "sha256");
    ssh_write_string(&data, (struct ssh_span){name, 32});
    ssh_signed_data_classify(&classified, sample_blob(&key), ssh_writer_span(&data), 0);
    g_assert_cmpint(classified.class, ==, SSH_CLASS_SSHSIG);
    g_assert_cmpuint(classified.sshsig.name_space.length, ==, length);
}

/* Only an unsigned certificate whose authority is the signing key. A signed one is UNKNOWN. */
static void certificate_authority(void)
{
    g_auto(sample_key) authority, key;
    g_auto(sample_bytes) data = {0}, finished = {0};
    sample_key_init(&authority);
    sample_key_init(&key);
    const sample_certificate from = {&authority, &key, SSH_CERTIFICATE_HOST, "h", 0, 1, NULL, NULL};
    sample_write_unsigned(&data, &from);
    sample_write_certificate(&finished, &from);
    g_assert_cmpint(class_of(sample_blob(&authority), ssh_writer_span(&data), 0), ==,
                    SSH_CLASS_CERTIFICATE);
    g_assert_cmpint(class_of(sample_blob(&key), ssh_writer_span(&data), 0), ==, SSH_CLASS_UNKNOWN);
    g_assert_cmpint(class_of(sample_blob(&authority), ssh_writer_span(&finished), 0), ==,
                    SSH_CLASS_UNKNOWN);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-signed-data/login-fields", login_fields);
    g_test_add_func("/ssh-signed-data/login-with-certificate", login_with_certificate);
    g_test_add_func("/ssh-signed-data/login-with-security-key", security_keys);
    g_test_add_func("/ssh-signed-data/sshsig-fields", sshsig_fields);
    g_test_add_func("/ssh-signed-data/sshsig-large-namespace", large_namespace);
    g_test_add_func("/ssh-signed-data/certificate-authority", certificate_authority);
    return g_test_run();
}
