/* Classification of the data in recorded sign requests of OpenSSH. */
#include "ssh-agent/wire/signed_data.h"

#include "ssh-agent/wire/session_bind.h"
#include "ssh_recorded.h"
#include "ssh_samples.h"

static void recorded_classes(void)
{
    const struct {
        const char *scenario;
        enum ssh_data_class class;
        struct ssh_span fact; /* user or namespace */
    } cases[] = {
        {"host-ed25519", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"host-ecdsa256", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"host-rsa", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"host-certificate", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"user-ecdsa256", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"user-ecdsa384", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"user-ecdsa521", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"user-rsa2048", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"user-rsa256", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"user-rsa-sha1", SSH_CLASS_REFUSED, {0}},
        {"unbound", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"agent-certificate", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"agent-certificate-rsa", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"agent-both", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"certificate-file", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"certificate-file-rsa", SSH_CLASS_LOGIN, SSH_SPAN("root")},
        {"sshsig-file", SSH_CLASS_SSHSIG, SSH_SPAN("file")},
        {"sshsig-sha256", SSH_CLASS_SSHSIG, SSH_SPAN("file")},
        {"sshsig-odd", SSH_CLASS_SSHSIG, SSH_SPAN("g\xe2\x80\xaeit\x1b[1m")},
        {"sshsig-ecdsa", SSH_CLASS_SSHSIG, SSH_SPAN("file")},
        {"sshsig-rsa", SSH_CLASS_SSHSIG, SSH_SPAN("file")},
        {"git", SSH_CLASS_SSHSIG, SSH_SPAN("git")},
        {"authority", SSH_CLASS_CERTIFICATE, SSH_SPAN("made up")},
        {"authority-host", SSH_CLASS_CERTIFICATE, SSH_SPAN("host")},
    };
    g_autoptr(GPtrArray) all = recorded_load();
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_request request =
            recorded_request(all, cases[i].scenario, SSH_AGENTC_SIGN_REQUEST);
        struct ssh_signed_data classified;
        ssh_signed_data_classify(&classified, request.key, request.data, request.flags);
        g_assert_cmpint(classified.class, ==, cases[i].class);
        g_assert_cmpint(classified.refusal, ==,
                        cases[i].class ? SSH_REFUSAL_NONE : SSH_REFUSAL_SHA1);
        if (classified.class == SSH_CLASS_LOGIN)
            g_assert_true(ssh_span_equal(classified.login.user, cases[i].fact));
        if (classified.class == SSH_CLASS_SSHSIG)
            g_assert_true(ssh_span_equal(classified.sshsig.name_space, cases[i].fact));
        if (classified.class == SSH_CLASS_CERTIFICATE)
            g_assert_true(ssh_span_equal(classified.certificate.certificate.id, cases[i].fact));
    }
}

/* For each recorded connection: its binds verify the host of its login. */
static void recorded_hosts(void)
{
    const char *const scenarios[] = {"host-ed25519",  "host-ecdsa256",    "host-ecdsa384",
                                     "host-ecdsa521", "host-rsa",         "unbound",
                                     "user-rsa2048",  "host-certificate", "certificate-file"};
    g_autoptr(GPtrArray) all = recorded_load();
    for (gsize i = 0; i < G_N_ELEMENTS(scenarios); i++) {
        struct ssh_request bind = recorded_request(all, scenarios[i], SSH_AGENTC_EXTENSION);
        struct ssh_request sign = recorded_request(all, scenarios[i], SSH_AGENTC_SIGN_REQUEST);
        struct ssh_bindings bindings = {0};
        struct ssh_signed_data classified;
        const struct ssh_login *login = &classified.login;
        ssh_signed_data_classify(&classified, sign.key, sign.data, sign.flags);
        g_assert_cmpint(login->host_bound, ==, !g_str_equal(scenarios[i], "unbound"));
        g_assert_cmpint(
            ssh_bindings_check_login(&bindings, login->session_id, login->host_key, NULL), ==,
            SSH_HOST_UNBOUND);
        g_assert_cmpint(ssh_bindings_add(&bindings, bind.contents), ==, SSH_BIND_OK);
        g_assert_cmpint(
            ssh_bindings_check_login(&bindings, login->session_id, login->host_key, NULL), ==,
            SSH_HOST_VERIFIED);
        ssh_bindings_clear(&bindings);
    }
}

/* ssh -A to a host and from there to another one: two binds, and a login at the second host. */
static void recorded_forwarding(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    struct ssh_bindings bindings = {0};
    guint logins = 0;
    for (guint i = 0; i < all->len; i++) {
        const recorded *one = all->pdata[i];
        struct ssh_request request;
        struct ssh_signed_data classified;
        if (!g_str_equal(one->scenario, "forwarded") || one->kind != 'C')
            continue;
        ssh_request_parse(&request, recorded_span(one));
        if (request.kind == SSH_REQUEST_BIND) {
            if (logins == 1 && bindings.count == 1 && !bindings.forwarded)
                ssh_bindings_clear(&bindings); /* the second connection begins */
            g_assert_cmpint(ssh_bindings_add(&bindings, request.contents), ==, SSH_BIND_OK);
        } else if (request.kind == SSH_REQUEST_SIGN) {
            ssh_signed_data_classify(&classified, request.key, request.data, request.flags);
            g_assert_cmpint(classified.class, ==, SSH_CLASS_LOGIN);
            g_assert_cmpint(ssh_bindings_check_login(&bindings, classified.login.session_id,
                                                     classified.login.host_key, NULL),
                            ==, SSH_HOST_VERIFIED);
            g_assert_cmpint(bindings.forwarded, ==, logins == 1);
            logins++;
        }
    }
    g_assert_cmpuint(logins, ==, 2);
    g_assert_cmpuint(bindings.count, ==, 2);
    ssh_bindings_clear(&bindings);
}

static enum ssh_data_class class_of(struct ssh_span key, struct ssh_span data, guint32 flags)
{
    struct ssh_signed_data classified;
    ssh_signed_data_classify(&classified, key, data, flags);
    return classified.class;
}

static void refused(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    struct ssh_request rsa = recorded_request(all, "user-rsa2048", SSH_AGENTC_SIGN_REQUEST);
    const struct {
        struct ssh_span key;
        guint32 flags;
        enum ssh_refusal refusal;
    } cases[] = {
        {rsa.key, 0, SSH_REFUSAL_SHA1},
        {rsa.key, 1, SSH_REFUSAL_FLAGS},
        {rsa.key, 5, SSH_REFUSAL_FLAGS},
        {{0}, 4, SSH_REFUSAL_KEY},
        {SSH_SPAN("ssh-rsa"), 4, SSH_REFUSAL_KEY},
        {rsa.data, 4, SSH_REFUSAL_KEY},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_signed_data classified;
        ssh_signed_data_classify(&classified, cases[i].key, rsa.data, cases[i].flags);
        g_assert_cmpint(classified.class, ==, SSH_CLASS_REFUSED);
        g_assert_cmpint(classified.refusal, ==, cases[i].refusal);
        g_assert_cmpstr(ssh_refusal_text(classified.refusal), !=, "");
    }
    g_assert_cmpint(class_of(rsa.key, rsa.data, rsa.flags), ==, SSH_CLASS_LOGIN);
    /* The flags ask for another hash than the data names. With both flags it is SHA-256. */
    g_assert_cmpuint(rsa.flags, ==, SSH_FLAG_SHA512);
    g_assert_cmpint(class_of(rsa.key, rsa.data, SSH_FLAG_SHA256), ==, SSH_CLASS_UNKNOWN);
    g_assert_cmpint(class_of(rsa.key, rsa.data, 6), ==, SSH_CLASS_UNKNOWN);
    struct ssh_request sha256 = recorded_request(all, "user-rsa256", SSH_AGENTC_SIGN_REQUEST);
    g_assert_cmpint(class_of(sha256.key, sha256.data, 6), ==, SSH_CLASS_LOGIN);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-signed-data/openssh-requests", recorded_classes);
    g_test_add_func("/ssh-signed-data/openssh-logins-have-verified-hosts", recorded_hosts);
    g_test_add_func("/ssh-signed-data/openssh-forwarding", recorded_forwarding);
    g_test_add_func("/ssh-signed-data/refusals", refused);
    return g_test_run();
}
