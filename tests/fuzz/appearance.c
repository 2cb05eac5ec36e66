/* Bytes as the user's files of their desktop, which a box may have been given to write: dconf's
 * database, settings.ini, kdeglobals. What is taken can be written, and read again as it was. */
#include <stdint.h>
#include <string.h>

#include "appearance/appearance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const appearance *self)
{
    g_autoptr(appearance) again = appearance_new();
    g_autofree char *gtk = appearance_gtk(self, FALSE);
    g_autofree char *cursor = appearance_cursor(self);
    g_auto(GStrv) env = appearance_environment(self);
    GByteArray *made = appearance_dconf(self);

    appearance_take_dconf(again, (const char *)made->data, made->len);
    appearance_take_gtk(again, gtk, strlen(gtk), FALSE);
    for (int i = 0; i < N_LOOKS; i++) {
        g_assert_true(!self->values[i] || i == LOOK_DARK_4 ||
                      g_strcmp0(self->values[i], again->values[i]) == 0);
        g_assert_false(self->values[i] && strpbrk(self->values[i], "\n\"$`\033"));
    }
    g_assert_false(strstr(self->kde->str, "[$"));
    g_byte_array_unref(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    g_autoptr(appearance) self = appearance_new();
    const char *text = (const char *)data + 1;

    switch (data[0] % 4) {
    case 0:
        appearance_take_dconf(self, text, size - 1);
        break;
    case 1:
        appearance_take_gtk(self, text, size - 1, FALSE);
        break;
    case 2:
        appearance_take_gtk(self, text, size - 1, TRUE);
        break;
    default:
        appearance_take_kde(self, text, size - 1);
    }
    check(self);
    return 0;
}
