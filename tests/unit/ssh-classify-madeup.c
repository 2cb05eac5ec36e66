/* What one is asked to sign, made up: each rule of each class on its own. */
#include "ssh-agent/wire/classify.h"

#include <string.h>

#include "ssh-agent/wire/bind.h"
#include "ssh-madeup.h"

static enum ssh_class class_of(struct ssh_span key, struct ssh_span data, guint32 flags)
{
    struct ssh_facts facts;
    ssh_classify(&facts, key, data, flags);
    return facts.class;
}

/* Each part of a login but the user must be as it is. */
static void made_up_logins(void)
{
    g_auto(madeup_key) key, other;
    guchar long_id[SSH_SESSION_ID_MAX + 1] = {0};
    madeup_key_init(&key);
    madeup_key_init(&other);
    const madeup_login good = madeup_login_of(madeup_blob(&key));
    madeup_login cases[14];
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        cases[i] = good;
    cases[1].user = SSH_SPAN("git\0x\x1b[2J");
    cases[2].user = SSH_SPAN("");
    cases[3].method = SSH_SPAN("publickey-hostbound-v00@openssh.com");
    cases[3].host_key = madeup_blob(&other);
    /* From here on unknown. */
    cases[4].session_id = SSH_SPAN("");
    cases[5].session_id = (struct ssh_span){long_id, sizeof long_id};
    cases[6].type = 51;
    cases[7].service = SSH_SPAN("ssh-userauth");
    cases[8].method = SSH_SPAN("hostbased");
    cases[9].has_signature = 2;
    cases[10].algorithm = SSH_SPAN("ssh-rsa");
    cases[11].key = madeup_blob(&other);
    cases[12].method = SSH_SPAN("publickey-hostbound-v00@openssh.com");
    cases[13] = cases[3];
    cases[13].host_key = SSH_SPAN("no key");
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(madeup_bytes) data = {0};
        struct ssh_facts facts;
        madeup_write_login(&data, &cases[i]);
        ssh_classify(&facts, madeup_blob(&key), ssh_writer_span(&data), 0);
        g_assert_cmpint(facts.class, ==, i < 4 ? SSH_CLASS_LOGIN : SSH_CLASS_UNKNOWN);
        g_assert_true(ssh_span_equal(facts.login.user, i < 4 ? cases[i].user : SSH_SPAN("")));
    }
}

/* The certificate trap, both ways, and its forgery: a certificate of somebody else's key. */
static void certificate_trap(void)
{
    g_auto(madeup_key) authority, key, other;
    g_auto(madeup_bytes) mine = {0}, theirs = {0}, data = {0}, forged = {0}, reverse = {0};
    madeup_key_init(&authority);
    madeup_key_init(&key);
    madeup_key_init(&other);
    madeup_write_certificate(&mine, &(madeup_certificate){&authority, &key, SSH_CERTIFICATE_USER,
                                                          "me", 0, 1, NULL, NULL});
    madeup_write_certificate(
        &theirs,
        &(madeup_certificate){&authority, &other, SSH_CERTIFICATE_USER, "me", 0, 1, NULL, NULL});
    madeup_login login = madeup_login_of(ssh_writer_span(&mine));
    login.algorithm = SSH_SPAN("ssh-ed25519-cert-v01@openssh.com");
    madeup_write_login(&data, &login);
    g_assert_cmpint(class_of(madeup_blob(&key), ssh_writer_span(&data), 0), ==, SSH_CLASS_LOGIN);
    g_assert_cmpint(class_of(ssh_writer_span(&mine), ssh_writer_span(&data), 0), ==,
                    SSH_CLASS_LOGIN);
    login.key = ssh_writer_span(&theirs);
    madeup_write_login(&forged, &login);
    g_assert_cmpint(class_of(madeup_blob(&key), ssh_writer_span(&forged), 0), ==,
                    SSH_CLASS_UNKNOWN);
    login = madeup_login_of(ssh_writer_span(&mine)); /* the plain key's algorithm */
    madeup_write_login(&reverse, &login);
    g_assert_cmpint(class_of(madeup_blob(&key), ssh_writer_span(&reverse), 0), ==,
                    SSH_CLASS_UNKNOWN);
}

/* A key of a security key, on the curve that TYPE names. */
static void write_sk(madeup_bytes *to, const char *type, const char *application)
{
    static const guchar point[65] = {4, 1};
    gboolean curve = strstr(type, "ecdsa") != NULL;
    ssh_write_text(to, type);
    if (curve)
        ssh_write_text(to, "nistp256");
    ssh_write_string(to, (struct ssh_span){point, curve ? 65 : 32});
    ssh_write_text(to, application);
}

/* Its application is part of the key: the same point for another site is another key. */
static void security_keys(void)
{
    static const char *const types[] = {"sk-ssh-ed25519@openssh.com",
                                        "sk-ecdsa-sha2-nistp256@openssh.com"};
    for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
        g_auto(madeup_bytes) key = {0}, other = {0};
        write_sk(&key, types[i], "ssh:");
        write_sk(&other, types[i], "ssh:other");
        const madeup_login good = {
            .session_id = SSH_SPAN("id"),
            .type = 50,
            .user = SSH_SPAN("git"),
            .service = SSH_SPAN("ssh-connection"),
            .method = SSH_SPAN("publickey"),
            .has_signature = 1,
            .algorithm = ssh_span_text(types[i]),
            .key = ssh_writer_span(&key),
        };
        madeup_login cases[] = {good, good, good};
        cases[1].key = ssh_writer_span(&other);
        cases[2].algorithm = ssh_span_text(types[1 - i]);
        for (gsize j = 0; j < G_N_ELEMENTS(cases); j++) {
            g_auto(madeup_bytes) data = {0};
            struct ssh_facts facts;
            madeup_write_login(&data, &cases[j]);
            ssh_classify(&facts, ssh_writer_span(&key), ssh_writer_span(&data), 0);
            g_assert_cmpint(facts.class, ==, j == 0 ? SSH_CLASS_LOGIN : SSH_CLASS_UNKNOWN);
            g_assert_true(ssh_key_is_sk(&facts.key));
        }
    }
}

static void made_up_sshsigs(void)
{
    static const guchar hash[65] = {0};
    const struct {
        struct ssh_span name_space, reserved, hash_name;
        gsize length;
        gboolean good;
    } cases[] = {
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha512"), 64, TRUE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha256"), 32, TRUE},
        {SSH_SPAN("git\0x"), {0}, SSH_SPAN("sha256"), 32, TRUE}, /* a fact, not "git" */
        {SSH_SPAN(""), {0}, SSH_SPAN("sha256"), 32, FALSE},
        {SSH_SPAN("git"), SSH_SPAN("x"), SSH_SPAN("sha256"), 32, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha1"), 20, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha512"), 32, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha256"), 64, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha512"), 65, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN("sha256\0"), 32, FALSE},
        {SSH_SPAN("git"), {0}, SSH_SPAN(""), 0, FALSE},
    };
    g_auto(madeup_key) key;
    madeup_key_init(&key);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(madeup_bytes) data = {0};
        struct ssh_facts facts;
        ssh_write_raw(&data, SSH_SPAN("SSHSIG"));
        ssh_write_string(&data, cases[i].name_space);
        ssh_write_string(&data, cases[i].reserved);
        ssh_write_string(&data, cases[i].hash_name);
        ssh_write_string(&data, (struct ssh_span){hash, cases[i].length});
        ssh_classify(&facts, madeup_blob(&key), ssh_writer_span(&data), 0);
        g_assert_cmpint(facts.class, ==, cases[i].good ? SSH_CLASS_SSHSIG : SSH_CLASS_UNKNOWN);
        if (cases[i].good)
            g_assert_true(ssh_span_equal(facts.sshsig.name_space, cases[i].name_space));
    }
}

/* A namespace as long as a message may be is a fact like any other. */
static void large_namespace(void)
{
    g_auto(madeup_key) key;
    g_auto(madeup_bytes) data = {0};
    const gsize length = 200000;
    g_autofree guchar *name = g_malloc0(length);
    struct ssh_facts facts;
    madeup_key_init(&key);
    ssh_write_raw(&data, SSH_SPAN("SSHSIG"));
    ssh_write_string(&data, (struct ssh_span){name, length});
    ssh_write_text(&data, "");
    ssh_write_text(&data, "sha256");
    ssh_write_string(&data, (struct ssh_span){name, 32});
    ssh_classify(&facts, madeup_blob(&key), ssh_writer_span(&data), 0);
    g_assert_cmpint(facts.class, ==, SSH_CLASS_SSHSIG);
    g_assert_cmpuint(facts.sshsig.name_space.length, ==, length);
}

/* Only a certificate that this key itself would issue; a finished one is no such thing. */
static void certificate_authority(void)
{
    g_auto(madeup_key) authority, key;
    g_auto(madeup_bytes) data = {0}, finished = {0};
    madeup_key_init(&authority);
    madeup_key_init(&key);
    const madeup_certificate from = {&authority, &key, SSH_CERTIFICATE_HOST, "h", 0, 1, NULL, NULL};
    madeup_write_unsigned(&data, &from);
    madeup_write_certificate(&finished, &from);
    g_assert_cmpint(class_of(madeup_blob(&authority), ssh_writer_span(&data), 0), ==,
                    SSH_CLASS_CERTIFICATE);
    g_assert_cmpint(class_of(madeup_blob(&key), ssh_writer_span(&data), 0), ==, SSH_CLASS_UNKNOWN);
    g_assert_cmpint(class_of(madeup_blob(&authority), ssh_writer_span(&finished), 0), ==,
                    SSH_CLASS_UNKNOWN);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-classify-madeup/logins", made_up_logins);
    g_test_add_func("/ssh-classify-madeup/certificate-trap", certificate_trap);
    g_test_add_func("/ssh-classify-madeup/security-keys", security_keys);
    g_test_add_func("/ssh-classify-madeup/sshsigs", made_up_sshsigs);
    g_test_add_func("/ssh-classify-madeup/large-namespace", large_namespace);
    g_test_add_func("/ssh-classify-madeup/authority", certificate_authority);
    return g_test_run();
}
