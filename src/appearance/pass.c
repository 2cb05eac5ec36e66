/* Variables of the user's own that say how things look. None of them may name a file or a module.
 */
#include <string.h>

#include "appearance/appearance.h"

#define VALUE_MAX 128

static const char *const passed[] = {
    "GDK_DPI_SCALE",
    "GDK_SCALE",
    "GTK_THEME",
    "KDE_SESSION_VERSION",
    "QT_AUTO_SCREEN_SCALE_FACTOR",
    "QT_ENABLE_HIGHDPI_SCALING",
    "QT_FONT_DPI",
    "QT_QPA_PLATFORMTHEME",
    "QT_SCALE_FACTOR",
    "QT_SCALE_FACTOR_ROUNDING_POLICY",
    "QT_SCREEN_SCALE_FACTORS",
    "QT_STYLE_OVERRIDE",
    "QT_WAYLAND_FORCE_DPI",
    "XCURSOR_SIZE",
    "XCURSOR_THEME",
    "XDG_CURRENT_DESKTOP",
    NULL,
};

gboolean appearance_passes(const char *entry)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  " .,:;=+_-";
    gsize name = strcspn(entry, "=");
    if (!entry[name])
        return FALSE;
    const char *value = entry + name + 1;
    gsize length = strlen(value);
    if (length == 0 || length > VALUE_MAX || strspn(value, letters) != length || *value == '.')
        return FALSE;
    for (const char *const *known = passed; *known; known++)
        if (strlen(*known) == name && strncmp(*known, entry, name) == 0)
            return TRUE;
    return FALSE;
}
