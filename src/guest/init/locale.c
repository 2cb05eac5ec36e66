#include "guest/init/locale.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/init/locale_archive.h"

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
    static char known[LOCALE_NAME_MAX]; /* most variables say the same */
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

/* Names of the variables to be looked at: the environment changes meanwhile. */
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

static void settle_languages(void)
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

/* "CET-1CEST" and the like say all themselves. */
static void settle_zone(void)
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

void locale_settle(void)
{
    settle_languages();
    settle_zone();
}
