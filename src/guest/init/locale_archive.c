#include "guest/init/locale_archive.h"

#include <stdint.h>
#include <string.h>

#define ARCHIVE_MAGIC 0xde020109u

/* What of the archive's head matters here; all in the byte order of the machine. */
struct archive_head {
    uint32_t magic, serial;
    uint32_t names_offset, names_used, names_size;
};

struct archive_name {
    uint32_t hash;
    uint32_t name;   /* offset of the text */
    uint32_t record; /* 0: a place that is free */
};

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Codesets are letters and digits in lower case, and "iso" in front of digits alone. */
static size_t add_codeset(const char *from, size_t length, char *out)
{
    size_t used = 0, digits = 0, kept = 0;
    for (size_t i = 0; i < length; i++) {
        digits += is_digit(from[i]) != 0;
        kept += is_digit(from[i]) || is_letter(from[i]);
    }
    if (digits == kept) {
        memcpy(out, "iso", 3);
        used = 3;
    }
    for (size_t i = 0; i < length; i++) {
        if (is_letter(from[i]))
            out[used++] = (char)(from[i] | 0x20);
        else if (is_digit(from[i]))
            out[used++] = from[i];
    }
    return used;
}

int locale_normalise(const char *name, char out[LOCALE_NAME_MAX])
{
    size_t length = strlen(name), language = strcspn(name, ".@");
    if (length == 0 || length > LOCALE_NAME_MAX - 4)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (!is_letter(name[i]) && !is_digit(name[i]) && !strchr("_.-@+", name[i]))
            return -1;
    }
    size_t used = language;
    const char *rest = name + language;
    memcpy(out, name, language);
    if (*rest == '.') {
        size_t codeset = strcspn(rest + 1, "@");
        out[used++] = '.';
        used += add_codeset(rest + 1, codeset, out + used);
        rest += 1 + codeset;
    }
    strcpy(out + used, rest);
    return out[0] == '.' ? -1 : 0;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = (uint32_t)strlen(name);
    for (; *name; name++)
        hash = ((hash << 9) | (hash >> 23)) + (uint32_t)(unsigned char)*name;
    return hash ? hash : ~0u;
}

int locale_archive_has(const char *data, size_t length, const char *name)
{
    struct archive_head head;
    struct archive_name entry;
    size_t size = strlen(name) + 1;
    uint32_t hash = hash_of(name);
    if (length < sizeof head)
        return 0;
    memcpy(&head, data, sizeof head);
    if (head.magic != ARCHIVE_MAGIC || head.names_size < 3 || head.names_offset > length ||
        head.names_size > (length - head.names_offset) / sizeof entry)
        return 0;
    uint32_t at = hash % head.names_size, step = 1 + hash % (head.names_size - 2);
    for (uint32_t tries = 0; tries < head.names_size; tries++) {
        memcpy(&entry, data + head.names_offset + at * sizeof entry, sizeof entry);
        if (!entry.record && !entry.hash)
            return 0;
        if (entry.record && entry.hash == hash && entry.name < length &&
            size <= length - entry.name && memcmp(data + entry.name, name, size) == 0)
            return 1;
        at = (uint32_t)(((uint64_t)at + step) % head.names_size);
    }
    return 0;
}
