#include "box/menu/menu_entries.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

/* The sizes of icon themes; ends with 0. */
static const guint png_icon_sides[] = {16, 22, 24, 32, 36, 48, 64, 72, 96, 128, 192, 256, 512, 0};

#define SUFFIX ".desktop"
#define ICON_SUFFIX ".png"
/* Bytes. Litterbox's entries have a few hundred. */
#define FILE_MAX (64 * 1024)

static char *entries_folder(void)
{
    return g_build_filename(g_get_user_data_dir(), "applications", NULL);
}

static char *icons_folder(guint side)
{
    g_autofree char *size = g_strdup_printf("%ux%u", side, side);
    return g_build_filename(g_get_user_data_dir(), "icons", "hicolor", size, "apps", NULL);
}

/* The prefix of all file names of BOX, or of all boxes (NULL). */
static char *name_prefix(const char *box)
{
    const char *instance = paths_instance();
    return g_strconcat("litterbox", *instance ? "+" : "-", instance, *instance ? "+" : "",
                       box ? box : "", box ? "+" : "", NULL);
}

char *menu_entry_icon_name(const char *box, const char *id)
{
    g_autofree char *prefix = name_prefix(box);
    return g_strconcat(prefix, id, NULL);
}

static char *entry_path(const char *box, const char *id)
{
    g_autofree char *folder = entries_folder();
    g_autofree char *stem = menu_entry_icon_name(box, id);
    g_autofree char *name = g_strconcat(stem, SUFFIX, NULL);
    return g_build_filename(folder, name, NULL);
}

static void menu_entry_free(gpointer data)
{
    menu_entry *self = data;
    g_free(self->box);
    g_free(self->id);
    g_free(self->text);
    g_free(self);
}

static gboolean box_is_missing(const char *box)
{
    g_autofree char *tail = g_build_filename("boxes", box, NULL);
    g_autofree char *data = paths_data(tail);
    return access(data, F_OK) < 0 && errno == ENOENT;
}

/* The entry at PATH; NULL when it is missing or not Litterbox's. */
static menu_entry *read_entry(const char *path)
{
    g_autofree char *text = NULL;
    gsize length = 0;
    g_autoptr(GKeyFile) file = g_key_file_new();
    if (!fs_read(AT_FDCWD, path, FILE_MAX, &text, &length, NULL) ||
        !g_key_file_load_from_data(file, text, length, G_KEY_FILE_NONE, NULL))
        return NULL;
    g_autofree char *box = g_key_file_get_string(file, ENTRY_GROUP, ENTRY_KEY_BOX, NULL);
    g_autofree char *id = g_key_file_get_string(file, ENTRY_GROUP, ENTRY_KEY_APP, NULL);
    g_autofree char *instance = g_key_file_get_string(file, ENTRY_GROUP, ENTRY_KEY_INSTANCE, NULL);
    g_autofree char *program = g_key_file_get_string(file, ENTRY_GROUP, "TryExec", NULL);
    if (!box || !id || !program || strchr(box, '/') || !desktop_entry_id_is_valid(id, -1) ||
        strcmp(instance ? instance : "", paths_instance()) != 0)
        return NULL;
    g_autofree char *expected = entry_path(box, id);
    if (strcmp(expected, path) != 0)
        return NULL;
    menu_entry *self = g_new0(menu_entry, 1);
    *self = (menu_entry){.is_broken = access(program, X_OK) < 0, .is_orphan = box_is_missing(box)};
    self->box = g_steal_pointer(&box);
    self->id = g_steal_pointer(&id);
    self->text = g_steal_pointer(&text);
    return self;
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
    const menu_entry *one = *(const menu_entry *const *)a, *other = *(const menu_entry *const *)b;
    int order = strcmp(one->box, other->box);
    return order ? order : strcmp(one->id, other->id);
}

GPtrArray *menu_entries_find(const char *box)
{
    g_autofree char *folder = entries_folder();
    g_autofree char *prefix = name_prefix(box);
    GPtrArray *list = g_ptr_array_new_with_free_func(menu_entry_free);
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        menu_entry *one = g_str_has_prefix(name, prefix) ? read_entry(path) : NULL;
        if (one)
            g_ptr_array_add(list, one);
    }
    g_ptr_array_sort(list, compare_entries);
    return list;
}

const menu_entry *menu_entries_lookup(const GPtrArray *list, const char *id)
{
    for (guint i = 0; i < list->len; i++) {
        const menu_entry *one = list->pdata[i];
        if (strcmp(one->id, id) == 0)
            return one;
    }
    return NULL;
}

/* Removes the icon START from FOLDER, or with IS_PREFIX all icons whose names begin with START. */
static void remove_icons_in(const char *folder, const char *start, gboolean is_prefix)
{
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_str_has_prefix(name, start) &&
            (is_prefix || strcmp(name + strlen(start), ICON_SUFFIX) == 0))
            unlink(path);
    }
}

static void remove_icons(const char *start, gboolean is_prefix)
{
    for (const guint *side = png_icon_sides; *side; side++) {
        g_autofree char *folder = icons_folder(*side);
        remove_icons_in(folder, start, is_prefix);
    }
}

static gboolean write_icon(const char *name, GByteArray *icon, guint side, GError **error)
{
    g_autofree char *folder = icons_folder(side);
    g_autofree char *file = g_strconcat(name, ICON_SUFFIX, NULL);
    g_autofree char *path = g_build_filename(folder, file, NULL);
    return fs_make_folder(folder, 0700, error) &&
           fs_write(path, (const char *)icon->data, (gssize)icon->len, 0600, error);
}

/* TRUE when there is no file at PATH, or an entry of Litterbox. */
static gboolean check_path(const char *path, GError **error)
{
    struct stat st;
    menu_entry *there = read_entry(path);
    gboolean is_menu_entry = there != NULL;
    g_clear_pointer(&there, menu_entry_free);
    if (is_menu_entry || (lstat(path, &st) < 0 && errno == ENOENT))
        return TRUE;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "'%s' exists and is not an entry of Litterbox; move it away and try again", safe);
    return FALSE;
}

gboolean menu_entry_write(const char *box, const char *id, const char *text, GByteArray *icon,
                          guint side, GError **error)
{
    g_autofree char *folder = entries_folder();
    g_autofree char *path = entry_path(box, id);
    g_autofree char *name = menu_entry_icon_name(box, id);
    if (!fs_make_folder(folder, 0700, error) || !check_path(path, error))
        return FALSE;
    remove_icons(name, FALSE);
    return (!icon || write_icon(name, icon, side, error)) && fs_write(path, text, -1, 0600, error);
}

gboolean menu_entry_remove(const char *box, const char *id, GError **error)
{
    g_autofree char *path = entry_path(box, id);
    g_autofree char *name = menu_entry_icon_name(box, id);
    menu_entry *there = read_entry(path);
    int failed = there && unlink(path) < 0 && errno != ENOENT ? errno : 0;
    g_clear_pointer(&there, menu_entry_free);
    if (failed) {
        g_autofree char *safe = text_safe(path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s': %s", safe, g_strerror(failed));
        return FALSE;
    }
    remove_icons(name, FALSE);
    return TRUE;
}

void menu_entries_remove_all(const char *box)
{
    g_autofree char *prefix = name_prefix(box);
    g_autoptr(GPtrArray) list = menu_entries_find(box);
    for (guint i = 0; i < list->len; i++) {
        const menu_entry *one = list->pdata[i];
        menu_entry_remove(box, one->id, NULL);
    }
    remove_icons(prefix, TRUE);
    if (list->len)
        menu_entries_notify();
}

/* The text of ONE as an entry of the box TO; NULL when it cannot be read, or with ERROR. */
static char *renamed_text(const menu_entry *one, const char *to, const char *icon, GError **error)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autoptr(desktop_entry) entry = desktop_entry_parse(one->id, "", one->text, strlen(one->text));
    g_autofree char *mark = g_strdup_printf(" (%s)", one->box);
    if (!entry || !g_key_file_load_from_data(file, one->text, -1, G_KEY_FILE_NONE, NULL))
        return NULL;
    g_autofree char *program = g_key_file_get_string(file, ENTRY_GROUP, "TryExec", NULL);
    g_autofree char *old_icon = menu_entry_icon_name(one->box, one->id);
    gboolean has_own = g_strcmp0(entry->icon, old_icon) == 0;
    if (g_str_has_suffix(entry->name, mark))
        entry->name[strlen(entry->name) - strlen(mark)] = '\0';
    desktop_entry_owner owner = {to, paths_instance(), program,
                                 has_own || !entry->icon ? icon : entry->icon};
    return desktop_entry_to_text(entry, &owner, error);
}

static void rename_icons(const char *from, const char *to)
{
    g_autofree char *old = g_strconcat(from, ICON_SUFFIX, NULL);
    g_autofree char *new = g_strconcat(to, ICON_SUFFIX, NULL);
    for (const guint *side = png_icon_sides; *side; side++) {
        g_autofree char *folder = icons_folder(*side);
        g_autofree char *old_path = g_build_filename(folder, old, NULL);
        g_autofree char *new_path = g_build_filename(folder, new, NULL);
        if (rename(old_path, new_path) < 0 && errno != ENOENT)
            unlink(old_path); /* it is only a picture */
    }
}

static gboolean rename_entry(const menu_entry *one, const char *to, GError **error)
{
    g_autofree char *path = entry_path(to, one->id);
    g_autofree char *from_icon = menu_entry_icon_name(one->box, one->id);
    g_autofree char *icon = menu_entry_icon_name(to, one->id);
    g_autofree char *text = renamed_text(one, to, icon, error);
    if (!text || !check_path(path, error))
        return FALSE;
    rename_icons(from_icon, icon);
    return fs_write(path, text, -1, 0600, error) && menu_entry_remove(one->box, one->id, error);
}

gboolean menu_entries_rename(const char *from, const char *to, GError **error)
{
    g_autoptr(GPtrArray) list = menu_entries_find(from);
    for (guint i = 0; i < list->len; i++) {
        const menu_entry *one = list->pdata[i];
        g_autoptr(GError) problem = NULL;
        if (rename_entry(one, to, &problem))
            continue;
        if (problem) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return FALSE;
        }
        /* One that cannot be read would start the old box, which is gone. */
        menu_entry_remove(from, one->id, NULL);
    }
    if (list->len)
        menu_entries_notify();
    return TRUE;
}

char *menu_find_system_program(const char *name)
{
    static const char *const folders[] = {"/usr/bin", "/usr/local/bin", "/bin",
                                          "/run/current-system/sw/bin"};
    for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(folders[i], name, NULL);
        if (access(path, X_OK) == 0)
            return g_steal_pointer(&path);
    }
    return NULL;
}

void menu_entries_notify(void)
{
    g_autofree char *folder = entries_folder();
    g_autofree char *tool = menu_find_system_program("update-desktop-database");
    char *argv[] = {tool, (char *)"-q", folder, NULL};
    if (tool)
        g_spawn_sync("/", argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                     NULL, NULL, NULL, NULL, NULL);
}

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define SIGNATURE_LENGTH 8
#define HEADER_LENGTH 13
/* Bytes of a chunk's length, type and checksum (PNG specification, 5.3). */
#define CHUNK_EXTRA 12

static guint32 number(const guint8 *at)
{
    return (guint32)at[0] << 24 | (guint32)at[1] << 16 | (guint32)at[2] << 8 | at[3];
}

static gboolean has_type(const guint8 *chunk, const char *type)
{
    return memcmp(chunk + 4, type, 4) == 0;
}

/* The allowed combinations of bit depth and colour type (11.2.2). */
static gboolean is_pixel_format(guint8 depth, guint8 colour)
{
    switch (colour) {
    case 0:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case 3:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case 2:
    case 4:
    case 6:
        return depth == 8 || depth == 16;
    default:
        return FALSE;
    }
}

static gboolean read_header(const guint8 *chunk, guint *side)
{
    const guint8 *head = chunk + 8;
    if (number(chunk) != HEADER_LENGTH || !has_type(chunk, "IHDR") || head[10] || head[11] ||
        head[12] > 1 || !is_pixel_format(head[8], head[9]) || number(head) != number(head + 4) ||
        number(head) > PNG_ICON_SIDE_MAX)
        return FALSE;
    for (const guint *known = png_icon_sides; *known; known++)
        if (*known == number(head)) {
            *side = *known;
            return TRUE;
        }
    return FALSE;
}

/* Copies the chunks after the header. FALSE unless the last one is IEND. */
static gboolean copy_chunks(const guint8 *at, const guint8 *end, GByteArray *out)
{
    gboolean pixels = FALSE;
    while (end - at >= CHUNK_EXTRA) {
        guint32 length = number(at);
        if (length > PNG_ICON_MAX || length > (gsize)(end - at) - CHUNK_EXTRA ||
            has_type(at, "IHDR"))
            return FALSE;
        gboolean last = has_type(at, "IEND"), data = has_type(at, "IDAT");
        if (last && length)
            return FALSE;
        pixels |= data;
        if (last || data || has_type(at, "PLTE") || has_type(at, "tRNS"))
            g_byte_array_append(out, at, length + CHUNK_EXTRA);
        if (last)
            return pixels;
        at += length + CHUNK_EXTRA;
    }
    return FALSE;
}

GByteArray *png_icon_clean(const guint8 *data, gsize length, guint *side)
{
    const gsize head = SIGNATURE_LENGTH + CHUNK_EXTRA + HEADER_LENGTH;
    if (length < head || length > PNG_ICON_MAX || memcmp(data, SIGNATURE, SIGNATURE_LENGTH) != 0 ||
        !read_header(data + SIGNATURE_LENGTH, side))
        return NULL;
    g_autoptr(GByteArray) out = g_byte_array_new();
    g_byte_array_append(out, data, (guint)head);
    return copy_chunks(data + head, data + length, out) ? g_steal_pointer(&out) : NULL;
}
