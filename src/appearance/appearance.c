#include "appearance/appearance.h"

#include <string.h>

#include "appearance/gvdb.h"
#include "appearance/ini.h"
#include "appearance/property.h"

/* Of kdeglobals, once the rest is left out. */
#define KDE_MAX (64 << 10)
#define KDE_VALUE_MAX 256

appearance *appearance_new(void)
{
    appearance *self = g_new0(appearance, 1);
    self->kde = g_string_new(NULL);
    return self;
}

void appearance_free(appearance *self)
{
    if (!self)
        return;
    for (int i = 0; i < N_LOOKS; i++)
        g_free(self->values[i]);
    g_string_free(self->kde, TRUE);
    g_free(self);
}

static void take(appearance *self, look_property property, const char *value)
{
    if (value && !self->values[property])
        self->values[property] = look_check(property, value);
}

void appearance_take_dconf(appearance *self, const char *data, gsize length)
{
    for (look_property i = 0; i < N_LOOKS; i++) {
        g_autoptr(GVariant) value =
            look_rows[i].dconf ? gvdb_get(data, length, look_rows[i].dconf) : NULL;
        g_autofree char *text = value ? look_from_variant(i, value) : NULL;
        take(self, i, text);
    }
}

typedef struct {
    appearance *self;
    gboolean gtk4;
} gtk_file;

static void take_gtk(const char *group, const char *key, const char *value, void *data)
{
    const gtk_file *file = data;
    if (strcmp(group, "Settings") != 0)
        return;
    for (look_property i = 0; i < N_LOOKS; i++) {
        gboolean of_other = i == (file->gtk4 ? LOOK_DARK : LOOK_DARK_4);
        if (look_rows[i].gtk && !of_other && strcmp(key, look_rows[i].gtk) == 0)
            take(file->self, i, value);
    }
}

void appearance_take_gtk(appearance *self, const char *text, gsize length, gboolean gtk4)
{
    gtk_file file = {self, gtk4};
    ini_each(text, length, take_gtk, &file);
}

/* Groups of colours are taken whole: "Colors:View", "Colors:Header][Inactive". */
static gboolean is_colours(const char *group)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:][";
    return (g_str_has_prefix(group, "Colors:") || g_str_has_prefix(group, "ColorEffects:") ||
            strcmp(group, "WM") == 0) &&
           strspn(group, letters) == strlen(group);
}

static gboolean is_kde_look(const char *group, const char *key)
{
    static const struct {
        const char *group, *key;
    } wanted[] = {
        {"General", "AccentColor"},
        {"General", "ColorScheme"},
        {"General", "fixed"},
        {"General", "font"},
        {"General", "menuFont"},
        {"General", "smallestReadableFont"},
        {"General", "toolBarFont"},
        {"Icons", "Theme"},
        {"KDE", "widgetStyle"},
        {"KDE", "contrast"},
        {"KDE", "ShowIconsOnPushButtons"},
        {"KDE", "ShowIconsInMenuItems"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
        if (strcmp(group, wanted[i].group) == 0 && strcmp(key, wanted[i].key) == 0)
            return TRUE;
    /* Without the "[$e]" that would have a value expanded. */
    return is_colours(group) && g_ascii_isalpha(*key) &&
           strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(key);
}

typedef struct {
    GString *out;
    char *group; /* of the last line */
} kde_file;

static void take_kde(const char *group, const char *key, const char *value, void *data)
{
    kde_file *file = data;
    if (!is_kde_look(group, key) || !look_is_plain(value, KDE_VALUE_MAX) ||
        file->out->len > KDE_MAX)
        return;
    if (g_strcmp0(file->group, group) != 0) {
        g_free(file->group);
        file->group = g_strdup(group);
        g_string_append_printf(file->out, "[%s]\n", group);
    }
    g_string_append_printf(file->out, "%s=%s\n", key, value);
}

void appearance_take_kde(appearance *self, const char *text, gsize length)
{
    kde_file file = {self->kde, NULL};
    ini_each(text, length, take_kde, &file);
    g_free(file.group);
}
