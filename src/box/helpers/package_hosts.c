#include "box/helpers/package_hosts.h"

#include <fcntl.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

#define RECORD_FILE "network-sources"
#define RECORD_MAX (128 * 1024)
/* Those of images. Another number when other hosts are found in the same files. */
#define IMAGES_FILE "image-sources-1"
/* Bytes of it: older ones are left out. */
#define IMAGES_MAX (64 * 1024)
/* Begins the hosts of one container, or of those of an image. */
#define SECTION "container "
#define UNKNOWN "unknown"

static char *record_path(const struct box *self)
{
    return g_build_filename(self->data, RECORD_FILE, NULL);
}

/* The lines of the record PATH; none when there is no file. */
static char **read_sections(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    if (fs_read(AT_FDCWD, path, RECORD_MAX, &text, NULL, &problem))
        return g_strsplit(text, "\n", -1);
    if (g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        return g_new0(char *, 1);
    g_propagate_error(error, g_steal_pointer(&problem));
    return NULL;
}

static char **read_record(const struct box *self, GError **error)
{
    g_autofree char *path = record_path(self);
    return read_sections(path, error);
}

static gboolean begins_section(const char *line)
{
    return g_str_has_prefix(line, SECTION);
}

/* The line behind that of the container ID (NULL: of the first one); NULL when there is none. */
static char **find_section(char **lines, const char *id)
{
    for (; *lines; lines++)
        if (begins_section(*lines) && (!id || strcmp(*lines + strlen(SECTION), id) == 0))
            return lines + 1;
    return NULL;
}

/* LINES end at their NULL, or where the next section begins. */
static void append_section(GString *text, const char *id, char *const *lines)
{
    g_string_append_printf(text, SECTION "%s\n", id);
    for (; *lines && **lines && !begins_section(*lines); lines++)
        g_string_append_printf(text, "%s\n", *lines);
}

/* Appends the first section of LINES that is not that of ID. */
static void append_other(GString *text, const char *id, char **lines)
{
    while ((lines = find_section(lines, NULL))) {
        const char *name = lines[-1] + strlen(SECTION);
        if (strcmp(name, id) != 0) {
            append_section(text, name, lines);
            return;
        }
    }
}

gboolean package_hosts_write(const struct box *self, const char *id, char *const *lines,
                             GError **error)
{
    g_autofree char *path = record_path(self);
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(GStrv) before = read_record(self, error);
    if (!before)
        return FALSE;
    append_other(text, id, before);
    append_section(text, id, lines);
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}

char **package_hosts_of_image(const char *image)
{
    g_autofree char *path = paths_state(IMAGES_FILE);
    g_auto(GStrv) lines = read_sections(path, NULL);
    char **own = lines ? find_section(lines, image) : NULL;
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
    for (; own && *own && **own && !begins_section(*own); own++)
        g_ptr_array_add(list, g_strdup(*own));
    return own ? text_list(g_steal_pointer(&list)) : NULL;
}

/* Two that write at once: one of them is read again. */
void package_hosts_keep_image(const char *image, char *const *lines)
{
    g_autofree char *folder = paths_state(NULL), *path = paths_state(IMAGES_FILE);
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(GStrv) before = read_sections(path, NULL);
    append_section(text, image, lines);
    for (char **next = before; next && (next = find_section(next, NULL));) {
        gsize length = text->len;
        if (strcmp(next[-1] + strlen(SECTION), image) != 0)
            append_section(text, next[-1] + strlen(SECTION), next);
        if (text->len > IMAGES_MAX) {
            g_string_truncate(text, length);
            break;
        }
    }
    if (fs_make_folder(folder, 0700, NULL))
        fs_write(path, text->str, (gssize)text->len, 0600, NULL);
}

gboolean package_hosts_inherit(const struct box *self, const char *id, GError **error)
{
    g_autofree char *path = record_path(self);
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(GStrv) lines = read_record(self, error);
    char **first = lines ? find_section(lines, NULL) : NULL;
    if (!first)
        return lines != NULL;
    append_section(text, first[-1] + strlen(SECTION), first);
    append_section(text, id, first);
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}

gboolean package_hosts_choose(const struct box *self, const char *id, GError **error)
{
    /* Nothing is known of a container without a section, which is not the same as no hosts. */
    static char *const unknown[] = {UNKNOWN, NULL};
    g_autofree char *path = record_path(self);
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(GStrv) lines = read_record(self, error);
    char **own = lines ? find_section(lines, id) : NULL;
    if (!lines || !*lines || own == lines + 1)
        return lines != NULL;
    append_section(text, id, own ? own : unknown);
    append_other(text, id, lines);
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}

gboolean package_hosts_know(const struct box *self, const char *id)
{
    g_auto(GStrv) lines = read_record(self, NULL);
    char **own = lines ? find_section(lines, id) : NULL;
    return own && g_strcmp0(*own, UNKNOWN) != 0;
}

char **package_hosts_read(const struct box *self, const char *group, GError **error)
{
    g_auto(GStrv) lines = read_record(self, error);
    char **line = lines ? find_section(lines, NULL) : NULL;
    if (!line || g_strcmp0(*line, UNKNOWN) == 0)
        return NULL;
    g_autofree char *prefix = g_strconcat(group, " ", NULL);
    g_autoptr(GPtrArray) rules = g_ptr_array_new();
    for (; *line && **line && !begins_section(*line); line++)
        if (g_str_has_prefix(*line, prefix))
            g_ptr_array_add(rules, g_strdup(*line + strlen(prefix)));
    g_ptr_array_add(rules, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&rules), FALSE);
}
