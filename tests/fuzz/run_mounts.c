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
    static const char archive[] = "\nFROM oci-archive:a\n";
    static const char *const args[] = {"USER=me", NULL};
    g_autofree char *wrong = NULL, *wrong_again = NULL;
    g_autofree char *named =
        run_mounts_name_images((const char *)data, size, (char *const *)args, &wrong);
    assert((named == NULL) == (wrong != NULL));
    g_autofree char *with_archive = g_strconcat(text, "\n", archive, text, NULL);
    assert(!run_mounts_name_images(with_archive, strlen(with_archive), (char *const *)args,
                                   &wrong_again));
    return 0;
}
