/*
 * Fuzzes the lines of a box's container in `box logs --helpers`. The first byte of each line says
 * whether it goes on with the one before. Every line must have a time that RFC 3339 can write and
 * be marked as the box's.
 */
#include <stdint.h>
#include <string.h>

#include "box/helpers/log_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct log_line *line)
{
    const char time[] = "0000-00-00T00:00:00.000+00:00"; /* or with "-" */
    for (size_t i = 0; i < sizeof(time) - 1; i++) {
        char is = line->text[i];
        g_assert_true(time[i] == '0' ? g_ascii_isdigit(is) : is == time[i] || time[i] == '+');
        g_assert_true(time[i] != '+' || is == '+' || is == '-');
    }
    g_assert_true(g_str_has_prefix(line->text + sizeof(time) - 1, " box: "));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GPtrArray) lines = log_lines_new();
    guint count = 0;
    for (size_t length; size; data += length, size -= length) {
        const uint8_t *end = memchr(data, '\n', size);
        length = end ? (size_t)(end - data) + 1 : size;
        log_lines_add_box(lines, (const char *)data + 1, length - 1, data[0] & 1);
        count++;
    }
    log_lines_sort(lines, -1);
    g_assert_cmpuint(lines->len, ==, count);
    for (guint i = 0; i < lines->len; i++) {
        const struct log_line *line = lines->pdata[i], *before = i ? lines->pdata[i - 1] : line;
        g_assert_cmpint(before->time, <=, line->time);
        check(line);
    }
    return 0;
}
