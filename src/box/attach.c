#include "box/attach.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/agent.h"
#include "box/lifecycle.h"
#include "common/fs.h"
#include "common/text.h"
#include "config/config.h"

#define ATTACHED_MAX (256 * 1024)

/* What the agent could offer: its own keys and those of the real one. */
static json_t *offered(const settings *wanted, GError **error)
{
    g_autofree char *upstream = agent_upstream(wanted);
    return agent_call(json_pack("{s:s, s:s}", "op", "keys", "upstream", upstream ? upstream : ""),
                      TRUE, error);
}

static gboolean is_called(const json_t *key, const char *name)
{
    return g_strcmp0(json_string_value(json_object_get(key, "fingerprint")), name) == 0 ||
           g_strcmp0(json_string_value(json_object_get(key, "label")), name) == 0;
}

/* The only one of that name; NULL with ERROR. Owned by KEYS. */
static json_t *choose(json_t *keys, const char *name, GError **error)
{
    json_t *each, *found = NULL;
    size_t i;
    guint count = 0;
    g_autofree char *safe = text_safe(name, -1);
    json_array_foreach (keys, i, each) {
        if (!is_called(each, name))
            continue;
        found = each;
        count++;
    }
    if (count == 1)
        return found;
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                count ? "there are %u keys called '%s': name one by its fingerprint"
                      : "there are %u keys called '%s': 'ssh-add -l' lists those of your agent",
                count, safe);
    return NULL;
}

static char **read_lines(const char *path)
{
    g_autofree char *text = NULL;
    if (!fs_read(AT_FDCWD, path, ATTACHED_MAX, &text, NULL, NULL))
        return g_new0(char *, 1);
    return g_strsplit(text, "\n", -1);
}

/* Writes LINES without those of FINGERPRINT, and with ADDED (may be NULL) behind them. */
static gboolean write_lines(const char *path, char **lines, const char *fingerprint,
                            const char *added, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *folder = g_path_get_dirname(path);
    for (; *lines; lines++)
        if (**lines && !g_str_has_prefix(*lines, fingerprint))
            g_string_append_printf(text, "%s\n", *lines);
    if (added)
        g_string_append_printf(text, "%s %s\n", fingerprint, added);
    if (!fs_make_folder(folder, 0700, error) ||
        !fs_write(path, text->str, (gssize)text->len, 0600, error))
        return FALSE;
    json_decref(agent_call(json_pack("{s:s}", "op", "reload"), FALSE, NULL));
    return TRUE;
}

/* A running box that had no keys may not be known to the agent yet. */
static void make_known(const box *self, const settings *wanted)
{
    int connection = lifecycle_connect(self);
    if (connection < 0)
        return;
    agent_open_box(self, wanted, connection);
    close(connection);
}

gboolean attach_key(const box *self, const char *key, GError **error)
{
    g_autofree char *path = agent_attached_path(self->name);
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, error);
    json_t *answer = read ? offered(config_settings(read), error) : NULL;
    json_t *found = answer ? choose(json_object_get(answer, "keys"), key, error) : NULL;
    gboolean done = FALSE;
    if (found) {
        g_auto(GStrv) lines = read_lines(path);
        /* A label is one line here, whatever the key's comment holds: the agent made it safe. */
        done = write_lines(path, lines, json_string_value(json_object_get(found, "fingerprint")),
                           json_string_value(json_object_get(found, "label")), error);
    }
    json_decref(answer);
    if (done)
        make_known(self, config_settings(read));
    return done;
}

gboolean detach_key(const box *self, const char *key, GError **error)
{
    g_autofree char *path = agent_attached_path(self->name);
    g_auto(GStrv) lines = read_lines(path);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, " ", 2);
        if (parts[0] && (strcmp(parts[0], key) == 0 || g_strcmp0(parts[1], key) == 0))
            return write_lines(path, lines, parts[0], NULL, error);
    }
    g_autofree char *safe = text_safe(key, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                "'%s' is not attached to box '%s' by 'attach' (your configuration may name it)",
                safe, self->name);
    return FALSE;
}
