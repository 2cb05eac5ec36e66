/* session-bind: what verifies, what is remembered, what a connection may claim. */
#include "ssh-agent/wire/bind.h"

#include "ssh-madeup.h"
#include "ssh-recorded.h"

static struct ssh_bindings bindings;

static void end(void)
{
    ssh_bindings_clear(&bindings);
    g_assert_cmpuint(bindings.count, ==, 0);
    g_assert_false(bindings.attempted);
}

static enum ssh_bind_result add(const madeup_key *host, struct ssh_span session_id,
                                gboolean forwarding)
{
    g_auto(madeup_bytes) contents = {0};
    madeup_bind(&contents, host, session_id, forwarding);
    return ssh_bindings_add(&bindings, ssh_writer_span(&contents));
}

/* Host keys of each type, and a host certificate, as OpenSSH sent them. */
static void recorded_binds(void)
{
    const char *const scenarios[] = {"host-ed25519",  "host-ecdsa256", "host-ecdsa384",
                                     "host-ecdsa521", "host-rsa",      "host-certificate"};
    g_autoptr(GPtrArray) all = recorded_load();
    for (gsize i = 0; i < G_N_ELEMENTS(scenarios); i++) {
        struct ssh_request request = recorded_request(all, scenarios[i], SSH_AGENT_EXTENSION);
        g_assert_cmpint(request.kind, ==, SSH_REQUEST_BIND);
        g_assert_cmpint(ssh_bindings_add(&bindings, request.contents), ==, SSH_BIND_OK);
        g_assert_true(bindings.attempted && !bindings.lied && !bindings.forwarded);
        end();
    }
}

static void session_ids(void)
{
    g_auto(madeup_key) host;
    guchar id[SSH_SESSION_ID_MAX + 1] = {0};
    madeup_key_init(&host);
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

static void again_and_other(void)
{
    g_auto(madeup_key) host, other;
    madeup_key_init(&host);
    madeup_key_init(&other);
    g_assert_cmpint(add(&host, SSH_SPAN("one"), TRUE), ==, SSH_BIND_OK);
    g_assert_cmpint(add(&host, SSH_SPAN("one"), TRUE), ==, SSH_BIND_AGAIN);
    g_assert_cmpint(add(&host, SSH_SPAN("two"), TRUE), ==, SSH_BIND_OK);
    g_assert_cmpuint(bindings.count, ==, 2);
    g_assert_false(bindings.lied);
    g_assert_true(bindings.forwarded);
    g_assert_cmpint(add(&other, SSH_SPAN("two"), TRUE), ==, SSH_BIND_OTHER_KEY);
    g_assert_true(bindings.lied);
    g_assert_cmpuint(bindings.count, ==, 2);
    end();
}

/* After a bind for authentication there is none, not even the same. */
static void late(void)
{
    g_auto(madeup_key) host;
    madeup_key_init(&host);
    g_assert_cmpint(add(&host, SSH_SPAN("one"), FALSE), ==, SSH_BIND_OK);
    g_assert_cmpint(add(&host, SSH_SPAN("one"), FALSE), ==, SSH_BIND_LATE);
    g_assert_cmpint(add(&host, SSH_SPAN("two"), TRUE), ==, SSH_BIND_LATE);
    g_assert_cmpuint(bindings.count, ==, 1);
    end();
}

static void seventeenth(void)
{
    g_auto(madeup_key) host;
    madeup_key_init(&host);
    for (guchar i = 0; i <= SSH_BINDINGS_MAX; i++)
        g_assert_cmpint(add(&host, (struct ssh_span){&i, 1}, TRUE), ==,
                        i < SSH_BINDINGS_MAX ? SSH_BIND_OK : SSH_BIND_TOO_MANY);
    g_assert_cmpuint(bindings.count, ==, SSH_BINDINGS_MAX);
    guchar first = 0;
    g_assert_cmpint(add(&host, (struct ssh_span){&first, 1}, TRUE), ==, SSH_BIND_AGAIN);
    end();
}

static enum ssh_host_verdict judge(struct ssh_span session_id, struct ssh_span host_key)
{
    const struct ssh_binding *binding;
    enum ssh_host_verdict verdict = ssh_bindings_judge(&bindings, session_id, host_key, &binding);
    g_assert_cmpint(binding != NULL, ==, verdict == SSH_HOST_VERIFIED);
    g_assert_cmpint(ssh_bindings_judge(&bindings, session_id, host_key, NULL), ==, verdict);
    return verdict;
}

static void verdicts(void)
{
    g_auto(madeup_key) hop, host;
    const struct ssh_span any = {0};
    madeup_key_init(&hop);
    madeup_key_init(&host);
    g_assert_cmpint(judge(SSH_SPAN("one"), any), ==, SSH_HOST_UNBOUND);
    g_assert_cmpint(add(&hop, SSH_SPAN("hop"), TRUE), ==, SSH_BIND_OK);
    g_assert_cmpint(judge(SSH_SPAN("hop"), any), ==, SSH_HOST_MISMATCH); /* not for a login */
    g_assert_cmpint(add(&host, SSH_SPAN("one"), FALSE), ==, SSH_BIND_OK);
    g_assert_cmpint(judge(SSH_SPAN("one"), any), ==, SSH_HOST_VERIFIED);
    g_assert_cmpint(judge(SSH_SPAN("one"), madeup_blob(&host)), ==, SSH_HOST_VERIFIED);
    g_assert_cmpint(judge(SSH_SPAN("one"), madeup_blob(&hop)), ==, SSH_HOST_MISMATCH);
    g_assert_cmpint(judge(SSH_SPAN("on"), any), ==, SSH_HOST_MISMATCH);
    g_assert_cmpint(judge(SSH_SPAN("hop"), any), ==, SSH_HOST_MISMATCH); /* stale */
    g_assert_cmpint(judge(any, any), ==, SSH_HOST_MISMATCH);
    g_assert_cmpint(add(&host, SSH_SPAN("two"), FALSE), ==, SSH_BIND_LATE);
    g_assert_cmpint(judge(SSH_SPAN("one"), any), ==, SSH_HOST_MISMATCH); /* it lied */
    end();
    g_assert_cmpint(ssh_bindings_add(&bindings, SSH_SPAN("x")), ==, SSH_BIND_MALFORMED);
    g_assert_cmpint(judge(SSH_SPAN("one"), any), ==, SSH_HOST_MISMATCH);
    end();
}

/* Somebody else's signature over the same session, or this host's over another one. */
static void forged(void)
{
    g_auto(madeup_key) host, liar;
    g_auto(madeup_bytes) contents = {0}, replayed = {0};
    madeup_key_init(&host);
    madeup_key_init(&liar);
    ssh_write_string(&contents, madeup_blob(&host));
    ssh_write_text(&contents, "one");
    madeup_sign(&contents, &liar, SSH_SPAN("one"));
    ssh_write_byte(&contents, 0);
    g_assert_cmpint(ssh_bindings_add(&bindings, ssh_writer_span(&contents)), ==, SSH_BIND_FORGED);
    ssh_write_string(&replayed, madeup_blob(&host));
    ssh_write_text(&replayed, "two");
    madeup_sign(&replayed, &host, SSH_SPAN("one"));
    ssh_write_byte(&replayed, 1);
    g_assert_cmpint(ssh_bindings_add(&bindings, ssh_writer_span(&replayed)), ==, SSH_BIND_FORGED);
    g_assert_true(bindings.forwarded); /* even a refused bind's claim is kept */
    g_assert_cmpuint(bindings.count, ==, 0);
    end();
}

/* ssh -A to a host with a key of a kind that we do not know, or with a strange session id. */
static void forwarded_by_strangers(void)
{
    g_auto(madeup_bytes) key = {0}, id = {0};
    static const guchar long_id[SSH_SESSION_ID_MAX + 1];
    ssh_write_text(&key, "a key of another kind");
    ssh_write_text(&key, "one");
    ssh_write_text(&key, "a signature of another kind");
    ssh_write_byte(&key, 1);
    g_assert_cmpint(ssh_bindings_add(&bindings, ssh_writer_span(&key)), ==, SSH_BIND_MALFORMED);
    g_assert_true(bindings.forwarded && bindings.lied);
    end();
    ssh_write_text(&id, "");
    ssh_write_string(&id, (struct ssh_span){long_id, sizeof long_id});
    ssh_write_text(&id, "");
    ssh_write_byte(&id, 1);
    g_assert_cmpint(ssh_bindings_add(&bindings, ssh_writer_span(&id)), ==, SSH_BIND_MALFORMED);
    g_assert_true(bindings.forwarded && bindings.lied);
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ssh-bind/recorded", recorded_binds);
    g_test_add_func("/ssh-bind/session-ids", session_ids);
    g_test_add_func("/ssh-bind/again-and-other", again_and_other);
    g_test_add_func("/ssh-bind/late", late);
    g_test_add_func("/ssh-bind/seventeenth", seventeenth);
    g_test_add_func("/ssh-bind/verdicts", verdicts);
    g_test_add_func("/ssh-bind/forged", forged);
    g_test_add_func("/ssh-bind/forwarded-by-strangers", forwarded_by_strangers);
    return g_test_run();
}
