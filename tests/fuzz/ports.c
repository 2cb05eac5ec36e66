/*
 * Fuzzes the kernel's tables of sockets, whose contents a box chooses, and port mappings. A parsed
 * mapping must be the same after it is written and parsed again.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "box/inspect/sockets.h"
#include "proto/port_mapping.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tables(const char *text)
{
    for (int v6 = 0; v6 < 2; v6++) {
        g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
        listeners_parse(text, v6 == 1, list);
        assert(list->len <= LISTENERS_MAX);
        for (guint i = 0; i < list->len; i++)
            assert(((const listener *)list->pdata[i])->port > 0);
    }
}

static void mappings(const char *text)
{
    g_autoptr(port_mapping) one = port_mapping_parse(text);
    g_autofree char *written = one ? port_mapping_text(one) : NULL;
    g_autoptr(port_mapping) again = written ? port_mapping_parse(written) : NULL;
    if (!one)
        return;
    assert(again && port_mapping_same_host_side(one, again) && one->box_port == again->box_port);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    tables(text);
    mappings(text);
    return 0;
}
