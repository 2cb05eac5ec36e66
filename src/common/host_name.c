#include "common/host_name.h"

#include <string.h>

#include "common/text.h"

/* As long as a name in DNS (RFC 1035). */
#define HOST_NAME_SHOWN_MAX 253

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

char *host_name_unicode(const char *host, char **scripts)
{
    g_autofree char *letters = *host == '[' ? NULL : g_hostname_to_unicode(host);
    /* A label that cannot be decoded is shown as it is, also with a warning. */
    gboolean is_coded = strstr(host, "xn--") != NULL;
    if (!is_coded)
        return NULL;
    g_autofree char *shown = text_safe_max(letters ? letters : host, -1, HOST_NAME_SHOWN_MAX);
    *scripts = scripts_of(shown);
    return g_steal_pointer(&shown);
}
