#include "common/tar.h"

#include <stdio.h>
#include <string.h>

/* The largest numbers that a header has room for, in octal. */
#define ID_MAX 07777777u
#define SIZE_MAX_USTAR 077777777777u
#define NAME_LENGTH 100

/* The ustar header (POSIX.1-2001). */
typedef struct {
    char name[NAME_LENGTH];
    char mode[8], uid[8], gid[8];
    char size[12], mtime[12];
    char checksum[8];
    char type;
    char target[NAME_LENGTH];
    char magic[6], version[2];
    char names[64], device[16];
    char prefix[155], unused[12];
} ustar_header;
G_STATIC_ASSERT(sizeof(ustar_header) == TAR_BLOCK);

static void set_number(char *field, gsize length, guint64 number)
{
    char text[24];
    g_snprintf(text, sizeof text, "%0*" G_GINT64_MODIFIER "o", (int)length - 1, number);
    memcpy(field, text, length);
}

static void set_text(char *field, gsize length, const char *text)
{
    memcpy(field, text, MIN(length, strlen(text)));
}

static void set_checksum(ustar_header *header)
{
    guint sum = 0;
    memset(header->checksum, ' ', sizeof header->checksum);
    for (gsize i = 0; i < sizeof *header; i++)
        sum += ((const guchar *)header)[i];
    char text[sizeof header->checksum];
    g_snprintf(text, sizeof text, "%06o", sum);
    memcpy(header->checksum, text, sizeof text - 1);
}

/* What does not fit is cut: the pax header says it completely. */
static void append_ustar(GString *out, const tar_entry *entry)
{
    ustar_header header = {.type = entry->type, .magic = "ustar", .version = {'0', '0'}};
    set_text(header.name, sizeof header.name, entry->name);
    set_text(header.target, sizeof header.target, entry->target);
    set_number(header.mode, sizeof header.mode, entry->mode & 07777);
    set_number(header.uid, sizeof header.uid, MIN(entry->uid, ID_MAX));
    set_number(header.gid, sizeof header.gid, MIN(entry->gid, ID_MAX));
    set_number(header.size, sizeof header.size, MIN(entry->size, SIZE_MAX_USTAR));
    set_number(header.mtime, sizeof header.mtime,
               (guint64)CLAMP(entry->mtime, 0, (gint64)SIZE_MAX_USTAR));
    set_checksum(&header);
    g_string_append_len(out, (const char *)&header, sizeof header);
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts itself. */
static void append_record(GString *records, const char *key, const char *value)
{
    gsize rest = strlen(" =\n") + strlen(key) + strlen(value), length = rest + 1;
    for (gsize digits; (digits = (gsize)snprintf(NULL, 0, "%zu", length)) + rest != length;)
        length = digits + rest;
    g_string_append_printf(records, "%zu %s=%s\n", length, key, value);
}

static void append_number(GString *records, const char *key, gint64 number)
{
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);
    append_record(records, key, text);
}

static GString *pax_records(const tar_entry *entry)
{
    GString *records = g_string_new(NULL);
    if (strlen(entry->name) > NAME_LENGTH)
        append_record(records, "path", entry->name);
    if (strlen(entry->target) > NAME_LENGTH)
        append_record(records, "linkpath", entry->target);
    if (entry->uid > ID_MAX)
        append_number(records, "uid", (gint64)entry->uid);
    if (entry->gid > ID_MAX)
        append_number(records, "gid", (gint64)entry->gid);
    if (entry->size > SIZE_MAX_USTAR)
        append_number(records, "size", (gint64)entry->size);
    if (entry->mtime < 0 || entry->mtime > (gint64)SIZE_MAX_USTAR)
        append_number(records, "mtime", entry->mtime);
    return records;
}

void tar_write_header(GString *out, const tar_entry *entry)
{
    GString *records = pax_records(entry);
    if (records->len > 0) {
        append_ustar(out,
                     &(tar_entry){.type = 'x', .size = records->len, .name = "pax", .target = ""});
        g_string_append_len(out, records->str, (gssize)records->len);
        tar_write_padding(out, records->len);
    }
    g_string_free(records, TRUE);
    append_ustar(out, entry);
}

static void append_zeros(GString *out, gsize count)
{
    static const char zeros[2 * TAR_BLOCK];
    g_string_append_len(out, zeros, (gssize)count);
}

void tar_write_padding(GString *out, guint64 size)
{
    append_zeros(out, (gsize)((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK));
}

void tar_write_end(GString *out)
{
    append_zeros(out, 2 * TAR_BLOCK);
}
