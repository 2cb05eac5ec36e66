#include "box/snapshot/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "tree/tree.h"

#define MAGIC "LBSNAP2\n"
#define MAGIC_SIZE (sizeof MAGIC - 1)
#define RUNNING 1u
#define PAUSED 2u

typedef struct {
    char magic[MAGIC_SIZE];
    gint64 time, settled;
    guint32 reason, flags, parts, note;
    snapshot_sum sum[SNAPSHOT_PARTS];
    object_id image, base;
} file_header;
G_STATIC_ASSERT(sizeof(file_header) + SNAPSHOT_NOTE_MAX <= SNAPSHOT_HEADER_MAX);

typedef struct {
    guint8 part, kind, flags, unused;
    guint32 mode;
    gint64 mtime, ctime;
    guint64 size, device, inode;
    object_id object;
    guint16 path, target; /* lengths */
    guint32 unused_too;
} file_entry;

const char *snapshot_part_name(enum snapshot_part part)
{
    static const char *const names[] = {"home", "project", "system"};
    return names[part];
}

const char *snapshot_reason_name(enum snapshot_reason reason)
{
    static const char *const names[] = {"user", "auto", "before restore"};
    return names[reason];
}

void snapshot_header_clear(snapshot_header *self)
{
    g_clear_pointer(&self->note, g_free);
}

gboolean snapshot_header_is_consistent(const snapshot_header *self)
{
    return !self->running || self->paused;
}

snapshot_manifest *snapshot_manifest_new(void)
{
    snapshot_manifest *self = g_new0(snapshot_manifest, 1);
    for (int i = 0; i < SNAPSHOT_PARTS; i++)
        self->entries[i] = g_array_new(FALSE, FALSE, sizeof(snapshot_entry));
    self->texts = g_string_chunk_new(65536);
    self->size = SNAPSHOT_HEADER_MAX + OBJECT_ID_SIZE;
    return self;
}

void snapshot_manifest_free(snapshot_manifest *self)
{
    if (!self)
        return;
    snapshot_header_clear(&self->header);
    for (int i = 0; i < SNAPSHOT_PARTS; i++)
        g_array_unref(self->entries[i]);
    g_string_chunk_free(self->texts);
    g_free(self);
}

gboolean snapshot_manifest_add(snapshot_manifest *self, const snapshot_entry *entry)
{
    snapshot_entry copy = *entry;
    self->size += sizeof(file_entry) + strlen(entry->path) + strlen(entry->target);
    if (self->size > SNAPSHOT_FILE_MAX)
        return FALSE;
    copy.path = g_string_chunk_insert(self->texts, entry->path);
    copy.target = *entry->target ? g_string_chunk_insert(self->texts, entry->target) : "";
    g_array_append_val(self->entries[entry->part], copy);
    return TRUE;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const snapshot_entry *)a)->path, ((const snapshot_entry *)b)->path);
}

/* A folder that changes while it is read may have a name twice. A folder stays, for what is in it.
 */
static void remove_twins(GArray *sorted)
{
    guint kept = 0;
    for (guint i = 0; i < sorted->len; i++) {
        snapshot_entry *entry = &g_array_index(sorted, snapshot_entry, i);
        snapshot_entry *last = kept ? &g_array_index(sorted, snapshot_entry, kept - 1) : NULL;
        if (!last || strcmp(last->path, entry->path) != 0)
            g_array_index(sorted, snapshot_entry, kept++) = *entry;
        else if (entry->kind == SNAPSHOT_FOLDER)
            *last = *entry;
    }
    g_array_set_size(sorted, kept);
}

void snapshot_manifest_sort(snapshot_manifest *self)
{
    for (int i = 0; i < SNAPSHOT_PARTS; i++) {
        g_array_sort(self->entries[i], compare_entries);
        remove_twins(self->entries[i]);
    }
}

const snapshot_entry *snapshot_manifest_find(const snapshot_manifest *self, enum snapshot_part part,
                                             const char *path)
{
    const GArray *in = self->entries[part];
    snapshot_entry key = {.path = path};
    return in->len ? bsearch(&key, in->data, in->len, sizeof key, compare_entries) : NULL;
}

/* To bytes. */

static void write_header(const snapshot_header *self, GByteArray *out)
{
    file_header file = {.image = self->image,
                        .base = self->base,
                        .time = self->time,
                        .settled = self->settled,
                        .reason = self->reason,
                        .flags = (self->running ? RUNNING : 0) | (self->paused ? PAUSED : 0),
                        .note = (guint32)strlen(self->note ? self->note : "")};
    memcpy(file.magic, MAGIC, MAGIC_SIZE);
    memcpy(file.sum, self->sum, sizeof file.sum);
    for (int i = 0; i < SNAPSHOT_PARTS; i++)
        file.parts |= self->has[i] ? 1u << i : 0;
    g_byte_array_append(out, (const guint8 *)&file, sizeof file);
    g_byte_array_append(out, (const guint8 *)(self->note ? self->note : ""), file.note);
}

static void write_entry(const snapshot_entry *self, GByteArray *out)
{
    file_entry file;
    memset(&file, 0, sizeof file);
    file.part = self->part;
    file.kind = self->kind;
    file.flags = self->flags;
    file.mode = self->mode;
    file.mtime = self->mtime;
    file.ctime = self->ctime;
    file.size = self->size;
    file.device = self->device;
    file.inode = self->inode;
    file.object = self->object;
    file.path = (guint16)strlen(self->path);
    file.target = (guint16)strlen(self->target);
    g_byte_array_append(out, (const guint8 *)&file, sizeof file);
    g_byte_array_append(out, (const guint8 *)self->path, file.path);
    g_byte_array_append(out, (const guint8 *)self->target, file.target);
}

GByteArray *snapshot_manifest_write(const snapshot_manifest *self)
{
    object_id checksum;
    GByteArray *out = g_byte_array_sized_new((guint)self->size);
    write_header(&self->header, out);
    for (int part = 0; part < SNAPSHOT_PARTS; part++)
        for (guint i = 0; i < self->entries[part]->len; i++)
            write_entry(&g_array_index(self->entries[part], snapshot_entry, i), out);
    object_id_of(out->data, out->len, &checksum);
    g_byte_array_append(out, checksum.bytes, sizeof checksum.bytes);
    return out;
}

/* From bytes. */

gboolean snapshot_header_parse(const guint8 *data, gsize length, snapshot_header *header)
{
    file_header file;
    if (length < sizeof file)
        return FALSE;
    memcpy(&file, data, sizeof file);
    const char *note = (const char *)data + sizeof file;
    if (memcmp(file.magic, MAGIC, MAGIC_SIZE) != 0 || file.reason >= SNAPSHOT_REASONS ||
        file.flags & ~(RUNNING | PAUSED) || !file.parts || file.parts >> SNAPSHOT_PARTS ||
        file.note > SNAPSHOT_NOTE_MAX || file.note > length - sizeof file ||
        !g_utf8_validate(note, file.note, NULL))
        return FALSE;
    *header = (snapshot_header){.image = file.image,
                                .base = file.base,
                                .time = file.time,
                                .settled = file.settled,
                                .reason = file.reason,
                                .running = file.flags & RUNNING,
                                .paused = (file.flags & PAUSED) != 0,
                                .note = g_strndup(note, file.note)};
    memcpy(header->sum, file.sum, sizeof file.sum);
    for (int i = 0; i < SNAPSHOT_PARTS; i++)
        header->has[i] = (file.parts >> i) & 1;
    return TRUE;
}

/* Every name on the way may be one. */
static gboolean path_is_valid(const char *path)
{
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, "/");
        if (!tree_name_is_valid(at, length))
            return FALSE;
        at += length;
        if (!*at)
            return TRUE;
    }
}

static gboolean entry_is_valid(const snapshot_manifest *self, const snapshot_entry *entry)
{
    const GArray *in = self->entries[entry->part];
    const snapshot_entry *last = in->len ? &g_array_index(in, snapshot_entry, in->len - 1) : NULL;
    gboolean is_link = entry->kind == SNAPSHOT_LINK;
    return entry->kind >= SNAPSHOT_FILE && entry->kind <= SNAPSHOT_LINK &&
           !(entry->flags & ~(SNAPSHOT_SPARSE | SNAPSHOT_CHANGED)) && !(entry->mode & ~0777u) &&
           entry->size <= G_MAXINT64 && !!*entry->target == is_link && path_is_valid(entry->path) &&
           (!last || strcmp(last->path, entry->path) < 0);
}

/* Adds the entry at *AT, and moves that behind it. */
static gboolean parse_entry(snapshot_manifest *self, const guint8 **at, const guint8 *end,
                            GString *text)
{
    file_entry file;
    if ((gsize)(end - *at) < sizeof file)
        return FALSE;
    memcpy(&file, *at, sizeof file);
    const char *path = (const char *)*at + sizeof file, *target = path + file.path;
    if (file.path > SNAPSHOT_PATH_MAX || file.target > SNAPSHOT_PATH_MAX ||
        (gsize)(end - *at) - sizeof file < (gsize)file.path + file.target ||
        file.part >= SNAPSHOT_SYSTEM || !self->header.has[file.part] ||
        memchr(path, '\0', (gsize)file.path + file.target) ||
        self->entries[file.part]->len >= SNAPSHOT_ENTRIES_MAX)
        return FALSE;
    g_string_truncate(text, 0);
    g_string_append_len(text, path, file.path);
    g_string_append_c(text, '\0');
    g_string_append_len(text, target, file.target);
    snapshot_entry entry = {.path = text->str,
                            .target = text->str + file.path + 1,
                            .part = file.part,
                            .kind = file.kind,
                            .flags = file.flags,
                            .mode = file.mode,
                            .mtime = file.mtime,
                            .ctime = file.ctime,
                            .size = file.size,
                            .device = file.device,
                            .inode = file.inode,
                            .object = file.object};
    if (!entry_is_valid(self, &entry) || !snapshot_manifest_add(self, &entry))
        return FALSE;
    *at += sizeof file + file.path + file.target;
    return TRUE;
}

snapshot_manifest *snapshot_manifest_parse(const guint8 *data, gsize length)
{
    object_id checksum;
    g_autoptr(snapshot_manifest) self = snapshot_manifest_new();
    g_autoptr(GString) text = g_string_new(NULL);
    if (length < sizeof checksum.bytes)
        return NULL;
    length -= sizeof checksum.bytes;
    object_id_of(data, length, &checksum);
    if (memcmp(checksum.bytes, data + length, sizeof checksum.bytes) != 0 ||
        !snapshot_header_parse(data, length, &self->header))
        return NULL;
    const guint8 *at = data + sizeof(file_header) + strlen(self->header.note), *end = data + length;
    while (at < end)
        if (!parse_entry(self, &at, end, text))
            return NULL;
    return g_steal_pointer(&self);
}

static gboolean is_equal(const snapshot_entry *a, const snapshot_entry *b)
{
    if (a->kind != b->kind || strcmp(a->target, b->target) != 0)
        return FALSE;
    if (a->kind == SNAPSHOT_LINK)
        return TRUE;
    return a->mode == b->mode && (a->kind != SNAPSHOT_FILE ||
                                  (a->size == b->size && object_id_equal(&a->object, &b->object)));
}

GArray *snapshot_compare(const snapshot_manifest *before, const snapshot_manifest *after,
                         enum snapshot_part part)
{
    const GArray *old = before->entries[part], *new = after->entries[part];
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(snapshot_change));
    for (guint i = 0, k = 0; i < old->len || k < new->len;) {
        const snapshot_entry *a = i < old->len ? &g_array_index(old, snapshot_entry, i) : NULL;
        const snapshot_entry *b = k < new->len ? &g_array_index(new, snapshot_entry, k) : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a->path, b->path);
        snapshot_change change = {order <= 0 ? a : NULL, order >= 0 ? b : NULL};
        i += order <= 0;
        k += order >= 0;
        if (order != 0 || !is_equal(a, b))
            g_array_append_val(changes, change);
    }
    return changes;
}
