/* Text and pictures that cross the border of a box. What passes is no longer, and passes again
 * as it is. */
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "proto/clip_content.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        g_autofree uint8_t *copy = g_malloc(size + 1);
        size_t length = size;
        memcpy(copy, data, size);
        if (clip_clean(kind, copy, &length) < 0)
            continue;
        size_t again = length;
        g_assert_true(length > 0 && length <= size);
        g_autofree uint8_t *clean = g_malloc(length);
        memcpy(clean, copy, length);
        g_assert_cmpint(clip_clean(kind, clean, &again), ==, 0);
        g_assert_cmpmem(clean, again, copy, length);
    }
    return 0;
}
