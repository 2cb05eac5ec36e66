#include "guest/init/locale.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARCHIVE_MAGIC 0xde020109u

/* The start of glibc's struct locarhead (locarchive.h), in the machine's byte order. */
struct archive_head {
    uint32_t magic, serial;
    uint32_t names_offset, names_used, names_size;
};

struct archive_name {
    uint32_t hash;
    uint32_t name;   /* offset of the text */
    uint32_t record; /* 0: a free slot */
};

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* As _nl_normalize_codeset() of glibc does: letters and digits only, in lower case, with "iso" in
 * front if there are only digits. */
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

#define LOCALES "/usr/lib/locale"
#define ARCHIVE LOCALES "/locale-archive"
#define ZONES "/usr/share/zoneinfo"
#define FALLBACK "C.UTF-8"
/* LC_… and LANG; glibc has 14 of them. */
#define VARIABLES_MAX 32

extern char **environ;

static int is_in_archive(const char *name)
{
    struct stat st;
    int fd = open(ARCHIVE, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), has = 0;
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        size_t length = (size_t)st.st_size;
        void *data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            has = locale_archive_has(data, length, name);
            munmap(data, length);
        }
    }
    close(fd);
    return has;
}

static int is_folder(const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, LOCALES "/%s", name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

static int has_locale(const char *value)
{
    static char known[LOCALE_NAME_MAX]; /* most variables have the same value */
    char name[LOCALE_NAME_MAX];
    if (!*value || !strcmp(value, "C") || !strcmp(value, "POSIX"))
        return 1;
    if (locale_normalise(value, name) < 0)
        return 0;
    if (!strcmp(name, "C.utf8") || !strcmp(name, known))
        return 1;
    if (!is_folder(name) && !is_folder(value) && !is_in_archive(name))
        return 0;
    strcpy(known, name);
    return 1;
}

/* Copies the names, as the caller changes the environment. */
static int list_variables(char names[][32])
{
    int count = 0;
    for (char **entry = environ; *entry && count < VARIABLES_MAX; entry++) {
        size_t length = strcspn(*entry, "=");
        if (length < 32 && (!strncmp(*entry, "LC_", 3) || !strncmp(*entry, "LANG=", 5))) {
            memcpy(names[count], *entry, length);
            names[count++][length] = '\0';
        }
    }
    return count;
}

static void drop_missing_locales(void)
{
    char names[VARIABLES_MAX][32];
    if (access(LOCALES, F_OK) < 0)
        return;
    for (int i = list_variables(names); i-- > 0;) {
        const char *value = getenv(names[i]);
        if (!value || has_locale(value))
            continue;
        if (!strcmp(names[i], "LANG") || !strcmp(names[i], "LC_ALL"))
            setenv(names[i], FALLBACK, 1);
        else
            unsetenv(names[i]);
    }
}

/* Only names of files, such as Europe/Vienna: "CET-1CEST" needs none (tzset(3)). */
static void drop_missing_zone(void)
{
    char path[PATH_MAX];
    const char *zone = getenv("TZ");
    if (!zone)
        return;
    zone += *zone == ':';
    if (!strchr(zone, '/') || strchr(zone, ','))
        return;
    int length = snprintf(path, sizeof path, "%s%s", *zone == '/' ? "" : ZONES "/", zone);
    if (length >= (int)sizeof path || access(path, R_OK) < 0)
        unsetenv("TZ");
}

void locale_drop_missing(void)
{
    drop_missing_locales();
    drop_missing_zone();
}
