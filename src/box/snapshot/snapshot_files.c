#include "box/snapshot/snapshot_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/paths.h"
#include "console/log.h"

#define SNAPSHOTS "snapshots"
/* The highest number of one that was removed. */
#define LAST_NUMBER ".last"
#define NUMBER_MAX_BYTES 16

static char *path_of(const char *data, guint number)
{
    g_autofree char *name = g_strdup_printf("%u", number);
    return g_build_filename(data, SNAPSHOTS, name, NULL);
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
    guint one = *(const guint *)a, other = *(const guint *)b;
    return one < other ? -1 : one > other;
}

static char *last_path(const char *data)
{
    return g_build_filename(data, SNAPSHOTS, LAST_NUMBER, NULL);
}

/* 0: none was removed. */
static guint last_removed(const char *data)
{
    g_autofree char *path = last_path(data);
    g_autofree char *text = fs_read_text(path, NUMBER_MAX_BYTES);
    guint64 value = 0;
    return text && g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT, &value, NULL) ? (guint)value
                                                                                   : 0;
}

/* DATA is the data folder of a box. NULL with ERROR: nobody knows what there is. */
static GArray *read_numbers(const char *data, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *folder = g_build_filename(data, SNAPSHOTS, NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, &problem);
    if (problem && !g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOENT) &&
        !g_error_matches(problem, G_FILE_ERROR, G_FILE_ERROR_NOTDIR)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return NULL;
    }
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        guint64 value = 0;
        if (*name != '0' && g_ascii_string_to_unsigned(name, 10, 1, G_MAXINT, &value, NULL)) {
            guint number = (guint)value;
            g_array_append_val(numbers, number);
        }
    }
    g_array_sort(numbers, compare_numbers);
    return numbers;
}

GArray *snapshot_numbers(const struct box *self)
{
    g_autoptr(GError) problem = NULL;
    GArray *numbers = read_numbers(self->data, &problem);
    if (problem)
        log_warning("the snapshots of box '%s' cannot be read: %s", self->name, problem->message);
    return numbers ? numbers : g_array_new(FALSE, FALSE, sizeof(guint));
}

static gboolean set_unreadable(const char *path, GError **error)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the snapshot '%s' is damaged", path);
    return FALSE;
}

static gboolean check_there(const struct box *self, guint number, const char *path, GError **error)
{
    if (access(path, F_OK) == 0)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                "box '%s' has no snapshot %u; 'box snapshot list' lists all", self->name, number);
    return FALSE;
}

static gboolean read_header(const char *path, snapshot_header *header, GError **error)
{
    guint8 data[SNAPSHOT_HEADER_MAX];
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : pread(fd, data, sizeof data, 0);
    if (fd >= 0)
        close(fd);
    return (length > 0 && snapshot_header_parse(data, (gsize)length, header)) ||
           set_unreadable(path, error);
}

gboolean snapshot_read_header(const struct box *self, guint number, snapshot_header *header,
                              GError **error)
{
    g_autofree char *path = path_of(self->data, number);
    return check_there(self, number, path, error) && read_header(path, header, error);
}

static snapshot_manifest *read_file(const char *path, GError **error)
{
    g_autofree char *data = NULL;
    gsize length = 0;
    if (!fs_read(AT_FDCWD, path, SNAPSHOT_FILE_MAX, &data, &length, error))
        return NULL;
    snapshot_manifest *self = snapshot_manifest_parse((const guint8 *)data, length);
    if (!self)
        set_unreadable(path, error);
    return self;
}

snapshot_manifest *snapshot_read(const struct box *self, guint number, GError **error)
{
    g_autofree char *path = path_of(self->data, number);
    return check_there(self, number, path, error) ? read_file(path, error) : NULL;
}

gboolean snapshot_write(const struct box *self, const snapshot_manifest *manifest, guint *number,
                        GError **error)
{
    g_autofree char *folder = g_build_filename(self->data, SNAPSHOTS, NULL);
    g_autoptr(GArray) numbers = read_numbers(self->data, error);
    if (!numbers)
        return FALSE;
    g_autoptr(GByteArray) data = snapshot_manifest_write(manifest);
    guint there = numbers->len ? g_array_index(numbers, guint, numbers->len - 1) : 0;
    guint next = MAX(there, last_removed(self->data)) + 1;
    g_autofree char *path = path_of(self->data, next);
    /* Not the box's folder: it may have been removed meanwhile. */
    if (mkdir(folder, 0700) < 0 && errno != EEXIST) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot make the folder '%s': %s", folder,
                    g_strerror(errno));
        return FALSE;
    }
    *number = next;
    return fs_write(path, (const char *)data->data, (gssize)data->len, 0600, error);
}

gboolean snapshot_take_back(const struct box *self, guint number, GError **error)
{
    g_autofree char *path = path_of(self->data, number);
    if (!check_there(self, number, path, error))
        return FALSE;
    if (unlink(path) == 0)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot remove '%s': %s", path,
                g_strerror(errno));
    return FALSE;
}

gboolean snapshot_remove(const struct box *self, guint number, GError **error)
{
    g_autofree char *last = last_path(self->data), *text = g_strdup_printf("%u", number);
    /* On a full disk there must be a way to free some of it. */
    if (number > last_removed(self->data))
        fs_write(last, text, -1, 0600, NULL);
    return snapshot_take_back(self, number, error);
}

static gboolean add_objects(const char *path, GHashTable *used, GError **error)
{
    g_autoptr(snapshot_manifest) read = read_file(path, error);
    for (int part = 0; read && part < SNAPSHOT_PARTS; part++)
        for (guint i = 0; i < read->entries[part]->len; i++) {
            const snapshot_entry *entry = &g_array_index(read->entries[part], snapshot_entry, i);
            if (entry->kind == SNAPSHOT_FILE && !g_hash_table_contains(used, &entry->object))
                g_hash_table_add(used, g_memdup2(&entry->object, sizeof entry->object));
        }
    return read != NULL;
}

static gboolean add_image(const char *path, GHashTable *used, GError **error)
{
    char id[OBJECT_ID_TEXT];
    snapshot_header header;
    if (!read_header(path, &header, error))
        return FALSE;
    object_id_print(&header.image, id);
    if (header.has[SNAPSHOT_SYSTEM])
        g_hash_table_add(used, g_strdup(id));
    snapshot_header_clear(&header);
    return TRUE;
}

/* Adds what the snapshot in a file names. */
typedef gboolean (*adder)(const char *path, GHashTable *used, GError **error);

static gboolean add_all(const char *boxes, GDir *dir, adder add, GHashTable *used, GError **error)
{
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree char *data = g_build_filename(boxes, name, NULL);
        g_autoptr(GArray) numbers = read_numbers(data, error);
        if (!numbers)
            return FALSE;
        for (guint i = 0; i < numbers->len; i++) {
            g_autofree char *path = path_of(data, g_array_index(numbers, guint, i));
            if (!add(path, used, error))
                return FALSE;
        }
    }
    return TRUE;
}

/* By the folders, as a box whose record is damaged keeps its snapshots. The registry's lock holds
 * up renames, which would hide one. */
static gboolean add_of_boxes(adder add, GHashTable *used, GError **error)
{
    g_autofree char *boxes = paths_data("boxes");
    int lock = registry_lock(error);
    g_autoptr(GDir) dir = lock < 0 ? NULL : g_dir_open(boxes, 0, error);
    gboolean done = dir && add_all(boxes, dir, add, used, error);
    if (lock >= 0)
        close(lock);
    return done;
}

gboolean snapshot_files_used(GHashTable *used, GError **error)
{
    return add_of_boxes(add_objects, used, error);
}

gboolean snapshot_files_images(GHashTable *used, GError **error)
{
    return add_of_boxes(add_image, used, error);
}
