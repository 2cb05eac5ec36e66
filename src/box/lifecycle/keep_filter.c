#include "box/lifecycle/keep_filter.h"

#include <string.h>

#include "common/error.h"
#include "common/tar.h"
#include "common/text.h"
#include "common/units.h"

/* Of a mode: what is kept. In a folder, the setgid bit gives nobody rights. */
#define FILE_MODE 01777u
#define FOLDER_MODE 03777u
#define SETID_MODE 06000u

/* Ids FIRST … of the container are OUTSIDE … outside. */
typedef struct {
    guint64 first, outside, count;
} id_range;

/* What became of a path so far; the value in the table. */
enum { PATH_WANTED = 1, PATH_UNCOUNTED, PATH_FILE, PATH_FOLDER, PATH_LINK, PATH_LOST };

struct keep_filter {
    GHashTable *paths; /* clean absolute path → PATH_… */
    GArray *uids, *gids;
    tar_reader *reader;
    keep_write_func write;
    gpointer user_data;
    gboolean copies; /* the contents that come now are kept */
    guint64 left;    /* bytes of them; the padding follows */
    guint64 size;    /* of all of them */
    guint64 read, bytes;
    keep_tally tallies[KEEP_FATES];
};

/* "FIRST:OUTSIDE:COUNT". */
static gboolean parse_range(const char *line, id_range *range)
{
    guint64 *const fields[] = {&range->first, &range->outside, &range->count};
    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
        char *end;
        *fields[i] = g_ascii_strtoull(line, &end, 10);
        gboolean is_last = i == G_N_ELEMENTS(fields) - 1;
        if (!g_ascii_isdigit(*line) || *fields[i] > G_MAXUINT32 || *end != (is_last ? '\0' : ':'))
            return FALSE;
        line = end + 1;
    }
    return TRUE;
}

static GArray *parse_ids(const char *const *lines, GError **error)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(id_range));
    for (; lines && *lines; lines++) {
        id_range range;
        if (!parse_range(*lines, &range)) {
            g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                                "podman's mapping of user ids makes no sense");
            g_array_unref(ranges);
            return NULL;
        }
        g_array_append_val(ranges, range);
    }
    return ranges;
}

/* *ID outside becomes the one in the container. FALSE when it has none. */
static gboolean map_id(const GArray *ranges, guint64 *id)
{
    for (guint i = 0; i < ranges->len; i++) {
        const id_range *range = &g_array_index(ranges, id_range, i);
        if (*id >= range->outside && *id - range->outside < range->count) {
            *id = *id - range->outside + range->first;
            return TRUE;
        }
    }
    return ranges->len == 0;
}

static void count(keep_filter *self, const char *path, keep_fate fate)
{
    keep_tally *tally = &self->tallies[fate];
    if (tally->count++ == 0)
        tally->example = g_strdup(path);
}

/* TRUE for an absolute path other than "/" without "", "." and ".." in it. */
static gboolean is_clean(const char *path)
{
    gsize length = strlen(path);
    if (*path != '/' || length < 2 || length >= TAR_NAME_MAX)
        return FALSE;
    g_auto(GStrv) parts = g_strsplit(path + 1, "/", -1);
    for (char **part = parts; *part; part++)
        if (!**part || strcmp(*part, ".") == 0 || strcmp(*part, "..") == 0)
            return FALSE;
    return TRUE;
}

static int path_state(const keep_filter *self, const char *path)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(self->paths, path));
}

static void set_state(keep_filter *self, const char *path, int state)
{
    g_hash_table_insert(self->paths, g_strdup(path), GINT_TO_POINTER(state));
}

void keep_filter_want(keep_filter *self, const char *path)
{
    if (is_clean(path))
        set_state(self, path, PATH_WANTED);
    else
        count(self, path, KEEP_MISSING);
}

void keep_filter_want_uncounted(keep_filter *self, const char *path)
{
    set_state(self, path, PATH_UNCOUNTED);
}

void keep_filter_tell(keep_filter *self, const char *path, keep_fate fate)
{
    count(self, path, fate);
}

static gboolean is_waiting(gpointer path, gpointer state, gpointer data)
{
    (void)path;
    (void)data;
    return GPOINTER_TO_INT(state) == PATH_WANTED;
}

gboolean keep_filter_is_waiting(const keep_filter *self)
{
    return g_hash_table_find(self->paths, is_waiting, NULL) != NULL;
}

/* "/etc/new" of "etc/new" and "etc/new/", a new string. */
static char *path_named(const char *name)
{
    gsize length = strlen(name);
    if (length > 1 && name[length - 1] == '/')
        length--;
    return g_strdup_printf("/%.*s", (int)length, name);
}

/* TRUE when something above PATH is a link or a file here, so that it would lead elsewhere. */
static gboolean is_below_link(const keep_filter *self, const char *path)
{
    g_autofree char *above = g_strdup(path);
    for (char *slash; (slash = strrchr(above, '/')) && slash != above;) {
        *slash = '\0';
        int state = path_state(self, above);
        if (state == PATH_LINK || state == PATH_FILE)
            return TRUE;
    }
    return FALSE;
}

/* What becomes of ENTRY, a wanted one. */
static keep_fate judge(const keep_filter *self, const char *path, const tar_entry *entry)
{
    g_autofree char *target = path_named(entry->target);
    if (is_below_link(self, path))
        return KEEP_MISSING;
    switch (entry->type) {
    case TAR_FILE:
    case TAR_FOLDER:
    case TAR_SYMLINK:
        return KEEP_KEPT;
    case TAR_HARD_LINK:
        return path_state(self, target) == PATH_FILE ? KEEP_KEPT : KEEP_LINKED;
    default:
        return KEEP_SPECIAL;
    }
}

/* FALSE with ERROR when there is no room for SIZE more bytes. */
static gboolean check_size(const keep_filter *self, const char *path, guint64 size, GError **error)
{
    if (size <= KEEP_BYTES_MAX - self->bytes)
        return TRUE;
    g_autofree char *safe = text_safe_max(path, -1, 200);
    g_autofree char *most = units_format_size((gint64)KEEP_BYTES_MAX);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "more than %s have changed outside the home, '%s' among it: delete what is not "
                "needed, or leave out --keep-files",
                most, safe);
    return FALSE;
}

static gboolean write_entry(keep_filter *self, const char *path, const tar_entry *entry,
                            GError **error)
{
    static const int states[] = {[TAR_FILE] = PATH_FILE,
                                 [TAR_HARD_LINK] = PATH_FILE,
                                 [TAR_SYMLINK] = PATH_LINK,
                                 [TAR_FOLDER] = PATH_FOLDER};
    gboolean is_folder = entry->type == TAR_FOLDER;
    gboolean counts = !is_folder && path_state(self, path) == PATH_WANTED;
    tar_entry kept = *entry;
    kept.mode &= is_folder ? FOLDER_MODE : FILE_MODE;
    kept.name = path + 1;
    g_autofree char *target = path_named(entry->target);
    if (entry->type == TAR_HARD_LINK)
        kept.target = target + 1;
    g_autoptr(GString) header = g_string_new(NULL);
    tar_write_header(header, &kept);
    set_state(self, path, states[(int)entry->type]);
    if (counts)
        count(self, path, KEEP_KEPT);
    if (entry->type == TAR_FILE && (entry->mode & SETID_MODE || entry->has_capability))
        count(self, path, KEEP_STRIPPED);
    self->copies = entry->type == TAR_FILE && entry->size > 0;
    self->left = self->size = entry->size;
    self->bytes += entry->size;
    return self->write(header->str, header->len, self->user_data, error);
}

static gboolean on_entry(const tar_entry *entry, gpointer user_data, GError **error)
{
    keep_filter *self = user_data;
    g_autofree char *path = path_named(entry->name);
    self->copies = FALSE;
    int state = path_state(self, path);
    if (state != PATH_WANTED && state != PATH_UNCOUNTED)
        return TRUE;
    tar_entry mapped = *entry;
    keep_fate fate = judge(self, path, entry);
    if (fate == KEEP_KEPT && (!map_id(self->uids, &mapped.uid) || !map_id(self->gids, &mapped.gid)))
        fate = KEEP_OWNER;
    if (fate == KEEP_KEPT)
        return check_size(self, path, entry->size, error) &&
               write_entry(self, path, &mapped, error);
    set_state(self, path, PATH_LOST);
    count(self, path, fate);
    return TRUE;
}

static gboolean on_contents(const char *data, gsize length, gpointer user_data, GError **error)
{
    keep_filter *self = user_data;
    if (!self->copies)
        return TRUE;
    self->left -= length;
    if (!self->write(data, length, self->user_data, error))
        return FALSE;
    if (self->left > 0)
        return TRUE;
    g_autoptr(GString) padding = g_string_new(NULL);
    tar_write_padding(padding, self->size);
    return self->write(padding->str, padding->len, self->user_data, error);
}

static const tar_handler handler = {.entry = on_entry, .contents = on_contents};

keep_filter *keep_filter_new(const char *const *uids, const char *const *gids,
                             keep_write_func write, gpointer user_data, GError **error)
{
    g_autoptr(keep_filter) self = g_new0(keep_filter, 1);
    self->paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    self->write = write;
    self->user_data = user_data;
    self->reader = tar_reader_new(&handler, self);
    self->uids = parse_ids(uids, error);
    self->gids = self->uids ? parse_ids(gids, error) : NULL;
    return self->gids ? g_steal_pointer(&self) : NULL;
}

void keep_filter_free(keep_filter *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->paths);
    tar_reader_free(self->reader);
    g_clear_pointer(&self->uids, g_array_unref);
    g_clear_pointer(&self->gids, g_array_unref);
    for (int i = 0; i < KEEP_FATES; i++)
        g_free(self->tallies[i].example);
    g_free(self);
}

gboolean keep_filter_feed(keep_filter *self, const char *data, gsize length, GError **error)
{
    self->read += length;
    if (self->read <= KEEP_STREAM_MAX)
        return tar_reader_feed(self->reader, data, length, error);
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                        "the box has a file of hundreds of gigabytes: delete it, or leave out "
                        "--keep-files");
    return FALSE;
}

static void count_missing(gpointer path, gpointer state, gpointer self)
{
    if (GPOINTER_TO_INT(state) == PATH_WANTED)
        count(self, path, KEEP_MISSING);
}

gboolean keep_filter_end(keep_filter *self, GError **error)
{
    if (!tar_reader_end(self->reader, error))
        return FALSE;
    g_hash_table_foreach(self->paths, count_missing, self);
    g_autoptr(GString) end = g_string_new(NULL);
    tar_write_end(end);
    return self->write(end->str, end->len, self->user_data, error);
}

const keep_tally *keep_filter_tally(const keep_filter *self, keep_fate fate)
{
    return &self->tallies[fate];
}

guint64 keep_filter_bytes(const keep_filter *self)
{
    return self->bytes;
}
