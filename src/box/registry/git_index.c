#include "box/registry/git_index.h"

#include <string.h>

#define HEADER 12
#define OID 20
/* Ten numbers, the object, flags. */
#define FIXED (40 + OID + 2)
#define FLAG_EXTENDED 0x4000
#define PATH_BYTES_MAX 4096

typedef struct {
    const guint8 *at, *end; /* END: of the entries and extensions, before the checksum */
    unsigned version;
    GString *path; /* of the last entry */
} reader;

static guint32 number_at(const guint8 *at)
{
    return (guint32)at[0] << 24 | (guint32)at[1] << 16 | (guint32)at[2] << 8 | at[3];
}

static gsize left(const reader *self)
{
    return (gsize)(self->end - self->at);
}

/* Version 4: how many bytes of the last path go, as a number of 7 bits a byte. */
static gboolean strip_path(reader *self)
{
    gsize strip = 0;
    for (gboolean more = TRUE, first = TRUE; more; first = FALSE) {
        if (self->at == self->end || strip > PATH_BYTES_MAX)
            return FALSE;
        guint8 byte = *self->at++;
        more = (byte & 0x80) != 0;
        strip = (first ? 0 : (strip + 1) << 7) | (byte & 0x7f);
    }
    if (strip > self->path->len)
        return FALSE;
    g_string_truncate(self->path, self->path->len - strip);
    return TRUE;
}

/* START is the entry's: up to version 3 its length is a multiple of 8, with one NUL at least. */
static gboolean read_path(reader *self, const guint8 *start)
{
    if (self->version < 4)
        g_string_truncate(self->path, 0);
    else if (!strip_path(self))
        return FALSE;
    const guint8 *stop = memchr(self->at, '\0', left(self));
    if (!stop || self->path->len + (gsize)(stop - self->at) > PATH_BYTES_MAX)
        return FALSE;
    g_string_append_len(self->path, (const char *)self->at, stop - self->at);
    gsize bytes = (gsize)(stop - start);
    gsize padded = self->version < 4 ? (bytes & ~(gsize)7) + 8 : bytes + 1;
    if (padded > (gsize)(self->end - start) || !self->path->len)
        return FALSE;
    self->at = start + padded;
    return TRUE;
}

static gboolean read_entry(reader *self, git_index_entry *entry)
{
    const guint8 *start = self->at;
    if (left(self) < FIXED + 2)
        return FALSE;
    *entry = (git_index_entry){.mtime = number_at(start + 8),
                               .mtime_ns = number_at(start + 12),
                               .inode = number_at(start + 20),
                               .mode = number_at(start + 24),
                               .size = number_at(start + 36)};
    for (int i = 0; i < OID; i++)
        g_snprintf(entry->object + 2 * i, 3, "%02x", start[40 + i]);
    unsigned flags = (unsigned)start[60] << 8 | start[61];
    entry->stage = flags >> 12 & 3;
    if (self->version < 3 && flags & FLAG_EXTENDED)
        return FALSE;
    self->at += FIXED + (flags & FLAG_EXTENDED ? 2 : 0);
    if (!read_path(self, start))
        return FALSE;
    entry->path = self->path->str;
    return TRUE;
}

/* Extensions fill the rest; "link" says that entries are in another file. */
static gboolean check_extensions(reader *self)
{
    while (left(self)) {
        if (left(self) < 8 || memcmp(self->at, "link", 4) == 0)
            return FALSE;
        gsize bytes = number_at(self->at + 4);
        self->at += 8;
        if (bytes > left(self))
            return FALSE;
        self->at += bytes;
    }
    return TRUE;
}

gboolean git_index_parse(const char *data, gsize length,
                         void (*each)(const git_index_entry *entry, void *data), void *to)
{
    const guint8 *bytes = (const guint8 *)data;
    if (length < HEADER + OID || memcmp(data, "DIRC", 4) != 0)
        return FALSE;
    reader self = {
        .at = bytes + HEADER, .end = bytes + length - OID, .version = number_at(bytes + 4)};
    guint32 count = number_at(bytes + 8);
    if (self.version < 2 || self.version > 4)
        return FALSE;
    self.path = g_string_new(NULL);
    gboolean done = TRUE;
    for (guint32 i = 0; i < count && done; i++) {
        git_index_entry entry;
        done = read_entry(&self, &entry);
        if (done)
            each(&entry, to);
    }
    done = done && check_extensions(&self);
    g_string_free(self.path, TRUE);
    return done;
}
