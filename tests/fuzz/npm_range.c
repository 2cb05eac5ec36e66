/* A range and, after a line end, a version: both are read within their bounds, and a range that has
 * a version has it beside any other, too. */
#include <stdint.h>
#include <string.h>

#include "config/npm_range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *range = g_strndup((const char *)data, size);
    char *end = strchr(range, '\n');
    if (!end)
        return 0;
    *end = '\0';
    npm_range_answer answer = npm_range_check(range, end + 1);
    g_autofree char *both = g_strconcat(range, " || 0.0.0", NULL);
    g_assert_true(answer != NPM_RANGE_HAS || strlen(both) > NPM_RANGE_MAX ||
                  npm_range_check(both, end + 1) == NPM_RANGE_HAS);
    return 0;
}
