/* Fuzzes the locale-archive of a box: the name of a locale, a NUL, the archive. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/init/locale.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[LOCALE_NAME_MAX];
    const uint8_t *end = memchr(data, '\0', size);
    if (!end)
        return 0;
    size_t left = size - (size_t)(end + 1 - data);
    if (locale_normalise((const char *)data, name) < 0)
        return 0;
    if (strlen(name) >= sizeof name || strchr(name, '/'))
        abort();
    /* A copy of its own, so that the sanitizer notices reads beyond it. */
    char *archive = malloc(left ? left : 1);
    memcpy(archive, end + 1, left);
    locale_archive_has(archive, left, name);
    free(archive);
    return 0;
}
