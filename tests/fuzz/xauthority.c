/*
 * Cookies in an .Xauthority file. What is found lies within the data, and an entry of our own
 * behind anything that is whole is found.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/bridge/core/x_display.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    const unsigned char *found = xauthority_find(copy, size, "host", "0");
    if (found)
        assert(found >= copy && found + XAUTHORITY_COOKIE <= copy + size);
    free(copy);
    return 0;
}
