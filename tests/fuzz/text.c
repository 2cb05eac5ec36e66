/*
 * Fuzzes text_safe(). The first two bytes are the limit, the rest is the text. The result must be
 * valid UTF-8 within the limit, without characters that hide or reorder text or end a line, and
 * must not change when it is escaped again.
 */
#include <stdint.h>
#include <string.h>

#include "common/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks Unicode properties, independently of the lists in text.c. */
static void check_harmless(const char *text)
{
    g_assert_true(g_utf8_validate(text, -1, NULL));
    for (; *text; text = g_utf8_next_char(text)) {
        gunichar c = g_utf8_get_char(text);
        GUnicodeType type = g_unichar_type(c);
        g_assert_true(c >= 0x20 && (c < 0x7f || c > 0x9f));
        g_assert_true(type != G_UNICODE_FORMAT && type != G_UNICODE_UNASSIGNED &&
                      type != G_UNICODE_PRIVATE_USE && type != G_UNICODE_LINE_SEPARATOR &&
                      type != G_UNICODE_PARAGRAPH_SEPARATOR);
        g_assert_true(text_safe_char(c));
    }
}

/* Printable ASCII within the limit must not change. */
static void check_kept(const char *text, size_t size, const char *safe, gsize max)
{
    if (size > max)
        return;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < 0x20 || text[i] > 0x7e)
            return;
    }
    g_assert_cmpmem(text, size, safe, strlen(safe));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    gsize max = MAX((gsize)(data[0] << 8 | data[1]) % 2048, 16);
    g_autofree char *copy = g_memdup2(data + 2, size - 2);
    g_autofree char *safe = text_safe_max(copy ? copy : "", (gssize)size - 2, max);
    g_autofree char *again = text_safe_max(safe, -1, max);
    g_autofree char *whole = text_safe(copy ? copy : "", (gssize)size - 2);

    g_assert_cmpuint(strlen(safe), <=, max);
    g_assert_cmpuint(strlen(whole), <=, TEXT_SAFE_MAX);
    check_harmless(safe);
    check_harmless(whole);
    g_assert_cmpstr(safe, ==, again);
    check_kept(copy, size - 2, safe, max);
    return 0;
}
