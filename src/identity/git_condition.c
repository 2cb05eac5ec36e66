#include "identity/git_settings.h"

#include <string.h>

/* Bytes of a pattern; no path of a repository is longer. */
#define PATTERN_MAX 4096

/* PATTERN with what git adds to it: the home, "**" in front of a relative one and at the end of a
 * folder. */
static char *complete(const char *pattern, const char *home, const char *config_folder)
{
    g_autofree char *absolute = NULL;

    if (g_str_has_prefix(pattern, "~/"))
        absolute = g_strconcat(home, pattern + 1, NULL);
    else if (g_str_has_prefix(pattern, "./"))
        absolute = g_strconcat(config_folder, pattern + 1, NULL);
    else if (*pattern != '/')
        absolute = g_strconcat("**/", pattern, NULL);
    else
        absolute = g_strdup(pattern);
    return g_strconcat(absolute, g_str_has_suffix(absolute, "/") ? "**" : "", NULL);
}

static void append_literal(GString *out, char c)
{
    if (!g_ascii_isalnum(c) && (guchar)c < 0x80)
        g_string_append_c(out, '\\');
    g_string_append_c(out, c);
}

/* The set that begins at AT, a "[": how many bytes it has, 0 if it does not end. */
static gsize append_set(GString *out, const char *at)
{
    const char *first = at + 1 + (at[1] == '!' || at[1] == '^');
    const char *end = *first ? strchr(first + 1, ']') : NULL;

    if (!end)
        return 0;
    g_string_append(out, first > at + 1 ? "(?!/)[^" : "(?!/)[");
    for (const char *c = first; c < end; c++) {
        if (*c == '-')
            g_string_append_c(out, '-');
        else
            append_literal(out, *c);
    }
    g_string_append_c(out, ']');
    return (gsize)(end - at) + 1;
}

/* The stars at AT; START: where the pattern begins. Returns how many bytes are done. */
static gsize append_stars(GString *out, const char *at, const char *start)
{
    gsize stars = strspn(at, "*");
    gboolean begins = at == start || at[-1] == '/';

    if (stars == 2 && begins && at[stars] == '/') {
        g_string_append(out, "(?:.*/)?");
        return stars + 1;
    }
    g_string_append(out, stars == 2 && begins && !at[stars] ? ".*" : "[^/]*");
    return stars;
}

/* The regular expression for PATTERN (wildmatch of git, with WM_PATHNAME). */
static char *expression(const char *pattern)
{
    GString *out = g_string_new("^");

    for (const char *at = pattern; *at;) {
        gsize done = *at == '*'   ? append_stars(out, at, pattern)
                     : *at == '[' ? append_set(out, at)
                                  : 0;
        if (!done && *at == '?') {
            g_string_append(out, "[^/]");
            done = 1;
        } else if (!done) {
            at += *at == '\\' && at[1];
            append_literal(out, *at);
            done = 1;
        }
        at += done;
    }
    g_string_append(out, "\\z");
    return g_string_free(out, FALSE);
}

gboolean git_condition_matches(const char *condition, const char *git_folder, const char *home,
                               const char *config_folder)
{
    gboolean any_case = g_str_has_prefix(condition, "gitdir/i:");

    if (strlen(condition) > PATTERN_MAX || (!any_case && !g_str_has_prefix(condition, "gitdir:")))
        return FALSE;
    g_autofree char *pattern = complete(strchr(condition, ':') + 1, home, config_folder);
    g_autofree char *regex_text = expression(pattern);
    g_autoptr(GRegex) regex = g_regex_new(
        regex_text, G_REGEX_RAW | G_REGEX_DOTALL | (any_case ? G_REGEX_CASELESS : 0), 0, NULL);
    return regex && g_regex_match(regex, git_folder, 0, NULL);
}
