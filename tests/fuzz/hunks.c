/* A difference, and the two texts that it is of: three strings with a NUL between them. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "box/branch/hunks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(GArray *hunks, hunk_text old, hunk_text new, gboolean chosen, hunk_text expected)
{
    for (guint i = 0; i < hunks->len; i++)
        g_array_index(hunks, hunk, i).is_chosen = chosen;
    g_autoptr(GString) text = hunks_apply(hunks, old, new);
    assert(text->len == expected.length && memcmp(text->str, expected.data, text->len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!data)
        return 0;
    hunk_text texts[3];
    const char *at = (const char *)data, *end = at + size;
    for (int i = 0; i < 3; i++) {
        const char *stop = i < 2 && at < end ? memchr(at, '\0', (size_t)(end - at)) : end;
        size_t length = (size_t)((stop ? stop : end) - at);
        char *exact = malloc(length ? length : 1);
        memcpy(exact, at, length);
        texts[i] = (hunk_text){exact, length};
        at = stop && stop < end ? stop + 1 : end;
    }
    GArray *hunks = hunks_parse(texts[0], texts[1], texts[2]);
    if (hunks) {
        expect(hunks, texts[1], texts[2], FALSE, texts[1]);
        expect(hunks, texts[1], texts[2], TRUE, texts[2]);
        g_array_unref(hunks);
    }
    for (int i = 0; i < 3; i++)
        free((char *)texts[i].data);
    return 0;
}
