/* Which names known_hosts has for a host key. */
#include "ssh-agent/wire/known_hosts.h"

#include "ssh_recorded.h"
#include "ssh_samples.h"

#define NOW 1700000000

typedef struct {
    sample_key host, other, authority;
    struct ssh_key key;
    sample_bytes certificate;
} fixture;

static void set_up(fixture *self, gconstpointer data)
{
    sample_key_init(&self->host);
    sample_key_init(&self->other);
    sample_key_init(&self->authority);
    g_assert_true(ssh_key_parse(&self->key, sample_blob(&self->host)));
}

static void tear_down(fixture *self, gconstpointer data)
{
    sample_key_clear(&self->host);
    sample_key_clear(&self->other);
    sample_key_clear(&self->authority);
    ssh_writer_clear(&self->certificate);
}

/* TEXT with $HOST, $OTHER and $CA replaced by these keys, as they are written in a line. */
static char *with_keys(const fixture *self, const char *text)
{
    const struct {
        const char *name;
        const sample_key *key;
    } keys[] = {{"$HOST", &self->host}, {"$OTHER", &self->other}, {"$CA", &self->authority}};
    g_autoptr(GString) result = g_string_new(text);
    for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
        struct ssh_span blob = sample_blob(keys[i].key);
        g_autofree char *base64 = g_base64_encode(blob.data, blob.length);
        g_autofree char *line = g_strdup_printf("ssh-ed25519 %s", base64);
        g_string_replace(result, keys[i].name, line, 0);
    }
    return g_string_free(g_steal_pointer(&result), FALSE);
}

/* The names that were found, with "*:" before a pattern, "ca:" before a principal and "forge:"
 * before a service of the built-in list; then " +claim" if the claim was confirmed. */
static char *describe(const struct ssh_known_hosts *known)
{
    static const char *const kinds[] = {"", "*:", "ca:", "forge:"};
    g_autoptr(GString) result = g_string_new(known->revoked ? "revoked" : "");
    for (gsize i = 0; i < known->count; i++) {
        const struct ssh_known_name *name = &known->names[i];
        g_string_append_printf(result, "%s%s%.*s", result->len ? " " : "", kinds[name->kind],
                               (int)name->text.length, (const char *)name->text.data);
    }
    for (gsize i = 0; i < known->claim_count; i++)
        if (known->confirmed & 1u << i)
            g_string_append_printf(result, "%s+%.*s", result->len ? " " : "",
                                   (int)known->claims[i].length,
                                   (const char *)known->claims[i].data);
    return g_string_free(g_steal_pointer(&result), FALSE);
}

static void assert_known(fixture *self, const char *text, const char *claim, const char *expected)
{
    g_autofree char *lines = with_keys(self, text);
    struct ssh_span claims[] = {ssh_span_text(claim ? claim : "")};
    struct ssh_known_hosts known;
    ssh_known_hosts_init(&known, &self->key, claims, claim ? 1 : 0, NOW);
    ssh_known_hosts_read(&known, ssh_span_text(lines));
    g_autofree char *found = describe(&known);
    g_assert_cmpstr(found, ==, expected);
}

static void plain(fixture *self, gconstpointer data)
{
    assert_known(self, "", NULL, "");
    assert_known(self, "a.example $HOST\n", NULL, "a.example");
    assert_known(self, "a.example $HOST", NULL, "a.example");
    assert_known(self, "a.example $HOST a comment\r\n", NULL, "a.example");
    assert_known(self, "  \t a.example \t $HOST\n", NULL, "a.example");
    assert_known(self, "a.example $OTHER\nb.example $HOST\n", NULL, "b.example");
    assert_known(self, "a.example,192.0.2.1 $HOST\n[a.example]:22 $HOST\na.example $HOST\n", NULL,
                 "a.example 192.0.2.1 [a.example]:22");
    assert_known(self, "A.Example $HOST\n", "a.eXample", "A.Example +a.eXample");
    assert_known(self, "[a.example]:2222 $HOST\n", "a.example", "[a.example]:2222");
    assert_known(self, "[a.example]:2222 $HOST\n", "[a.example]:2222",
                 "[a.example]:2222 +[a.example]:2222");
    assert_known(self, "a.example $HOST\n", "b.example", "a.example");
    assert_known(self, "a.example $OTHER\n", "a.example", "");
}

static void patterns(fixture *self, gconstpointer data)
{
    assert_known(self, "*.example $HOST\n", NULL, "*:*.example");
    assert_known(self, "*.example $HOST\n", "a.example", "*:*.example");
    assert_known(self, "*.example $HOST\n", "example", "*:*.example");
    assert_known(self, "*.example,!a.example $HOST\n", "a.example", "*:*.example");
    assert_known(self, "*.example,a.example $HOST\n", "a.example",
                 "*:*.example a.example +a.example");
    assert_known(self, "!a.example,*.example $HOST\n", "b.example", "*:*.example");
    assert_known(self, "a.example,!a.example $HOST\n", "a.example", "");
    assert_known(self, "a.example,!*.example $HOST\n", "a.example", "");
    assert_known(self, "!a.example $HOST\n", "b.example", "");
    assert_known(self, "a?c $HOST\n", "abc", "*:a?c");
    assert_known(self, "a?c $HOST\n", "ac", "*:a?c");
    assert_known(self, "a*b*c $HOST\n", "abbc", "*:a*b*c");
    assert_known(self, "a*b*c $HOST\n", "abcb", "*:a*b*c");
    assert_known(self, "* $HOST\n", "x", "*:*");
    assert_known(self, "|1|a*b $HOST\n", "|1|axb",
                 ""); /* looks like a hash, so it is not a pattern */
    assert_known(self, ",,a.example,, $HOST\n", NULL, "a.example");
}

/* Claims that are not host names match nothing, not even "*". */
static void invalid_claims(fixture *self, gconstpointer data)
{
    static const char *const claims[] = {"", "*", "a b", "a\nb", "a,b", "!a", "|1|a|b", "\xc3\xa4"};
    for (gsize i = 0; i < G_N_ELEMENTS(claims); i++)
        assert_known(self, "* $HOST\n", claims[i], "*:*");
    g_autofree char *longest = g_strnfill(SSH_KNOWN_NAME_MAX, 'a');
    g_autofree char *line = g_strdup_printf("%s $HOST\n", longest);
    g_autofree char *expected = g_strdup_printf("%s +%s", longest, longest);
    g_autofree char *longer = g_strnfill(SSH_KNOWN_NAME_MAX + 1, 'a');
    assert_known(self, line, longest, expected);
    assert_known(self, "* $HOST\n", longer, "*:*");
}

static void bad_lines(fixture *self, gconstpointer data)
{
    static const char *const lines[] = {
        "# a.example $HOST\n",
        "@unknown a.example $HOST\n",
        "a.example\n",
        "a.example ssh-ed25519\n",
        "a.example ssh-ed25519 AAAA\n",
        "a.example ecdsa-sha2-nistp256 $HOST\n",
        "$HOST\n",
        "@revoked\n",
        "\n",
        "@\n",
        "a.example $HOSTx\n",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autofree char *then = g_strconcat(lines[i], "b.example $HOST\n", NULL);
        assert_known(self, lines[i], "a.example", "");
        assert_known(self, then, "a.example", "b.example");
    }
    g_autofree char *blanks = g_strnfill(SSH_KNOWN_HOSTS_LINE_MAX, ' ');
    g_autofree char *large = g_strconcat("a.example", blanks, "$HOST\nb.example $HOST\n", NULL);
    assert_known(self, large, "a.example", "b.example");
}

static void revoked(fixture *self, gconstpointer data)
{
    assert_known(self, "a.example $HOST\n@revoked * $HOST\n", "a.example", "revoked");
    assert_known(self, "@revoked * $HOST\na.example $HOST\n", "a.example", "revoked");
    assert_known(self, "@revoked b.example $HOST\na.example $HOST\n", "a.example", "revoked");
    assert_known(self, "@revoked |1|x|y $HOST\na.example $HOST\n", "a.example", "revoked");
    assert_known(self, "@revoked * $OTHER\na.example $HOST\n", NULL, "a.example");
}

/* A @revoked line in the second file overrides the first file. */
static void two_files(fixture *self, gconstpointer data)
{
    g_autofree char *first = with_keys(self, "a.example $HOST\n");
    g_autofree char *second = with_keys(self, "b.example $HOST\n");
    g_autofree char *third = with_keys(self, "@revoked * $HOST\n");
    struct ssh_known_hosts known;
    ssh_known_hosts_init(&known, &self->key, NULL, 0, NOW);
    ssh_known_hosts_read(&known, ssh_span_text(first));
    ssh_known_hosts_read(&known, ssh_span_text(second));
    g_assert_cmpuint(known.count, ==, 2);
    ssh_known_hosts_read(&known, ssh_span_text(third));
    g_assert_true(known.revoked);
    ssh_known_hosts_read(&known, ssh_span_text(first));
    g_assert_cmpuint(known.count, ==, 0);
}

static void certify(fixture *self, sample_certificate from)
{
    from.authority = &self->authority;
    from.key = &self->host;
    if (!from.valid_before)
        from.valid_before = G_MAXUINT64;
    ssh_writer_clear(&self->certificate);
    sample_write_certificate(&self->certificate, &from);
    g_assert_true(ssh_key_parse(&self->key, ssh_writer_span(&self->certificate)));
}

static void authorities(fixture *self, gconstpointer data)
{
    static const char text[] = "@cert-authority *.example,!c.example $CA\n";
    certify(self, (sample_certificate){.kind = 2, .principals = "a.example,b.test,c.example"});
    assert_known(self, text, NULL, "ca:a.example");
    assert_known(self, text, "a.example", "ca:a.example +a.example");
    assert_known(self, text, "b.test", "ca:a.example");
    assert_known(self, text, "c.example", "ca:a.example");
    assert_known(self, text, "d.example", "ca:a.example");
    assert_known(self, "@cert-authority [*.example]:2222 $CA\n", "[a.example]:2222",
                 "+[a.example]:2222");
    assert_known(self, "@cert-authority * $OTHER\n", "a.example", "");
    assert_known(self, "*.example $CA\n", "a.example", "");     /* not marked as an authority */
    assert_known(self, "a.example $HOST\n", NULL, "a.example"); /* the base key is known */
    assert_known(self, "@cert-authority * $CA\n@revoked * $CA\n", NULL, "revoked");
    assert_known(self, "@cert-authority * $CA\n@revoked * $HOST\n", NULL, "revoked");
    certify(self, (sample_certificate){.kind = 2, .principals = "*.example"});
    assert_known(self, text, NULL, "");
    assert_known(self, text, "a.example", "*:*.example");
}

/* Certificates that are not accepted: for a user, expired, without principals, signed by another
 * key.
 */
static void invalid_certificates(fixture *self, gconstpointer data)
{
    static const char text[] = "@cert-authority * $CA\n";
    certify(self, (sample_certificate){.kind = 1, .principals = "a.example"});
    assert_known(self, text, "a.example", "");
    certify(self, (sample_certificate){.kind = 2, .principals = "a.example", .valid_before = NOW});
    assert_known(self, text, "a.example", "");
    certify(self, (sample_certificate){.kind = 2, .principals = "a.example", .option = "x"});
    assert_known(self, text, "a.example", "");
    certify(self, (sample_certificate){.kind = 2, .principals = "a.example"});
    assert_known(self, text, "a.example", "ca:a.example +a.example");
    g_autofree char *base64 = g_base64_encode(self->certificate.data, self->certificate.length);
    g_autofree char *line =
        g_strconcat("a.example ssh-ed25519-cert-v01@openssh.com ", base64, NULL);
    assert_known(self, line, "a.example", ""); /* the key of a line cannot be a certificate */
    self->certificate.data[self->certificate.length - 1] ^= 1;
    g_assert_true(ssh_key_parse(&self->key, ssh_writer_span(&self->certificate)));
    assert_known(self, text, "a.example", "");
    self->key.is_certificate = false;
    assert_known(self, "@cert-authority * $HOST\n", "a.example", "");
}

/* Of too many names the first are kept and "more" is set; claims are tested all the same. */
static void many(fixture *self, gconstpointer data)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0; i < SSH_KNOWN_NAMES_MAX + 5; i++)
        g_string_append_printf(text, "h%d.example $HOST\n", i);
    g_autofree char *lines = with_keys(self, text->str);
    struct ssh_span claims[SSH_KNOWN_CLAIMS_MAX + 1];
    for (gsize i = 0; i < G_N_ELEMENTS(claims); i++)
        claims[i] = SSH_SPAN("h36.example");
    struct ssh_known_hosts known;
    ssh_known_hosts_init(&known, &self->key, claims, G_N_ELEMENTS(claims), NOW);
    ssh_known_hosts_read(&known, ssh_span_text(lines));
    g_assert_cmpuint(known.count, ==, SSH_KNOWN_NAMES_MAX);
    g_assert_true(known.more);
    g_assert_cmpuint(known.confirmed, ==, G_MAXUINT32);
}

/* A file that ssh wrote, with plain and hashed names. */
static void recorded_file(void)
{
    g_autoptr(GPtrArray) all = recorded_load();
    struct ssh_span text = recorded_find(all, "known-hosts", 'T', 0);
    const struct {
        const char *scenario, *claim, *expected;
    } cases[] = {
        {"host-ecdsa256", "[127.0.0.1]:40122", "+[127.0.0.1]:40122"},
        {"host-ecdsa256", "[127.0.0.1]:40121", ""},
        {"host-rsa", "[127.0.0.1]:40125", "+[127.0.0.1]:40125"},
        {"host-ed25519", "[127.0.0.1]:40121",
         "[127.0.0.1]:40128 [127.0.0.1]:40126 [127.0.0.1]:40127 +[127.0.0.1]:40121"},
        {"host-certificate", "[127.0.0.1]:40126",
         "[127.0.0.1]:40128 [127.0.0.1]:40126 [127.0.0.1]:40127 +[127.0.0.1]:40126"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct ssh_request request = recorded_request(all, cases[i].scenario, SSH_AGENTC_EXTENSION);
        struct ssh_reader reader = ssh_reader_of(request.contents);
        struct ssh_span blob, claim = ssh_span_text(cases[i].claim);
        struct ssh_known_hosts known;
        struct ssh_key key;
        g_assert_true(ssh_read_string(&reader, &blob) && ssh_key_parse(&key, blob));
        ssh_known_hosts_init(&known, &key, &claim, 1, NOW);
        ssh_known_hosts_read(&known, text);
        g_autofree char *found = describe(&known);
        g_assert_cmpstr(found, ==, cases[i].expected);
    }
}

/* Keys of the built-in list are known without a line, unless a line revokes them. */
static void built_in_list(void)
{
    static const struct {
        const char *name, *line;
    } keys[] = {
        {"github.com",
         "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"},
        {"gitlab.com",
         "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf"},
        {"bitbucket.org",
         "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO"},
        {"codeberg.org",
         "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIVIC02vnjFyL+I4RHfvIGNtOgJMe769VTF1VR4EB3ZB"},
        {"git.sr.ht",
         "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMZvRd4EtM7R+IHVMWmDkVU3VLQTSwQDSAvW0t2Tkj60"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
        guchar memory[64];
        struct ssh_span blob, claims[] = {SSH_SPAN("*"), ssh_span_text(keys[i].name)};
        struct ssh_key key;
        struct ssh_known_hosts known;
        g_autofree char *expected = g_strdup_printf("forge:%s +%s", keys[i].name, keys[i].name);
        g_autofree char *line = g_strdup_printf("@revoked * %s", keys[i].line);
        g_assert_true(
            ssh_key_decode(ssh_span_text(keys[i].line), memory, sizeof memory, &blob, NULL));
        g_assert_true(ssh_key_parse(&key, blob));
        ssh_known_hosts_init(&known, &key, claims, G_N_ELEMENTS(claims), NOW);
        g_autofree char *found = describe(&known);
        g_assert_cmpstr(found, ==, expected);
        ssh_known_hosts_read(&known, ssh_span_text(line));
        g_assert_true(known.revoked);
        memory[blob.length - 1] ^= 1;
        g_assert_null(ssh_forge_name(&key));
    }
}

#define ADD(name, function) \
    g_test_add("/ssh-known-hosts/" name, fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("plain-names", plain);
    ADD("patterns", patterns);
    ADD("claims-that-are-not-names", invalid_claims);
    ADD("lines-that-do-not-parse", bad_lines);
    ADD("revoked-overrides", revoked);
    ADD("two-files", two_files);
    ADD("certificate-authorities", authorities);
    ADD("invalid-certificates", invalid_certificates);
    ADD("too-many-names", many);
    g_test_add_func("/ssh-known-hosts/openssh-file", recorded_file);
    g_test_add_func("/ssh-known-hosts/built-in-list", built_in_list);
    return g_test_run();
}
