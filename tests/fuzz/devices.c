/* The list of `box device add`: all accepted paths are below /dev, and can be written and shown. */
#include <stdint.h>
#include <string.h>

#include "config/devices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0'; /* as fs_read() does */
    g_autoptr(GPtrArray) list = devices_parse(text, size, "devices", &error);

    g_assert_true((list != NULL) != (error != NULL));
    g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
    for (guint i = 0; list && i < list->len; i++) {
        const settings_device *device = list->pdata[i];
        g_assert_true(g_str_has_prefix(device->source, "/dev/"));
        g_assert_true(g_str_has_prefix(device->target, "/dev/"));
        g_assert_false(strstr(device->source, "/../") || strstr(device->target, "/../"));
        g_assert_false(strpbrk(device->source, "\t\n") || strpbrk(device->target, "\t\n:"));
    }
    return 0;
}
