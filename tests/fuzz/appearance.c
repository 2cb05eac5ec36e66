/* The user's files about appearance, which a box may have been able to write: dconf's database,
 * settings.ini and kdeglobals. What is read from them survives being written and read again. */
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
    g_assert_true(!cursor || *cursor);
    g_assert_nonnull(env);

    appearance_parse_dconf(again, (const char *)made->data, made->len);
    appearance_parse_gtk(again, gtk, strlen(gtk), FALSE);
    for (int i = 0; i < APPEARANCE_N_PROPERTIES; i++) {
        g_assert_true(!self->values[i] || i == APPEARANCE_DARK_GTK4 ||
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
        appearance_parse_dconf(self, text, size - 1);
        break;
    case 1:
        appearance_parse_gtk(self, text, size - 1, FALSE);
        break;
    case 2:
        appearance_parse_gtk(self, text, size - 1, TRUE);
        break;
    default:
        appearance_parse_kde(self, text, size - 1);
    }
    check(self);
    return 0;
}
