#include <string.h>

#include "appearance/appearance.h"
#include "appearance/gvdb.h"
#include "appearance/property.h"

/* Of text in its own size, in the units of gtk-xft-dpi. */
#define PLAIN_DPI (96 * 1024)

static void append(GString *out, look_property property, const char *value)
{
    if (value)
        g_string_append_printf(out, "%s=%s\n", look_rows[property].gtk, value);
}

/* GTK 3 knows nothing of a dark scheme; what draws like it (Electron, Firefox) asks it. */
static const char *dark(const appearance *self, gboolean gtk4)
{
    const char *said = self->values[gtk4 ? LOOK_DARK_4 : LOOK_DARK];
    if (said || gtk4)
        return said;
    return g_strcmp0(self->values[LOOK_SCHEME], "prefer-dark") == 0 ? "true" : NULL;
}

static char *dpi(const appearance *self)
{
    const char *scale = self->values[LOOK_TEXT_SCALE];
    if (self->values[LOOK_XFT_DPI] || !scale)
        return g_strdup(self->values[LOOK_XFT_DPI]);
    return g_strdup_printf("%d", (int)(PLAIN_DPI * g_ascii_strtod(scale, NULL)));
}

char *appearance_gtk(const appearance *self, gboolean gtk4)
{
    GString *out = g_string_new("[Settings]\n");
    g_autofree char *text_dpi = dpi(self);
    for (look_property i = 0; i < N_LOOKS; i++)
        if (look_rows[i].gtk && i != LOOK_DARK && i != LOOK_DARK_4 && i != LOOK_XFT_DPI)
            append(out, i, self->values[i]);
    append(out, LOOK_DARK, dark(self, gtk4));
    append(out, LOOK_XFT_DPI, text_dpi);
    return g_string_free(out, FALSE);
}

GByteArray *appearance_dconf(const appearance *self)
{
    gvdb_entry entries[N_LOOKS];
    gsize count = 0;
    for (look_property i = 0; i < N_LOOKS; i++)
        if (look_rows[i].dconf && self->values[i])
            entries[count++] = (gvdb_entry){
                look_rows[i].dconf, g_variant_ref_sink(look_to_variant(i, self->values[i]))};
    GByteArray *made = gvdb_make(entries, count);
    while (count > 0)
        g_variant_unref(entries[--count].value);
    return made;
}

char *appearance_cursor(const appearance *self)
{
    const char *theme = self->values[LOOK_CURSOR];
    /* It would inherit from itself. */
    if (!theme || strcmp(theme, "default") == 0)
        return NULL;
    return g_strdup_printf("[Icon Theme]\nName=Default\nInherits=%s\n", theme);
}

char **appearance_environment(const appearance *self)
{
    GPtrArray *env = g_ptr_array_new();
    if (self->values[LOOK_CURSOR])
        g_ptr_array_add(env, g_strconcat("XCURSOR_THEME=", self->values[LOOK_CURSOR], NULL));
    if (self->values[LOOK_CURSOR_SIZE])
        g_ptr_array_add(env, g_strconcat("XCURSOR_SIZE=", self->values[LOOK_CURSOR_SIZE], NULL));
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(env, FALSE);
}
