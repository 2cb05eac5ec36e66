#include "box/lifecycle/package_sources.h"

#include <string.h>

#include "box/helpers/package_hosts.h"
#include "proto/network_rules.h"

/* Longest URL that is looked at. */
#define URL_MAX 2048

/* Adds the host of URL. A name alone: "host" and addresses are rules, too, but not of packages. */
static void add_url(GPtrArray *out, const char *url)
{
    g_autofree char *scheme = NULL, *host = NULL;
    int port = -1;
    char name[HOST_NAME_SIZE], text[NETWORK_RULE_SIZE];
    struct network_rule rule;
    const char *wrong;
    if (strlen(url) > URL_MAX || !g_str_is_ascii(url) || out->len >= PACKAGE_HOSTS_MAX ||
        !g_uri_split(url, G_URI_FLAGS_PARSE_RELAXED, &scheme, NULL, &host, &port, NULL, NULL, NULL,
                     NULL) ||
        !scheme || !host || host_name_normalise(host, strlen(host), name) < 0)
        return;
    if (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0)
        port = port >= 0 ? port : strcmp(scheme, "http") == 0 ? 80 : 443;
    else
        return;
    g_snprintf(text, sizeof text, "%s:%d", name, port);
    if (network_rule_parse(text, false, &rule, &wrong) < 0 || rule.kind != RULE_NAME)
        return;
    network_rule_text(&rule, text);
    if (!g_ptr_array_find_with_equal_func(out, text, g_str_equal, NULL))
        g_ptr_array_add(out, g_strdup(text));
}

/* The lines of TEXT; none when a NUL hides a part of it. */
static char **lines_of(const char *text, gsize length)
{
    g_autofree char *copy = memchr(text, '\0', length) ? g_strdup("") : g_strndup(text, length);
    return g_strsplit(copy, "\n", -1);
}

/* "deb [option=value …] URI suite component …" */
static void parse_apt_line(char *line, GPtrArray *out)
{
    line[strcspn(line, "#")] = '\0';
    g_auto(GStrv) words = g_strsplit_set(line, " \t\r", -1);
    char **word = words;
    while (*word && !**word)
        word++;
    if (!*word || (strcmp(*word, "deb") != 0 && strcmp(*word, "deb-src") != 0))
        return;
    gboolean is_option = FALSE;
    for (word++; *word; word++) {
        is_option |= **word == '[';
        if (**word && !is_option) {
            add_url(out, *word);
            return;
        }
        is_option &= !g_str_has_suffix(*word, "]");
    }
}

typedef struct {
    GPtrArray *urls; /* of a paragraph */
    gboolean is_disabled, is_in_urls;
} paragraph;

static void end_paragraph(paragraph *self, GPtrArray *out)
{
    for (guint i = 0; i < self->urls->len && !self->is_disabled; i++)
        add_url(out, self->urls->pdata[i]);
    g_ptr_array_set_size(self->urls, 0);
    self->is_disabled = self->is_in_urls = FALSE;
}

static void add_words(paragraph *self, const char *value)
{
    g_auto(GStrv) words = g_strsplit_set(value, " \t\r", -1);
    for (char **word = words; *word && self->urls->len < PACKAGE_HOSTS_MAX; word++)
        if (**word)
            g_ptr_array_add(self->urls, g_strdup(*word));
}

/* apt's own words for no, of StringToBool(). */
static gboolean is_no(const char *value)
{
    static const char *const words[] = {"no", "false", "without", "off", "disable", "0", NULL};
    g_autofree char *word = g_ascii_strdown(value, -1);
    return g_strv_contains(words, g_strstrip(word));
}

static void parse_field(paragraph *self, const char *line)
{
    const char *colon = strchr(line, ':');
    g_autofree char *name = g_strndup(line, colon ? (gsize)(colon - line) : 0);
    g_strstrip(name);
    self->is_in_urls = g_ascii_strcasecmp(name, "URIs") == 0;
    if (self->is_in_urls)
        add_words(self, colon + 1);
    else if (g_ascii_strcasecmp(name, "Enabled") == 0)
        self->is_disabled = is_no(colon + 1);
}

static void parse_deb822(char **lines, GPtrArray *out)
{
    g_autoptr(GPtrArray) urls = g_ptr_array_new_with_free_func(g_free);
    paragraph now = {.urls = urls};
    for (; *lines; lines++) {
        const char *line = *lines;
        if (!line[strspn(line, " \t\r")])
            end_paragraph(&now, out);
        else if (*line == '#')
            continue;
        else if (*line != ' ' && *line != '\t')
            parse_field(&now, line);
        else if (now.is_in_urls)
            add_words(&now, line);
    }
    end_paragraph(&now, out);
}

void apt_sources_parse(const char *text, gsize length, gboolean is_deb822, GPtrArray *out)
{
    g_auto(GStrv) lines = lines_of(text, length);
    if (is_deb822)
        parse_deb822(lines, out);
    for (char **line = lines; *line && !is_deb822; line++)
        parse_apt_line(*line, out);
}

/* TEXT without one pair of quotes around it, in place. */
static char *unquote(char *text)
{
    gsize length = strlen(text);
    if (length < 2 || text[0] != text[length - 1] || (text[0] != '"' && text[0] != '\''))
        return text;
    text[length - 1] = '\0';
    return text + 1;
}

gboolean npm_config_parse(const char *text, gsize length, GPtrArray *out)
{
    gboolean has_registry = FALSE;
    g_auto(GStrv) lines = lines_of(text, length);
    for (char **line = lines; *line; line++) {
        char *equals = strchr(g_strchug(*line), '=');
        if (!equals || strchr(";#", **line))
            continue;
        *equals = '\0';
        const char *key = g_strstrip(*line);
        gboolean is_registry = strcmp(key, "registry") == 0;
        if (!is_registry && (*key != '@' || !g_str_has_suffix(key, ":registry")))
            continue;
        has_registry |= is_registry;
        add_url(out, unquote(g_strstrip(equals + 1)));
    }
    return has_registry;
}

/* From the definition's name to its default there are a few words. */
#define DEFAULT_WITHIN 200

void npm_definitions_parse(const char *text, gsize length, GPtrArray *out)
{
    static const char *const begins[] = {"define('registry',", "Definition('registry',"};
    static const char before[] = "default: '";
    for (gsize i = 0; i < G_N_ELEMENTS(begins); i++) {
        const char *at = g_strstr_len(text, (gssize)length, begins[i]);
        gsize left = at ? length - (gsize)(at - text) : 0;
        const char *value = at ? g_strstr_len(at, (gssize)MIN(left, DEFAULT_WITHIN), before) : NULL;
        if (!value)
            continue;
        value += strlen(before);
        left = length - (gsize)(value - text);
        const char *end = memchr(value, '\'', MIN(left, URL_MAX));
        g_autofree char *url = g_strndup(value, end ? (gsize)(end - value) : 0);
        add_url(out, url);
    }
}
