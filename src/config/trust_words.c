#include "config/trust.h"

#include <string.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "common/units.h"
#include "proto/network_rules.h"

/* Longest text of the file in a sentence. */
#define WORDS_MAX 200
/* Rules of a group that are shown; no shipped one has more. */
#define GROUP_SHOWN 40

/* Places that are worth a warning: "~" is the home. The first that matches is shown. */
static const struct {
    const char *path, *holds;
} places[] = {
    {"~/.ssh", "your SSH keys"},
    {"~/.gnupg", "your GPG keys"},
    {"~/.config/litterbox", "Litterbox's own configuration"},
    {"~/.local/share/litterbox", "the homes of all boxes"},
    {"~/.local/state/litterbox", "what you have trusted"},
    {"~/.aws", "cloud credentials"},
    {"~/.config/gcloud", "cloud credentials"},
    {"~/.azure", "cloud credentials"},
    {"~/.kube", "cluster credentials"},
    {"~/.docker", "registry credentials"},
    {"~/.config/gh", "GitHub credentials"},
    {"~/.netrc", "passwords"},
    {"~/.git-credentials", "passwords"},
    {"~/.password-store", "passwords"},
    {"~/.local/share/keyrings", "passwords"},
    {"~/.mozilla", "browser sessions"},
    {"~/.config/google-chrome", "browser sessions"},
    {"~/.config/chromium", "browser sessions"},
    {"/run", "sockets of this machine's services"},
    {"/var/run", "sockets of this machine's services"},
    {"/proc", "this machine's processes"},
    {"/etc", "this machine's configuration"},
};

/* SAYS with TEXT in place of its %s. Not with printf(): SAYS is not a literal format. */
static char *fill(const char *says, const char *text)
{
    const char *hole = strstr(says, "%s");
    if (!hole)
        return g_strdup(says);
    return g_strdup_printf("%.*s%s%s", (int)(hole - says), says, text, hole + 2);
}

static char *words_for(const char *says, const char *text, gsize most)
{
    g_autofree char *safe = text_safe_max(text, -1, most);
    g_autofree char *quoted = g_strdup_printf("'%s'", safe);
    return fill(says, quoted);
}

char *trust_words_for(const char *says, const char *text)
{
    return words_for(says, text, WORDS_MAX);
}

char *trust_words_for_all(const char *says, const char *text)
{
    return words_for(says, text, G_MAXSIZE);
}

char *trust_words_for_rule(const char *says, const char *text, gboolean denies)
{
    struct network_rule rule;
    const char *wrong;
    if (network_rule_parse(text, denies, &rule, &wrong) < 0 || rule.kind != RULE_HOST)
        return trust_words_for(says, text);
    g_autofree char *port =
        rule.port ? g_strdup_printf("port %u", rule.port) : g_strdup("every port");
    g_autofree char *place =
        g_strdup_printf("%s of this machine's loopback interface ('%s')", port, text);
    return fill(says, place);
}

char *trust_words_for_group(const char *says, const char *group, char *const *rules)
{
    g_autofree char *named = trust_words_for(says, group);
    GString *words = g_string_new(named);
    guint count = rules ? g_strv_length((char **)rules) : 0;
    for (guint i = 0; i < MIN(count, GROUP_SHOWN); i++) {
        const char *more = strcmp(rules[i], "@apt") == 0   ? "where apt of its image gets packages"
                           : strcmp(rules[i], "@npm") == 0 ? "where npm of its image gets packages"
                                                           : rules[i];
        g_string_append_printf(words, "%s%s", i ? ", " : ": ", more);
    }
    if (count > GROUP_SHOWN)
        g_string_append_printf(words, " and %u more", count - GROUP_SHOWN);
    if (!rules)
        g_string_append(words, ", a group that is not known here");
    return g_string_free(words, FALSE);
}

/* What SOURCE contains, when the user should know it; or NULL. */
static const char *warning(const char *source)
{
    g_autofree char *path = paths_expand(source);
    if (g_str_equal(path, "/"))
        return "this whole machine";
    if (fs_is_below(paths_home(), path))
        return "your whole home, keys and all";
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *place = paths_expand(places[i].path);
        if (fs_is_below(path, place) || fs_is_below(place, path))
            return places[i].holds;
    }
    return NULL;
}

/* In quotes, where it could look as if it ended, and words of ours went on. */
static char *path_words(const char *path)
{
    return text_has_only(path, "._-+@/~") ? text_safe_max(path, -1, WORDS_MAX)
                                          : text_quoted(path, -1, WORDS_MAX);
}

char *trust_words_for_mount(const settings_mount *mount)
{
    const char *holds = warning(mount->source);
    g_autofree char *same = paths_expand(mount->source);
    g_autofree char *source = path_words(mount->source), *target = path_words(mount->target);
    GString *words =
        g_string_new(mount->mode == MODE_RW ? "read and write access to" : "read access to");

    g_string_append_printf(words, " %s", source);
    if (!g_str_equal(same, mount->target))
        g_string_append_printf(words, ", as %s", target);
    if (mount->mode == MODE_OVERLAY)
        g_string_append(words, ", with changes thrown away");
    if (holds)
        g_string_append_printf(words, " (%s)", holds);
    return g_string_free(words, FALSE);
}

char *trust_words_for_port(const port_mapping *port)
{
    g_autofree char *ip = text_safe_max(port->host_ip, -1, 64);
    return g_strdup_printf("publish its %s port %u on %s port %u (%s)", port->udp ? "UDP" : "TCP",
                           port->box_port, ip, port->host_port,
                           port_mapping_is_local(port) ? "this machine alone"
                                                       : "other machines reach it");
}

char *trust_words_for_limit(const schema_key *row, const settings *self)
{
    const void *field = schema_field_const(row, self);
    g_autofree char *text = NULL;
    if (row->kind == SCHEMA_DOUBLE) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        double value = *(const double *)field;
        text = g_strdup(value == 0 ? row->zero : g_ascii_dtostr(number, sizeof number, value));
    } else {
        gint64 value = *(const gint64 *)field;
        if (value == 0)
            text = g_strdup(row->zero);
        else if (row->kind == SCHEMA_SIZE)
            text = units_format_size(value);
        else
            text = g_strdup_printf("%" G_GINT64_FORMAT, value);
    }
    return fill(row->says, text);
}

char *trust_words_for_image(const schema_key *row, const char *image)
{
    if (g_strcmp0(image, "host") == 0)
        return g_strdup("run this machine's own programs (its /usr, read-only), not those of an "
                        "image");
    if (g_str_has_prefix(image, "template:"))
        return trust_words_for("build and run the image of Litterbox's template %s",
                               image + strlen("template:"));
    return trust_words_for(row->says, image);
}
