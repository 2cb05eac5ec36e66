#include "identity/host_keys.h"

#include <string.h>

#include "common/text.h"
#include "proto/git_config_parser.h"

/* Bytes of a DNS name, brackets and a port; and lines for one host. */
#define NAME_MAX_BYTES 263
#define LINES_MAX 32
#define HASH_BYTES 20 /* SHA-1 */

static gboolean is_host(const char *host)
{
    gsize length = strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_");

    return length && !host[length] && length < NAME_MAX_BYTES && g_ascii_isalnum(*host);
}

gboolean host_keys_is_name(const char *name)
{
    const char *end = *name == '[' ? strstr(name, "]:") : NULL;

    if (!end)
        return is_host(name);
    g_autofree char *host = g_strndup(name + 1, end - name - 1);
    gsize digits = strspn(end + 2, "0123456789");
    return is_host(host) && digits && digits <= 5 && !end[2 + digits];
}

/* What known_hosts calls HOST[:PORT]; NULL for what is none. */
static char *known_name(const char *authority)
{
    const char *colon = strchr(authority, ':');
    g_autofree char *host = colon ? g_strndup(authority, colon - authority) : g_strdup(authority);
    g_autofree char *lower = g_ascii_strdown(host, -1);
    char *name = !colon || !colon[1] || strcmp(colon, ":22") == 0
                     ? g_strdup(lower)
                     : g_strdup_printf("[%s]:%s", lower, colon + 1);

    if (!host_keys_is_name(name))
        g_clear_pointer(&name, g_free);
    return name;
}

/* The host of "ssh://USER@HOST:PORT/PATH" or "USER@HOST:PATH" (git-fetch(1), GIT URLS). */
static char *host_of_url(const char *url)
{
    static const char *const schemes[] = {"ssh://", "git+ssh://", "ssh+git://"};
    const char *colon = strchr(url, ':'), *start = NULL;
    gsize length = 0;

    for (gsize i = 0; i < G_N_ELEMENTS(schemes); i++)
        if (g_str_has_prefix(url, schemes[i]))
            start = url + strlen(schemes[i]);
    if (start)
        length = strcspn(start, "/");
    else if (colon && !strstr(url, "://") && !memchr(url, '/', colon - url))
        start = url, length = (gsize)(colon - url);
    if (!start)
        return NULL;
    g_autofree char *authority = g_strndup(start, length);
    const char *at = strrchr(authority, '@');
    return known_name(at ? at + 1 : authority);
}

char **host_keys_of_remotes(const char *config, gsize length)
{
    g_autofree struct git_config_parser *parser = g_new(struct git_config_parser, 1);
    g_autoptr(GPtrArray) hosts = g_ptr_array_new();
    const struct git_config_entry *entry;

    git_config_parser_begin(parser, config, length);
    while (hosts->len < HOST_KEYS_HOSTS_MAX && (entry = git_config_parser_next(parser))) {
        if (g_strcmp0(entry->section, "remote") != 0 || !entry->name || !entry->value ||
            (strcmp(entry->key, "url") != 0 && strcmp(entry->key, "pushurl") != 0))
            continue;
        char *host = host_of_url(entry->value);
        if (host && !g_ptr_array_find_with_equal_func(hosts, host, g_str_equal, NULL))
            g_ptr_array_add(hosts, host);
        else
            g_free(host);
    }
    g_ptr_array_add(hosts, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&hosts), FALSE);
}

/*
 * FIELD "|1|SALT|HASH" is HMAC-SHA1 of a name. The SSH agent has this, too, with libcrypto, which
 * `box` does not load; a unit test compares the two.
 */
static gboolean hash_matches(const char *field, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(field, "|", 5);
    gsize salt_length = 0, hash_length = 0, actual_length = HASH_BYTES;
    guint8 actual[HASH_BYTES];

    if (g_strv_length(parts) != 4 || strcmp(parts[1], "1") != 0)
        return FALSE;
    g_autofree guchar *salt = g_base64_decode(parts[2], &salt_length);
    g_autofree guchar *hash = g_base64_decode(parts[3], &hash_length);
    if (salt_length != HASH_BYTES || hash_length != HASH_BYTES)
        return FALSE;
    GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA1, salt, salt_length);
    g_hmac_update(hmac, (const guchar *)name, (gssize)strlen(name));
    g_hmac_get_digest(hmac, actual, &actual_length);
    g_hmac_unref(hmac);
    return memcmp(actual, hash, HASH_BYTES) == 0;
}

/* HOSTS of a line: one hash, or patterns of which one must match, and none with a "!". */
static gboolean hosts_match(const char *hosts, const char *name)
{
    gboolean matches = FALSE;

    if (*hosts == '|')
        return hash_matches(hosts, name);
    /* GLib's patterns are UTF-8, and names ASCII. */
    if (!g_str_is_ascii(hosts))
        return FALSE;
    g_auto(GStrv) patterns = g_strsplit(hosts, ",", -1);
    for (char **pattern = patterns; *pattern; pattern++) {
        gboolean negated = **pattern == '!';
        g_autofree char *lower = g_ascii_strdown(*pattern + negated, -1);
        if (!g_pattern_match_simple(lower, name))
            continue;
        if (negated)
            return FALSE;
        matches = TRUE;
    }
    return matches;
}

/* Cuts the first word off *REST; NULL at the end. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    gsize length = strcspn(word, " \t");

    if (!length)
        return NULL;
    *rest = word + length + (word[length] != '\0');
    word[length] = '\0';
    return word;
}

/* What LINE says about NAME, a line without its end; NULL: nothing. */
static char *line_for(const char *line, const char *name)
{
    g_autofree char *copy = g_strdup(line);
    char *rest = copy, *hosts = next_word(&rest);
    const char *marker = "";

    if (!hosts || *hosts == '#')
        return NULL;
    if (*hosts == '@') {
        marker = strcmp(hosts, "@revoked") == 0          ? "@revoked "
                 : strcmp(hosts, "@cert-authority") == 0 ? "@cert-authority "
                                                         : NULL;
        hosts = next_word(&rest);
    }
    if (!marker || !hosts || !hosts_match(hosts, name))
        return NULL;
    g_autofree char *key = public_key_from_line(rest + strspn(rest, " \t"));
    return key ? g_strdup_printf("%s%s %s\n", marker, name, key) : NULL;
}

static void append_known(GString *text, char **lines, const char *name)
{
    int found = 0;

    for (; *lines && found < LINES_MAX; lines++) {
        g_autofree char *line = line_for(*lines, name);
        if (!line || strstr(text->str, line))
            continue;
        g_string_append(text, line);
        found++;
    }
}

char *host_keys_text(char *const *hosts, const char *known)
{
    GString *text = g_string_new("# Published by the services.\n");
    g_auto(GStrv) lines = g_strsplit(known ? known : "", "\n", -1);

    for (const char *const *key = forge_keys; *key; key++)
        g_string_append_printf(text, "%s\n", *key);
    g_string_append(text,
                    "# From your known_hosts, for the remotes that the project had at first.\n");
    for (; hosts && *hosts; hosts++)
        append_known(text, lines, *hosts);
    return g_string_free(text, FALSE);
}

/*
 * Host keys as the services publish them; tests/unit/host_keys.c compares them with the
 * fingerprints that the SSH agent has, for which ssh-agent/wire/known_hosts.c names the pages.
 *   - github.com: docs.github.com/en/authentication/keeping-your-account-and-data-secure/
 *     githubs-ssh-key-fingerprints
 *   - gitlab.com: docs.gitlab.com/user/gitlab_com/#ssh-known_hosts-entries
 *   - bitbucket.org: bitbucket.org/site/ssh, bitbucket.org/blog/ssh-host-key-changes
 *   - codeberg.org: docs.codeberg.org/security/ssh-fingerprint
 *   - git.sr.ht: man.sr.ht/git.sr.ht/#ssh-host-keys
 */
const char *const forge_keys[] = {
    "github.com ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    "github.com ecdsa-sha2-nistp256 "
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5"
    "YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg=",
    "github.com ssh-rsa "
    "AAAAB3NzaC1yc2EAAAADAQABAAABgQCj7ndNxQowgcQnjshcLrqPEiiphnt+VTTvDP6mHBL9j1aNUkY4Ue1g"
    "vwnGLVlOhGeYrnZaMgRK6+PKCUXaDbC7qtbW8gIkhL7aGCsOr/C56SJMy/BCZfxd1nWzAOxSDPgVsmerOBYf"
    "NqltV9/hWCqBywINIR+5dIg6JTJ72pcEpEjcYgXkE2YEFXV1JHnsKgbLWNlhScqb2UmyRkQyytRLtL+38TGx"
    "kxCflmO+5Z8CSSNY7GidjMIZ7Q4zMjA2n1nGrlTDkzwDCsw+wqFPGQA179cnfGWOWRVruj16z6XyvxvjJwbz"
    "0wQZ75XK5tKSb7FNyeIEs4TT4jk+S4dhPeAUC5y+bDYirYgM4GC7uEnztnZyaVWQ7B381AK4Qdrwt51ZqExK"
    "bQpTUNn+EjqoTwvqNj4kqx5QUCI0ThS/YkOxJCXmPUWZbhjpCg56i+2aB6CmK2JGhn57K5mj0MNdBXA4/Wnw"
    "H6XoPWJzK5Nyu2zB3nAZp+S5hpQs+p1vN1/wsjk=",
    "gitlab.com ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf",
    "gitlab.com ecdsa-sha2-nistp256 "
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBFSMqzJeV9rUzU4kWitGjeR4PWSa29SP"
    "qJ1fVkhtj3Hw9xjLVXVYrU9QlYWrOLXBpQ6KWjbjTDTdDkoohFzgbEY=",
    "gitlab.com ssh-rsa "
    "AAAAB3NzaC1yc2EAAAADAQABAAABAQCsj2bNKTBSpIYDEGk9KxsGh3mySTRgMtXL583qmBpzeQ+jqCMRgBqB"
    "98u3z++J1sKlXHWfM9dyhSevkMwSbhoR8XIq/U0tCNyokEi/ueaBMCvbcTHhO7FcwzY92WK4Yt0aGROY5qX2"
    "UKSeOvuP4D6TPqKF1onrSzH9bx9XUf2lEdWT/ia1NEKjunUqu1xOB/StKDHMoX4/OKyIzuS0q/T1zOATthva"
    "sJFoPrAjkohTyaDUz2LN5JoH839hViyEG82yB+MjcFV5MU3N1l1QL3cVUCh93xSaua1N85qivl+siMkPGbO5"
    "xR/En4iEY6K2XPASUEMaieWVNTRCtJ4S8H+9",
    "bitbucket.org ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO",
    "bitbucket.org ecdsa-sha2-nistp256 "
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBPIQmuzMBuKdWeF4+a2sjSSpBK0iqitS"
    "Q+5BM9KhpexuGt20JpTVM7u5BDZngncgrqDMbWdxMWWOGtZ9UgbqgZE=",
    "bitbucket.org ssh-rsa "
    "AAAAB3NzaC1yc2EAAAADAQABAAABgQDQeJzhupRu0u0cdegZIa8e86EG2qOCsIsD1Xw0xSeiPDlCr7kq97NL"
    "mMbpKTX6Esc30NuoqEEHCuc7yWtwp8dI76EEEB1VqY9QJq6vk+aySyboD5QF61I/1WeTwu+deCbgKMGbUije"
    "XhtfbxSxm6JwGrXrhBdofTsbKRUsrN1WoNgUa8uqN1Vx6WAJw1JHPhglEGGHea6QICwJOAr/6mrui/oB7pka"
    "WKHj3z7d1IC4KWLtY47elvjbaTlkN04Kc/5LFEirorGYVbt15kAUlqGM65pk6ZBxtaO3+30LVlORZkxOh+LK"
    "L/BvbZ/iRNhItLqNyieoQj/uh/7Iv4uyH/cV/0b4WDSd3DptigWq84lJubb9t/DnZlrJazxyDCulTmKdOR7v"
    "s9gMTo+uoIrPSb8ScTtvw65+odKAlBj59dhnVp9zd7QUojOpXlL62Aw56U4oO+FALuevvMjiWeavKhJqlR7i"
    "5n9srYcrNV7ttmDw7kf/97P5zauIhxcjX+xHv4M=",
    "codeberg.org ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIIVIC02vnjFyL+I4RHfvIGNtOgJMe769VTF1VR4EB3ZB",
    "codeberg.org ecdsa-sha2-nistp256 "
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBL2pDxWr18SoiDJCGZ5LmxPygTlPu+cC"
    "KSkpqkvCyQzl5xmIMeKNdfdBpfbCGDPoZQghePzFZkKJNR/v9Win3Sc=",
    "codeberg.org ssh-rsa "
    "AAAAB3NzaC1yc2EAAAADAQABAAABAQC8hZi7K1/2E2uBX8gwPRJAHvRAob+3Sn+y2hxiEhN0buv1igjYFTgF"
    "O2qQD8vLfU/HT/P/rqvEeTvaDfY1y/vcvQ8+YuUYyTwE2UaVU5aJv89y6PEZBYycaJCPdGIfZlLMmjilh/Sk"
    "8IWSEK6dQr+g686lu5cSWrFW60ixWpHpEVB26eRWin3lKYWSQGMwwKv4LwmW3ouqqs4Z4vsqRFqXJ/eCi3yh"
    "pT+nOjljXvZKiYTpYajqUC48IHAxTWugrKe1vXWOPxVXXMQEPsaIRc2hpK+v1LmfB7GnEGvF1UAKnEZbUuiD"
    "9PBEeD5a1MZQIzcoPWCrTxipEpuXQ5Tni4mN",
    "git.sr.ht ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIMZvRd4EtM7R+IHVMWmDkVU3VLQTSwQDSAvW0t2Tkj60",
    NULL,
};

/* Bytes; a key of RSA with 16384 bits has 2,800. */
#define TYPE_MAX 64
#define KEY_MAX 8192
#define LENGTH_BYTES 4

/* RFC 4253, 6.6: a public key begins with its type, as a string with its length before it. */
static gboolean is_of_type(const char *encoded, const char *type)
{
    gsize length = 0, known = strlen(type);
    g_autofree guchar *key = g_base64_decode(encoded, &length);

    return length > LENGTH_BYTES + known && !key[0] && !key[1] && !key[2] && key[3] == known &&
           memcmp(key + LENGTH_BYTES, type, known) == 0;
}

char *public_key_from_line(const char *text)
{
    gsize type_length = strcspn(text, " \t");
    const char *rest = text + type_length + strspn(text + type_length, " \t");
    gsize key_length = strcspn(rest, " \t\r\n");

    if (!type_length || type_length > TYPE_MAX || !key_length || key_length > KEY_MAX)
        return NULL;
    g_autofree char *type = g_strndup(text, type_length);
    g_autofree char *key = g_strndup(rest, key_length);
    if (!text_has_only(type, "-.@") || !text_has_only(key, "+/=") || !is_of_type(key, type))
        return NULL;
    return g_strdup_printf("%s %s", type, key);
}
