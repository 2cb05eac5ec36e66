#include "ssh-agent/agent/wishes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "ssh-agent/wire/key.h"

#define FILE_MAX (256 * 1024)
#define LABEL_MAX 128

static void wish_free(gpointer data)
{
    key_wish *self = data;
    g_free(self->fingerprint);
    g_free(self->label);
    g_free(self);
}

GPtrArray *wishes_new(void)
{
    return g_ptr_array_new_with_free_func(wish_free);
}

static void add(GPtrArray *self, const char *fingerprint, const char *label)
{
    if (label && !*label)
        label = NULL;
    if ((!fingerprint && !label) || self->len >= WISHES_MAX)
        return;
    key_wish *made = g_new0(key_wish, 1);
    made->fingerprint = g_strdup(fingerprint);
    made->label = g_strdup(label);
    g_ptr_array_add(self, made);
}

/* The key of LINE, as a .pub file has it, is called by its comment, or else NAME. */
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
        text_safe_max((const char *)comment.data, (gssize)comment.length, LABEL_MAX);
    add(self, fingerprint, *label ? label : name);
    return TRUE;
}

json_t *wishes_take(GPtrArray *self, const json_t *list)
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

gboolean wishes_were_asked(const char *box)
{
    g_autofree char *path = file_of(box);
    return access(path, F_OK) == 0 || errno != ENOENT;
}

gboolean wishes_read(GPtrArray *self, const char *box, GError **error)
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

static gboolean write_file(const char *box, const GPtrArray *wishes, GError **error)
{
    g_autofree char *path = file_of(box);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < wishes->len; i++) {
        const key_wish *each = wishes->pdata[i];
        g_string_append_printf(text, "%s %s\n", each->fingerprint, each->label ? each->label : "");
    }
    /* Not fs_write(): the sandbox lets no unnamed file be linked. */
    return g_file_set_contents_full(path, text->str, (gssize)text->len,
                                    G_FILE_SET_CONTENTS_CONSISTENT, 0600, error);
}

/* Takes those called KEY, by fingerprint or (unless EXACT) by label, out of WISHES. */
static guint drop(GPtrArray *wishes, const char *key, gboolean exact)
{
    guint before = wishes->len;
    for (guint i = wishes->len; i > 0; i--) {
        const key_wish *each = wishes->pdata[i - 1];
        if (g_strcmp0(each->fingerprint, key) == 0 || (!exact && g_strcmp0(each->label, key) == 0))
            g_ptr_array_remove_index(wishes, i - 1);
    }
    return before - wishes->len;
}

gboolean wishes_attach(const char *box, const json_t *keys, GError **error)
{
    g_autoptr(GPtrArray) wishes = wishes_new();
    json_t *each;
    size_t i;
    if (!wishes_read(wishes, box, error))
        return FALSE;
    json_array_foreach ((json_t *)keys, i, each) {
        const char *fingerprint = json_string_value(json_object_get(each, "fingerprint"));
        g_autofree char *label =
            text_safe_max(json_string_value(json_object_get(each, "label")), -1, LABEL_MAX);
        if (!fingerprint || !g_str_has_prefix(fingerprint, "SHA256:") ||
            strpbrk(fingerprint, " \n") || wishes->len >= WISHES_MAX) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "no fingerprint, or too many keys");
            return FALSE;
        }
        drop(wishes, fingerprint, TRUE);
        add(wishes, fingerprint, label);
    }
    return write_file(box, wishes, error);
}

gboolean wishes_detach(const char *box, const char *key, GError **error)
{
    g_autoptr(GPtrArray) wishes = wishes_new();
    g_autofree char *safe = text_safe(key, -1);
    if (!wishes_read(wishes, box, error))
        return FALSE;
    if (drop(wishes, key, FALSE))
        return write_file(box, wishes, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                "'%s' is not attached to box '%s' by 'attach' (your configuration may name it)",
                safe, box);
    return FALSE;
}

static gboolean change_in(const char *box, const char *fingerprint, const char *label,
                          json_t *names, GError **error)
{
    g_autoptr(GPtrArray) wishes = wishes_new();
    if (!wishes_read(wishes, box, error))
        return FALSE;
    if (!drop(wishes, fingerprint, TRUE))
        return TRUE;
    if (label)
        add(wishes, fingerprint, label);
    json_array_append_new(names, json_string(box));
    return write_file(box, wishes, error);
}

json_t *wishes_change_in_all(const char *fingerprint, const char *label, GError **error)
{
    g_autofree char *path = file_of(NULL);
    g_autoptr(GDir) listing = g_dir_open(path, 0, error);
    g_autoptr(GPtrArray) boxes = g_ptr_array_new_with_free_func(g_free);
    gboolean good = listing != NULL;
    json_t *names = json_array();
    for (const char *box; listing && (box = g_dir_read_name(listing));)
        g_ptr_array_add(boxes, g_strdup(box));
    for (guint i = 0; good && i < boxes->len; i++)
        good = change_in(boxes->pdata[i], fingerprint, label, names, error);
    if (good)
        return names;
    json_decref(names);
    return NULL;
}

static gboolean is_text(const char *comment, gsize length, const char *label)
{
    return strlen(label) == length && memcmp(label, comment, length) == 0;
}

char *wishes_label(const GPtrArray *self, const char *fingerprint, const char *comment,
                   gsize length)
{
    for (guint i = 0; i < self->len; i++) {
        const key_wish *each = self->pdata[i];
        if (each->fingerprint ? strcmp(each->fingerprint, fingerprint) != 0
                              : !is_text(comment, length, each->label))
            continue;
        if (each->label)
            return text_safe_max(each->label, -1, LABEL_MAX);
        return length ? text_safe_max(comment, (gssize)length, LABEL_MAX) : g_strdup(fingerprint);
    }
    return NULL;
}

gboolean wishes_name(const GPtrArray *self, const char *fingerprint)
{
    for (guint i = 0; i < self->len; i++) {
        const key_wish *each = self->pdata[i];
        if (g_strcmp0(each->fingerprint, fingerprint) == 0)
            return TRUE;
    }
    return FALSE;
}
