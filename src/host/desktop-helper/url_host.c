#include "host/desktop-helper/url_host.h"

#include <arpa/inet.h>
#include <string.h>

#include "common/text.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-._"

static char *normalise_v6(const char *name)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    gsize length = strlen(name);
    g_autofree char *inner = length > 2 ? g_strndup(name + 1, length - 2) : NULL;
    if (!inner || name[length - 1] != ']' || inet_pton(AF_INET6, inner, &address) != 1 ||
        !inet_ntop(AF_INET6, &address, text, sizeof text))
        return NULL;
    return g_strdup_printf("[%s]", text);
}

/* Browsers read a host whose last part is a number as an IPv4 address: "2130706433", "0x7f.1",
 * "127.1." (WHATWG URL, "ends in a number"). */
static gboolean is_v4(const char *name)
{
    g_autofree char *whole = g_strndup(name, strlen(name) - g_str_has_suffix(name, "."));
    const char *last = strrchr(whole, '.');
    last = last ? last + 1 : whole;
    return *last && (!last[strspn(last, "0123456789")] || g_str_has_prefix(last, "0x"));
}

static char *normalise_v4(const char *name)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr address;
    if (!inet_aton(name, &address) || !inet_ntop(AF_INET, &address, text, sizeof text))
        return NULL;
    return g_strdup(text);
}

char *url_host_normalise(const char *name)
{
    if (*name == '[')
        return normalise_v6(name);
    g_autofree char *ascii = g_hostname_to_ascii(name);
    g_autofree char *lower = ascii ? g_ascii_strdown(ascii, -1) : NULL;
    if (!lower || !*lower || *lower == '.' || *lower == '-' || strstr(lower, "..") ||
        strlen(lower) > URL_HOST_MAX || lower[strspn(lower, NAME_CHARACTERS)])
        return NULL;
    return is_v4(lower) ? normalise_v4(lower) : g_steal_pointer(&lower);
}

/* The name of each script once. Digits, hyphens and combining marks have none. */
static char *scripts_of(const char *letters)
{
    static const struct {
        GUnicodeScript script;
        const char *name;
    } known[] = {
        {G_UNICODE_SCRIPT_LATIN, "Latin"},       {G_UNICODE_SCRIPT_CYRILLIC, "Cyrillic"},
        {G_UNICODE_SCRIPT_GREEK, "Greek"},       {G_UNICODE_SCRIPT_ARMENIAN, "Armenian"},
        {G_UNICODE_SCRIPT_HAN, "Chinese"},       {G_UNICODE_SCRIPT_HIRAGANA, "Hiragana"},
        {G_UNICODE_SCRIPT_KATAKANA, "Katakana"}, {G_UNICODE_SCRIPT_HANGUL, "Korean"},
        {G_UNICODE_SCRIPT_ARABIC, "Arabic"},     {G_UNICODE_SCRIPT_HEBREW, "Hebrew"},
        {G_UNICODE_SCRIPT_THAI, "Thai"},         {G_UNICODE_SCRIPT_DEVANAGARI, "Devanagari"},
    };
    GString *names = g_string_new(NULL);
    for (; *letters; letters = g_utf8_next_char(letters)) {
        GUnicodeScript script = g_unichar_get_script(g_utf8_get_char(letters));
        const char *name = "other";
        for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
            if (known[i].script == script)
                name = known[i].name;
        if (script == G_UNICODE_SCRIPT_COMMON || script == G_UNICODE_SCRIPT_INHERITED ||
            strstr(names->str, name))
            continue;
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
    }
    return g_string_free(names, FALSE);
}

char *url_host_unicode(const char *host, char **scripts)
{
    g_autofree char *letters = *host == '[' ? NULL : g_hostname_to_unicode(host);
    /* A label that cannot be decoded is shown as it is, also with a warning. */
    gboolean is_coded = strstr(host, "xn--") != NULL;
    if (!is_coded)
        return NULL;
    g_autofree char *shown = text_safe_max(letters ? letters : host, -1, URL_HOST_MAX);
    *scripts = scripts_of(shown);
    return g_steal_pointer(&shown);
}

gboolean url_host_is_loopback(const char *host)
{
    g_autofree char *name = g_strdup(host);
    gsize length = strlen(name);
    if (length && name[length - 1] == '.')
        name[length - 1] = '\0';
    return strcmp(name, "localhost") == 0 || g_str_has_suffix(name, ".localhost") ||
           g_str_has_prefix(name, "127.") || strcmp(name, "0.0.0.0") == 0 ||
           strcmp(name, "[::1]") == 0 || strcmp(name, "[::]") == 0 ||
           g_str_has_prefix(name, "[::ffff:127.");
}
