#include "ssh-agent/agent/wishes.h"

#include <fcntl.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

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

void wishes_take(GPtrArray *self, const json_t *list)
{
    json_t *each;
    size_t i;
    g_ptr_array_set_size(self, 0);
    json_array_foreach ((json_t *)list, i, each)
        add(self, json_string_value(json_object_get(each, "fingerprint")),
            json_string_value(json_object_get(each, "label")));
}

static char *file_of(const char *box)
{
    g_autofree char *tail = g_build_filename("attached", box, NULL);
    return paths_state(tail);
}

gboolean wishes_were_asked(const char *box)
{
    g_autofree char *path = file_of(box);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

void wishes_write(const char *box, const char *lines)
{
    g_autofree char *path = file_of(box);
    if (!g_file_set_contents_full(path, lines, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
        g_message("cannot note which keys were chosen for box '%s'", box);
}

void wishes_read(GPtrArray *self, const char *box)
{
    g_autofree char *path = file_of(box), *data = NULL;
    g_ptr_array_set_size(self, 0);
    if (!fs_read(AT_FDCWD, path, FILE_MAX, &data, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(data, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, " ", 2);
        if (g_str_has_prefix(*line, "SHA256:"))
            add(self, parts[0], parts[1]);
    }
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

gboolean wishes_have(const GPtrArray *a, const GPtrArray *b, const char *fingerprint)
{
    const GPtrArray *lists[] = {a, b};
    for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
        for (guint i = 0; i < lists[l]->len; i++) {
            const key_wish *each = lists[l]->pdata[i];
            /* A label may be that of any key; whether it is, is looked at before each signature. */
            if (!each->fingerprint || strcmp(each->fingerprint, fingerprint) == 0)
                return TRUE;
        }
    return FALSE;
}
