#include "common/tar.h"

#include <string.h>

#include "common/error.h"

#define TAR_PAX 'x'

/* Fields of a header: offset and length in bytes. */
enum {
    NAME_AT = 0,
    NAME_LENGTH = 100,
    MODE_AT = 100,
    UID_AT = 108,
    GID_AT = 116,
    SIZE_AT = 124,
    MTIME_AT = 136,
    CHECKSUM_AT = 148,
    TYPE_AT = 156,
    TARGET_AT = 157,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    PREFIX_LENGTH = 155,
    SHORT_NUMBER = 8,
    LONG_NUMBER = 12,
};

struct tar_reader {
    const tar_handler *handler;
    gpointer user_data;
    char block[TAR_BLOCK]; /* a header that has not come completely */
    gsize have;            /* bytes of it */
    guint64 contents;      /* bytes of the current entry that are still to come */
    gsize padding;         /* bytes after them, up to a whole block */
    GByteArray *pax;       /* a pax header; NULL: the contents are the handler's */
    tar_pax next;          /* what it said of the next entry */
    gboolean has_next;
    int zero_blocks; /* two end the archive */
};

tar_reader *tar_reader_new(const tar_handler *handler, gpointer user_data)
{
    tar_reader *self = g_new0(tar_reader, 1);
    self->handler = handler;
    self->user_data = user_data;
    return self;
}

void tar_pax_clear(tar_pax *pax)
{
    g_free(pax->name);
    g_free(pax->target);
    *pax = (tar_pax){0};
}

void tar_reader_free(tar_reader *self)
{
    if (!self)
        return;
    g_clear_pointer(&self->pax, g_byte_array_unref);
    tar_pax_clear(&self->next);
    g_free(self);
}

static gboolean set_broken(GError **error, const char *what)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "podman sent a broken archive: %s", what);
    return FALSE;
}

/* An octal number of LENGTH bytes with a NUL or spaces behind it, and spaces before it. */
static gboolean parse_octal(const char *field, gsize length, guint64 *number)
{
    gsize i = 0;
    *number = 0;
    while (i < length && field[i] == ' ')
        i++;
    for (; i < length && field[i] >= '0' && field[i] <= '7'; i++)
        *number = *number << 3 | (guint64)(field[i] - '0'); /* at most 36 bits */
    for (; i < length; i++)
        if (field[i] != '\0' && field[i] != ' ')
            return FALSE;
    return TRUE;
}

/* Copies a field that has a NUL behind it unless it is full. */
static void copy_field(char *to, const char *field, gsize length)
{
    gsize used = strnlen(field, length);
    memcpy(to, field, used);
    to[used] = '\0';
}

static gboolean has_right_checksum(const char *block)
{
    guint64 sum = 0, stored;
    for (int i = 0; i < TAR_BLOCK; i++)
        sum += i >= CHECKSUM_AT && i < CHECKSUM_AT + SHORT_NUMBER ? ' ' : (guchar)block[i];
    return parse_octal(block + CHECKSUM_AT, SHORT_NUMBER, &stored) && stored == sum;
}

/* A header of TAR_BLOCK bytes. NAME and TARGET have room for 257 and 101 bytes. */
static gboolean tar_header_parse(const char *block, tar_entry *entry, char *name, char *target)
{
    guint64 mode, mtime;
    if (!has_right_checksum(block) || memcmp(block + MAGIC_AT, "ustar\00000", 8) != 0 ||
        !parse_octal(block + MODE_AT, SHORT_NUMBER, &mode) ||
        !parse_octal(block + UID_AT, SHORT_NUMBER, &entry->uid) ||
        !parse_octal(block + GID_AT, SHORT_NUMBER, &entry->gid) ||
        !parse_octal(block + SIZE_AT, LONG_NUMBER, &entry->size) ||
        !parse_octal(block + MTIME_AT, LONG_NUMBER, &mtime))
        return FALSE;
    entry->mode = (guint32)(mode & 07777);
    entry->mtime = (gint64)mtime;
    entry->type = block[TYPE_AT] ? block[TYPE_AT] : TAR_FILE;
    copy_field(name, block + PREFIX_AT, PREFIX_LENGTH);
    if (*name)
        strcat(name, "/");
    copy_field(name + strlen(name), block + NAME_AT, NAME_LENGTH);
    copy_field(target, block + TARGET_AT, NAME_LENGTH);
    entry->name = name;
    entry->target = target;
    return TRUE;
}

/* A decimal number without a sign that fills LENGTH bytes. */
static gboolean parse_decimal(const char *text, gsize length, guint64 *number)
{
    *number = 0;
    if (length == 0 || length > 18) /* 18 digits do not overflow */
        return FALSE;
    for (gsize i = 0; i < length; i++) {
        if (!g_ascii_isdigit(text[i]))
            return FALSE;
        *number = *number * 10 + (guint64)(text[i] - '0');
    }
    return TRUE;
}

/* "1700000000.123", "-5.5": the whole seconds. */
static gboolean parse_time(const char *text, gsize length, gint64 *seconds)
{
    gboolean is_negative = length > 0 && *text == '-';
    const char *point = memchr(text, '.', length);
    guint64 number, fraction;
    gsize whole = (point ? (gsize)(point - text) : length) - is_negative;
    if (!parse_decimal(text + is_negative, whole, &number) ||
        (point && !parse_decimal(point + 1, length - is_negative - whole - 1, &fraction)))
        return FALSE;
    *seconds = is_negative ? -(gint64)number : (gint64)number;
    return TRUE;
}

static gboolean replace_name(char **name, const char *value, gsize length)
{
    if (length == 0 || length > TAR_NAME_MAX || memchr(value, '\0', length))
        return FALSE;
    g_free(*name);
    *name = g_strndup(value, length);
    return TRUE;
}

static gboolean is_key(const char *key, gsize length, const char *wanted)
{
    return length == strlen(wanted) && memcmp(key, wanted, length) == 0;
}

static gboolean parse_record(const char *key, gsize key_length, const char *value, gsize length,
                             tar_pax *pax)
{
    if (is_key(key, key_length, "path"))
        return replace_name(&pax->name, value, length);
    if (is_key(key, key_length, "linkpath"))
        return replace_name(&pax->target, value, length);
    if (is_key(key, key_length, "uid"))
        return pax->has_uid = parse_decimal(value, length, &pax->uid);
    if (is_key(key, key_length, "gid"))
        return pax->has_gid = parse_decimal(value, length, &pax->gid);
    if (is_key(key, key_length, "size"))
        return pax->has_size = parse_decimal(value, length, &pax->size);
    if (is_key(key, key_length, "mtime"))
        return pax->has_mtime = parse_time(value, length, &pax->mtime);
    if (is_key(key, key_length, "SCHILY.xattr.security.capability"))
        pax->has_capability = TRUE;
    return key_length > 0;
}

gboolean tar_pax_parse(const char *data, gsize length, tar_pax *pax)
{
    while (length > 0) {
        const char *space = memchr(data, ' ', MIN(length, 8));
        guint64 record;
        if (!space || !parse_decimal(data, (gsize)(space - data), &record) || record > length ||
            record < (gsize)(space - data) + 2 || data[record - 1] != '\n')
            return FALSE;
        const char *key = space + 1, *end = data + record - 1;
        const char *equals = memchr(key, '=', (gsize)(end - key));
        if (!equals ||
            !parse_record(key, (gsize)(equals - key), equals + 1, (gsize)(end - equals - 1), pax))
            return FALSE;
        data += record;
        length -= record;
    }
    return TRUE;
}

/* What a pax header said of ENTRY is worth more than its own header. */
static void apply_pax(const tar_pax *pax, tar_entry *entry)
{
    entry->name = pax->name ? pax->name : entry->name;
    entry->target = pax->target ? pax->target : entry->target;
    entry->uid = pax->has_uid ? pax->uid : entry->uid;
    entry->gid = pax->has_gid ? pax->gid : entry->gid;
    entry->size = pax->has_size ? pax->size : entry->size;
    entry->mtime = pax->has_mtime ? pax->mtime : entry->mtime;
    entry->has_capability = pax->has_capability;
}

static void expect_contents(tar_reader *self, guint64 size)
{
    self->contents = size;
    self->padding = (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
}

static gboolean begin_pax(tar_reader *self, const tar_entry *entry, GError **error)
{
    if (self->has_next || entry->size == 0 || entry->size > TAR_PAX_MAX)
        return set_broken(error, "a pax header is empty or too large");
    self->pax = g_byte_array_new();
    expect_contents(self, entry->size);
    return TRUE;
}

static gboolean begin_entry(tar_reader *self, tar_entry *entry, GError **error)
{
    apply_pax(&self->next, entry);
    gboolean is_link = entry->type == TAR_HARD_LINK || entry->type == TAR_SYMLINK;
    if (entry->type < TAR_FILE || entry->type > TAR_FIFO)
        return set_broken(error, "an entry has an unknown type");
    if (!*entry->name || (is_link && !*entry->target))
        return set_broken(error, "an entry has no name");
    if (entry->type != TAR_FILE && entry->size > 0)
        return set_broken(error, "an entry that is no file has contents");
    expect_contents(self, entry->size);
    gboolean done = self->handler->entry(entry, self->user_data, error);
    tar_pax_clear(&self->next);
    self->has_next = FALSE;
    return done;
}

static gboolean is_zero(const char *block)
{
    return *block == '\0' && memcmp(block, block + 1, TAR_BLOCK - 1) == 0;
}

static gboolean read_header(tar_reader *self, GError **error)
{
    char name[PREFIX_LENGTH + 1 + NAME_LENGTH + 1], target[NAME_LENGTH + 1];
    tar_entry entry = {0};
    if (is_zero(self->block)) {
        self->zero_blocks++;
        return !self->has_next || set_broken(error, "it ends after half an entry");
    }
    if (self->zero_blocks || !tar_header_parse(self->block, &entry, name, target))
        return set_broken(error, "a header makes no sense");
    return entry.type == TAR_PAX ? begin_pax(self, &entry, error)
                                 : begin_entry(self, &entry, error);
}

/* At most LENGTH bytes of an entry's contents. */
static gboolean read_contents(tar_reader *self, const char *data, gsize length, GError **error)
{
    self->contents -= length;
    if (!self->pax)
        return self->handler->contents(data, length, self->user_data, error);
    g_byte_array_append(self->pax, (const guint8 *)data, (guint)length);
    if (self->contents > 0)
        return TRUE;
    gboolean parsed = tar_pax_parse((const char *)self->pax->data, self->pax->len, &self->next);
    g_clear_pointer(&self->pax, g_byte_array_unref);
    self->has_next = TRUE;
    return parsed || set_broken(error, "a header's records make no sense");
}

/* How many of LENGTH bytes belong to what is read now. */
static gsize take(const tar_reader *self, gsize length)
{
    guint64 wanted = self->contents  ? self->contents
                     : self->padding ? self->padding
                                     : TAR_BLOCK - self->have;
    return (gsize)MIN(wanted, length);
}

static gboolean feed_piece(tar_reader *self, const char *data, gsize length, GError **error)
{
    if (self->contents > 0)
        return read_contents(self, data, length, error);
    if (self->padding > 0) {
        self->padding -= length;
        return TRUE;
    }
    memcpy(self->block + self->have, data, length);
    self->have += length;
    if (self->have < TAR_BLOCK)
        return TRUE;
    self->have = 0;
    return read_header(self, error);
}

gboolean tar_reader_feed(tar_reader *self, const char *data, gsize length, GError **error)
{
    /* What comes behind the end mark fills the last record, and means nothing. */
    while (length > 0 && self->zero_blocks < 2) {
        gsize now = take(self, length);
        if (!feed_piece(self, data, now, error))
            return FALSE;
        data += now;
        length -= now;
    }
    return TRUE;
}

gboolean tar_reader_end(const tar_reader *self, GError **error)
{
    return self->zero_blocks >= 2 || set_broken(error, "it ends too early");
}
