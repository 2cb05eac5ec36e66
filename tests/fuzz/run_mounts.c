/* Fuzzes which options of RUN an old Podman gets: a line that says it plainly is always found. */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "box/lifecycle/run_mounts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char plain[] = "\nRUN --mount=type=bind,source=a true\n";
    g_autofree char *found = NULL, *again = NULL, *text = g_strndup((const char *)data, size);
    gboolean harmless = run_mounts_are_harmless((const char *)data, size, &found);
    assert(harmless == !found);
    g_autofree char *whole = g_strconcat(text, plain, text, NULL);
    assert(!run_mounts_are_harmless(whole, strlen(whole), &again) && again);
    return 0;
}
