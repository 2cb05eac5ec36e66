/* The session-bind extension: verification, limits and the check of a login. */
#include "ssh-agent/wire/session_bind.h"

#include "ssh_recorded.h"
#include "ssh_samples.h"

static struct ssh_bindings bindings;

static void end(void)
{
    ssh_bindings_clear(&bindings);
    g_assert_cmpuint(bindings.count, ==, 0);
    g_assert_false(bindings.attempted);
}

static enum ssh_bind_result add(const sample_key *host, struct ssh_span session_id,
                                gboolean forwarding)
{
    g_auto(sample_bytes) contents = {0};
    sample_bind(&contents, host, session_id, forwarding);
    return ssh_bindings_add(&bindings, ssh_writer_span(&contents));
}

/* Binds that OpenSSH sent, with each type of host key and with a host certificate. */
static void recorded_binds(void)
{
    const char *const scenarios[] = {"host-ed25519",  "host-ecdsa256", "host-ecdsa384",
                                     "host-ecdsa521", "host-rsa",      "host-certificate"};
    g_autoptr(GPtrArray) all = recorded_load();
    for (gsize i = 0; i < G_N_ELEMENTS(scenarios); i++) {
        struct ssh_request request = recorded_request(all, scenarios[i], SSH_AGENTC_EXTENSION);
        g_assert_cmpint(request.kind, ==, SSH_REQUEST_BIND);
        g_assert_cmpint(ssh_bindings_add(&bindings, request.contents), ==, SSH_BIND_OK);
        g_assert_true(bindings.attempted && !bindings.bind_refused && !bindings.forwarded);
        end();
    }
}

static void session_ids(void)
{
    g_auto(sample_key) host;
    guchar id[SSH_SESSION_ID_MAX + 1] = {0};
    sample_key_init(&host);
    const struct {
        gsize length;
        enum ssh_bind_result result;
    } cases[] = {{0, SSH_BIND_MALFORMED},
                 {1, SSH_BIND_OK},
                 {SSH_SESSION_ID_MAX, SSH_BIND_OK},
                 {SSH_SESSION_ID_MAX + 1, SSH_BIND_MALFORMED}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(add(&host, (struct ssh_span){id, cases[i].length}, FALSE), ==,
                        cases[i].result);
        end();
    }
}

static void duplicate_and_other_key(void)
{
    g_auto(sample_key) host, other;
    sample_key_init(&host);
    sample_key_init(&other);
    g_assert_cmpint(add(&host, SSH_SPAN("one"), TRUE), ==, SSH_BIND_OK);
    g_assert_cmpint(add(&host, SSH_SPAN("one"), TRUE), ==, SSH_BIND_DUPLICATE);
    g_assert_cmpint(add(&host, SSH_SPAN("two"), TRUE), ==, SSH_BIND_OK);
    g_assert_cmpuint(bindings.count, ==, 2);
    g_assert_false(bindings.bind_refused);
    g_assert_true(bindings.forwarded);
    g_assert_cmpint(add(&other, SSH_SPAN("two"), TRUE), ==, SSH_BIND_OTHER_KEY);
    g_assert_true(bindings.bind_refused);
    g_assert_cmpuint(bindings.count, ==, 2);
    end();
}

/* No bind may follow one for authentication, not even the same one. */
static void after_authentication(void)
{
    g_auto(sample_key) host;
    sample_key_init(&host);
    g_assert_cmpint(add(&host, SSH_SPAN("one"), FALSE), ==, SSH_BIND_OK);
    g_assert_cmpint(add(&host, SSH_SPAN("one"), FALSE), ==, SSH_BIND_AFTER_AUTHENTICATION);
    g_assert_cmpint(add(&host, SSH_SPAN("two"), TRUE), ==, SSH_BIND_AFTER_AUTHENTICATION);
    g_assert_cmpuint(bindings.count, ==, 1);
    end();
}

static void too_many(void)
{
    g_auto(sample_key) host;
    sample_key_init(&host);
    for (guchar i = 0; i <= SSH_BINDINGS_MAX; i++)
        g_assert_cmpint(add(&host, (struct ssh_span){&i, 1}, TRUE), ==,
                        i < SSH_BINDINGS_MAX ? SSH_BIND_OK : SSH_BIND_TOO_MANY);
    g_assert_cmpuint(bindings.count, ==, SSH_BINDINGS_MAX);
    guchar first = 0;
    g_assert_cmpint(add(&host, (struct ssh_span){&first, 1}, TRUE), ==, SSH_BIND_DUPLICATE);
    end();
}

static enum ssh_host_verdict check_login(struct ssh_span session_id, struct ssh_span host_key)
{
    const struct ssh_binding *binding;
    enum ssh_host_verdict verdict =
        ssh_bindings_check_login(&bindings, session_id, host_key, &binding);
    g_assert_cmpint(binding != NULL, ==, verdict == SSH_HOST_VERIFIED);
    g_assert_cmpint(ssh_bindings_check_login(&bindings, session_id, host_key, NULL), ==, verdict);
    return verdict;
}

static void verdicts(void)
{
    g_auto(sample_key) hop, host;
    const struct ssh_span any = {0};
    sample_key_init(&hop);
    sample_key_init(&host);
    g_assert_cmpint(check_login(SSH_SPAN("one"), any), ==, SSH_HOST_UNBOUND);
    g_assert_cmpint(add(&hop, SSH_SPAN("hop"), TRUE), ==, SSH_BIND_OK);
    g_assert_cmpint(check_login(SSH_SPAN("hop"), any), ==, SSH_HOST_MISMATCH); /* not for a login */
    g_assert_cmpint(add(&host, SSH_SPAN("one"), FALSE), ==, SSH_BIND_OK);
    g_assert_cmpint(check_login(SSH_SPAN("one"), any), ==, SSH_HOST_VERIFIED);
    g_assert_cmpint(check_login(SSH_SPAN("one"), sample_blob(&host)), ==, SSH_HOST_VERIFIED);
    g_assert_cmpint(check_login(SSH_SPAN("one"), sample_blob(&hop)), ==, SSH_HOST_MISMATCH);
    g_assert_cmpint(check_login(SSH_SPAN("on"), any), ==, SSH_HOST_MISMATCH);
    g_assert_cmpint(check_login(SSH_SPAN("hop"), any), ==, SSH_HOST_MISMATCH); /* stale */
    g_assert_cmpint(check_login(any, any), ==, SSH_HOST_MISMATCH);
    g_assert_cmpint(add(&host, SSH_SPAN("two"), FALSE), ==, SSH_BIND_AFTER_AUTHENTICATION);
    g_assert_cmpint(check_login(SSH_SPAN("one"), any), ==, SSH_HOST_MISMATCH); /* it lied */
    end();
    g_assert_cmpint(ssh_bindings_add(&bindings, SSH_SPAN("x")), ==, SSH_BIND_MALFORMED);
    g_assert_cmpint(check_login(SSH_SPAN("one"), any), ==, SSH_HOST_MISMATCH);
    end();
}

/* A signature of another key over the same session, or of the host's key over another session. */
static void forged(void)
{
    g_auto(sample_key) host, attacker;
    g_auto(sample_bytes) contents = {0}, replayed = {0};
    sample_key_init(&host);
    sample_key_init(&attacker);
    ssh_write_string(&contents, sample_blob(&host));
    ssh_write_text(&contents, "one");
    sample_sign(&contents, &attacker, SSH_SPAN("one"));
    ssh_write_byte(&contents, 0);
    g_assert_cmpint(ssh_bindings_add(&bindings, ssh_writer_span(&contents)), ==, SSH_BIND_FORGED);
    ssh_write_string(&replayed, sample_blob(&host));
    ssh_write_text(&replayed, "two");
    sample_sign(&replayed, &host, SSH_SPAN("one"));
    ssh_write_byte(&replayed, 1);
    g_assert_cmpint(ssh_bindings_add(&bindings, ssh_writer_span(&replayed)), ==, SSH_BIND_FORGED);
    g_assert_true(bindings.forwarded); /* although the bind was refused */
    g_assert_cmpuint(bindings.count, ==, 0);
    end();
}

/* ssh -A to a host with an unsupported type of key, or with an invalid session identifier. */
static void forwarding_of_malformed_binds(void)
{
    g_auto(sample_bytes) key = {0}, id = {0};
    static const guchar long_id[SSH_SESSION_ID_MAX + 1];
    ssh_write_text(&key, "a key of another kind");
    ssh_write_text(&key, "one");
    ssh_write_text(&key, "a signature of another kind");
    ssh_write_byte(&key, 1);
    g_assert_cmpint(ssh_bindings_add(&bindings, ssh_writer_span(&key)), ==, SSH_BIND_MALFORMED);
    g_assert_true(bindings.forwarded && bindings.bind_refused);
    end();
    ssh_write_text(&id, "");
    ssh_write_string(&id, (struct ssh_span){long_id, sizeof long_id});
    ssh_write_text(&id, "");
    ssh_write_byte(&id, 1);
    g_assert_cmpint(ssh_bindings_add(&bindings, ssh_writer_span(&id)), ==, SSH_BIND_MALFORMED);
    g_assert_true(bindings.forwarded && bindings.bind_refused);
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-session-bind/openssh-binds-verify", recorded_binds);
    g_test_add_func("/ssh-session-bind/session-id-length", session_ids);
    g_test_add_func("/ssh-session-bind/duplicate-and-other-key", duplicate_and_other_key);
    g_test_add_func("/ssh-session-bind/none-after-authentication", after_authentication);
    g_test_add_func("/ssh-session-bind/too-many", too_many);
    g_test_add_func("/ssh-session-bind/login-verdicts", verdicts);
    g_test_add_func("/ssh-session-bind/forged-signatures", forged);
    g_test_add_func("/ssh-session-bind/malformed-binds-still-claim-forwarding",
                    forwarding_of_malformed_binds);
    return g_test_run();
}
