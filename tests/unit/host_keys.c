/* The host keys that ssh in a box knows. */
#include <glib.h>
#include <string.h>

#include "identity/host_keys.h"
#include "ssh-agent/wire/known_hosts.h"

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw"

/* Each is of the service that it is listed for, by the fingerprints that the SSH agent has. */
static void published_keys(void)
{
    for (const char *const *line = forge_keys; *line; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", -1);
        gsize length;
        g_autofree guchar *blob = g_base64_decode(words[2], &length);
        struct ssh_key key;
        g_assert_true(ssh_key_parse(&key, (struct ssh_span){blob, length}));
        g_assert_cmpstr(ssh_forge_name(&key), ==, words[0]);
    }
}

static void remotes(void)
{
    static const char config[] =
        "[remote \"a\"]\n\turl = git@Example.org:me/x\n\tpushurl = ssh://me@push.example:2222/x\n"
        "[remote \"b\"]\n\turl = ssh://example.org:22/y\n[remote \"c\"]\n\turl = host:x\n"
        "[remote \"d\"]\n\turl = https://web.example/x\n[remote \"e\"]\n\turl = /local:x\n"
        "[remote \"f\"]\n\turl = ext::sh -c x\n[remote \"g\"]\n\turl = ssh://-oProxyCommand=x/y\n"
        "[remote \"h\"]\n\turl = ssh://a b/y\n[remote \"i\"]\n\turl = \"ssh://x\\ny.example/z\"\n"
        "[remote \"j\"]\n\turl = ssh://h:123456/z\n[remote \"k\"]\n\turl = *.example:x\n"
        "[branch \"x\"]\n\turl = branch.example:x\n";
    g_auto(GStrv) hosts = host_keys_of_remotes(config, strlen(config));
    g_autofree char *all = g_strjoinv(" ", hosts);

    g_assert_cmpstr(all, ==, "example.org [push.example]:2222 host ext");
    GString *many = g_string_new(NULL);
    for (int i = 0; i < 100; i++)
        g_string_append_printf(many, "[remote \"%d\"]\nurl = h%d:x\n", i, i);
    g_auto(GStrv) few = host_keys_of_remotes(many->str, many->len);
    g_assert_cmpuint(g_strv_length(few), ==, HOST_KEYS_HOSTS_MAX);
    g_string_free(many, TRUE);
}

/* What a box gets for HOST. */
static char *known(const char *host, const char *lines)
{
    char *hosts[] = {(char *)host, NULL};
    g_autofree char *text = host_keys_text(hosts, lines);
    const char *last = strstr(text, "at first.\n");

    g_assert_nonnull(last);
    return g_strdup(last + strlen("at first.\n"));
}

static void assert_known(const char *host, const char *lines, const char *expected)
{
    g_autofree char *got = known(host, lines);
    g_assert_cmpstr(got, ==, expected);
}

static void lines_of_the_user(void)
{
    assert_known("a.example", "a.example,10.0.0.1 " KEY " me@x\n", "a.example " KEY "\n");
    assert_known("a.example", "*.example " KEY "\n", "a.example " KEY "\n");
    assert_known("a.example", "*.example,!a.example " KEY "\n", "");
    assert_known("[a.example]:2222", "[a.example]:2222 " KEY "\n", "[a.example]:2222 " KEY "\n");
    assert_known("a.example", "@revoked a.example " KEY "\n", "@revoked a.example " KEY "\n");
    assert_known("a.example", "@cert-authority *.example " KEY "\n",
                 "@cert-authority a.example " KEY "\n");
    assert_known("a.example", "a.example " KEY "\na.example " KEY "\n", "a.example " KEY "\n");
    assert_known("a.example",
                 "b.example " KEY "\n# a.example " KEY "\n@odd a.example " KEY "\n"
                 "a.example\na.example ssh-rsa AAAA\na.example 1024 35 12345\n@revoked\n|1|x a\n",
                 "");
}

static void hashed_names(void)
{
    guint8 salt[20], digest[20];
    gsize length = sizeof digest;
    memset(salt, 7, sizeof salt);
    GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA1, salt, sizeof salt);
    g_hmac_update(hmac, (const guchar *)"a.example", -1);
    g_hmac_get_digest(hmac, digest, &length);
    g_hmac_unref(hmac);
    g_autofree char *salt64 = g_base64_encode(salt, sizeof salt);
    g_autofree char *hash64 = g_base64_encode(digest, sizeof digest);
    g_autofree char *field = g_strdup_printf("|1|%s|%s", salt64, hash64);
    g_autofree char *line = g_strdup_printf("%s " KEY "\n", field);

    assert_known("a.example", line, "a.example " KEY "\n");
    assert_known("b.example", line, "");
    g_assert_true(ssh_known_hosts_hash_matches(
        (struct ssh_span){(const uint8_t *)field, strlen(field)},
        (struct ssh_span){(const uint8_t *)"a.example", strlen("a.example")}));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/host_keys/published", published_keys);
    g_test_add_func("/host_keys/remotes", remotes);
    g_test_add_func("/host_keys/lines", lines_of_the_user);
    g_test_add_func("/host_keys/hashed", hashed_names);
    return g_test_run();
}
