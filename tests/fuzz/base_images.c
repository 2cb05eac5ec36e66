/* Fuzzes which images a Containerfile starts from: not many, and nothing but names of images. */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "box/lifecycle/base_images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *args[] = {"A=a", NULL};
    g_autoptr(GPtrArray) images = base_images_parse((const char *)data, size, args);
    assert(images->len <= BASE_IMAGES_MAX);
    for (guint i = 0; i < images->len; i++) {
        const char *name = images->pdata[i];
        assert(*name && !strpbrk(name, " \t\r\n$%?&\\\"'") && !strstr(name, ":/"));
    }
    return 0;
}
