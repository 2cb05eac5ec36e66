#include "ssh-agent/agent/attached_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "proto/agent_control.h"
#include "ssh-agent/wire/key.h"

/* In bytes: a file with ATTACHED_KEYS_MAX keys of the longest label. */
#define FILE_MAX (256 * 1024)

static void attached_key_free(gpointer data)
{
    attached_key *self = data;
    g_free(self->fingerprint);
    g_free(self->label);
    g_free(self);
}

GPtrArray *attached_keys_new(void)
{
    return g_ptr_array_new_with_free_func(attached_key_free);
}

static void add(GPtrArray *self, const char *fingerprint, const char *label)
{
    if (label && !*label)
        label = NULL;
    if ((!fingerprint && !label) || self->len >= ATTACHED_KEYS_MAX)
        return;
    attached_key *made = g_new0(attached_key, 1);
    made->fingerprint = g_strdup(fingerprint);
    made->label = g_strdup(label);
    g_ptr_array_add(self, made);
}

/* Adds the key of LINE, of a public key file. Its label is its comment or, when that is empty,
 * NAME. */
static gboolean add_line(GPtrArray *self, const char *line, const char *name)
{
    char fingerprint[SSH_FINGERPRINT_SIZE];
    struct ssh_span blob, comment;
    struct ssh_key key;
    gsize size = strlen(line);
    g_autofree guint8 *memory = g_malloc(size);
    if (!ssh_key_decode(ssh_span_text(line), memory, size, &blob, &comment) ||
        !ssh_key_parse(&key, blob))
        return FALSE;
    ssh_key_fingerprint(&key, fingerprint);
    g_autofree char *label =
        text_safe_max((const char *)comment.data, (gssize)comment.length, AGENT_LABEL_MAX);
    add(self, fingerprint, *label ? label : name);
    return TRUE;
}

json_t *attached_keys_parse(GPtrArray *self, const json_t *list)
{
    json_t *each, *wrong = json_array();
    size_t i;
    g_ptr_array_set_size(self, 0);
    json_array_foreach ((json_t *)list, i, each) {
        const char *line = json_string_value(json_object_get(each, "line"));
        const char *label = json_string_value(json_object_get(each, "label"));
        if (!line)
            add(self, json_string_value(json_object_get(each, "fingerprint")), label);
        else if (!add_line(self, line, label))
            json_array_append_new(wrong, json_integer((json_int_t)i));
    }
    return wrong;
}

static char *file_of(const char *box)
{
    g_autofree char *tail = g_build_filename("attached", box, NULL);
    return paths_state(tail);
}

gboolean attached_keys_exist(const char *box)
{
    g_autofree char *path = file_of(box);
    return access(path, F_OK) == 0 || errno != ENOENT;
}

gboolean attached_keys_read(GPtrArray *self, const char *box, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *path = file_of(box), *data = NULL;
    g_ptr_array_set_size(self, 0);
    if (!fs_read(AT_FDCWD, path, FILE_MAX, &data, NULL, &problem)) {
        gboolean missing = g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT);
        if (!missing)
            g_propagate_error(error, g_steal_pointer(&problem));
        return missing;
    }
    g_auto(GStrv) lines = g_strsplit(data, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, " ", 2);
        if (g_str_has_prefix(*line, "SHA256:"))
            add(self, parts[0], parts[1]);
    }
    return TRUE;
}

static gboolean write_file(const char *box, const GPtrArray *keys, GError **error)
{
    g_autofree char *path = file_of(box);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < keys->len; i++) {
        const attached_key *each = keys->pdata[i];
        g_string_append_printf(text, "%s %s\n", each->fingerprint, each->label ? each->label : "");
    }
    /* fs_write() links an unnamed file (O_TMPFILE), which Landlock does not allow. */
    return g_file_set_contents_full(path, text->str, (gssize)text->len,
                                    G_FILE_SET_CONTENTS_CONSISTENT, 0600, error);
}

/* Removes KEY, a fingerprint or (unless EXACT) a label, from KEYS. Returns how many there were. */
static guint drop(GPtrArray *keys, const char *key, gboolean exact)
{
    guint before = keys->len;
    for (guint i = keys->len; i > 0; i--) {
        const attached_key *each = keys->pdata[i - 1];
        if (g_strcmp0(each->fingerprint, key) == 0 || (!exact && g_strcmp0(each->label, key) == 0))
            g_ptr_array_remove_index(keys, i - 1);
    }
    return before - keys->len;
}

gboolean attached_keys_attach(const char *box, const json_t *list, GError **error)
{
    g_autoptr(GPtrArray) keys = attached_keys_new();
    json_t *each;
    size_t i;
    if (!attached_keys_read(keys, box, error))
        return FALSE;
    json_array_foreach ((json_t *)list, i, each) {
        const char *fingerprint = json_string_value(json_object_get(each, "fingerprint"));
        g_autofree char *label =
            text_safe_max(json_string_value(json_object_get(each, "label")), -1, AGENT_LABEL_MAX);
        if (!fingerprint || !g_str_has_prefix(fingerprint, "SHA256:") ||
            strpbrk(fingerprint, " \n") || keys->len >= ATTACHED_KEYS_MAX) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "no fingerprint, or too many keys");
            return FALSE;
        }
        drop(keys, fingerprint, TRUE);
        add(keys, fingerprint, label);
    }
    return write_file(box, keys, error);
}

gboolean attached_keys_detach(const char *box, const char *key, GError **error)
{
    g_autoptr(GPtrArray) keys = attached_keys_new();
    g_autofree char *safe = text_safe(key, -1);
    if (!attached_keys_read(keys, box, error))
        return FALSE;
    if (drop(keys, key, FALSE))
        return write_file(box, keys, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                "'%s' is not attached to box '%s' by 'attach' (your configuration may name it)",
                safe, box);
    return FALSE;
}

static gboolean change_in(const char *box, const char *fingerprint, const char *label,
                          json_t *names, GError **error)
{
    g_autoptr(GPtrArray) keys = attached_keys_new();
    if (!attached_keys_read(keys, box, error))
        return FALSE;
    if (!drop(keys, fingerprint, TRUE))
        return TRUE;
    if (label)
        add(keys, fingerprint, label);
    json_array_append_new(names, json_string(box));
    return write_file(box, keys, error);
}

json_t *attached_keys_change_in_all(const char *fingerprint, const char *label, GError **error)
{
    g_autofree char *path = file_of(NULL);
    g_autoptr(GDir) listing = g_dir_open(path, 0, error);
    g_autoptr(GPtrArray) boxes = g_ptr_array_new_with_free_func(g_free);
    gboolean good = listing != NULL;
    json_t *names = json_array();
    for (const char *box; listing && (box = g_dir_read_name(listing));)
        g_ptr_array_add(boxes, g_strdup(box));
    /* Of several errors the first one; a deleted key stays attached to no other box. */
    for (guint i = 0; i < boxes->len; i++)
        good &= change_in(boxes->pdata[i], fingerprint, label, names, good ? error : NULL);
    if (good)
        return names;
    json_decref(names);
    return NULL;
}

static gboolean is_text(const char *comment, gsize length, const char *label)
{
    return strlen(label) == length && memcmp(label, comment, length) == 0;
}

char *attached_keys_label(const GPtrArray *self, const char *fingerprint, const char *comment,
                          gsize length)
{
    for (guint i = 0; i < self->len; i++) {
        const attached_key *each = self->pdata[i];
        if (each->fingerprint ? strcmp(each->fingerprint, fingerprint) != 0
                              : !is_text(comment, length, each->label))
            continue;
        if (each->label)
            return text_safe_max(each->label, -1, AGENT_LABEL_MAX);
        return length ? text_safe_max(comment, (gssize)length, AGENT_LABEL_MAX)
                      : g_strdup(fingerprint);
    }
    return NULL;
}

gboolean attached_keys_contain(const GPtrArray *self, const char *fingerprint)
{
    for (guint i = 0; i < self->len; i++) {
        const attached_key *each = self->pdata[i];
        if (g_strcmp0(each->fingerprint, fingerprint) == 0)
            return TRUE;
    }
    return FALSE;
}
