#include "config/words.h"

#include <string.h>

#include "common/paths.h"
#include "common/text.h"

/* Longest foreign text in a sentence. */
#define WORDS_MAX 200

/* Places that are worth a warning: "~" is the home. The first that fits is said. */
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

/* TEXT in SAYS at its %s. By hand: a format string may not come from a table. */
static char *fill(const char *says, const char *text)
{
    const char *hole = strstr(says, "%s");
    if (!hole)
        return g_strdup(says);
    return g_strdup_printf("%.*s%s%s", (int)(hole - says), says, text, hole + 2);
}

char *words_for(const char *says, const char *text)
{
    g_autofree char *safe = text_safe_max(text, -1, WORDS_MAX);
    g_autofree char *quoted = g_strdup_printf("'%s'", safe);
    return fill(says, quoted);
}

static char *expand(const char *path)
{
    return *path == '~' ? g_strconcat(paths_home(), path + 1, NULL) : g_strdup(path);
}

/* TRUE when PATH is FOLDER or lies below it. */
static gboolean within(const char *path, const char *folder)
{
    gsize length = strlen(folder);
    if (g_str_equal(folder, "/"))
        return TRUE;
    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

/* What SOURCE holds that its name does not say, or NULL. */
static const char *warning(const char *source)
{
    g_autofree char *path = expand(source);
    if (g_str_equal(path, "/"))
        return "this whole machine";
    if (within(paths_home(), path))
        return "your whole home, keys and all";
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *place = expand(places[i].path);
        if (within(path, place) || within(place, path))
            return places[i].holds;
    }
    return NULL;
}

char *words_for_mount(const settings_mount *mount)
{
    const char *holds = warning(mount->source);
    g_autofree char *same = expand(mount->source);
    g_autofree char *source = text_safe_max(mount->source, -1, WORDS_MAX);
    g_autofree char *target = text_safe_max(mount->target, -1, WORDS_MAX);
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

char *words_for_port(const port_mapping *port)
{
    g_autofree char *ip = text_safe_max(port->host_ip, -1, 64);
    return g_strdup_printf("publish its %s port %u on %s port %u (%s)", port->udp ? "UDP" : "TCP",
                           port->box_port, ip, port->host_port,
                           port_mapping_is_local(port) ? "this machine alone"
                                                       : "other machines reach it");
}

char *words_for_limit(const schema_key *row, const settings *self)
{
    const void *field = schema_field_const(row, self);
    g_autofree char *text = NULL;
    if (row->kind == SCHEMA_DOUBLE) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        double value = *(const double *)field;
        text = g_strdup(value == 0 ? "none" : g_ascii_dtostr(number, sizeof number, value));
    } else {
        gint64 value = *(const gint64 *)field;
        if (value == 0)
            text = g_strdup("none");
        else if (row->kind == SCHEMA_SIZE)
            text = text_format_size(value);
        else
            text = g_strdup_printf("%" G_GINT64_FORMAT, value);
    }
    return fill(row->says, text);
}
