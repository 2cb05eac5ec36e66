#include "appearance/appearance.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "appearance/gvdb.h"
#include "common/fs.h"

/* Bytes of one line. Only lists in properties that nobody reads here are longer. */
#define INI_LINE_MAX 1024

typedef void (*ini_visit)(const char *group, const char *key, const char *value, void *data);

/* The group that LINE starts, or NULL. Changes LINE. */
static const char *ini_group(char *line)
{
    char *end = strrchr(line, ']');
    if (*line != '[' || !end || end[1])
        return NULL;
    *end = '\0';
    return line + 1;
}

static void ini_visit_line(const char *group, char *line, ini_visit visit, void *data)
{
    char *equals = strchr(line, '=');
    if (!equals || equals == line || *line == '#' || *line == ';')
        return;
    *equals = '\0';
    visit(group, g_strchomp(line), g_strchug(equals + 1), data);
}

/*
 * Calls VISIT for each "KEY = VALUE" in the LENGTH bytes of TEXT, without spaces around them, and
 * with its group: the text between the first "[" and the last "]" of the group's line. Skips
 * comments, lines that are too long, and lines that are not UTF-8 or contain a NUL.
 */
static void ini_each(const char *text, gsize length, ini_visit visit, void *data)
{
    g_autofree char *group = g_strdup("");
    gsize size;
    for (const char *at = text; at < text + length; at += size + 1) {
        const char *end = memchr(at, '\n', (gsize)(text + length - at));
        size = end ? (gsize)(end - at) : (gsize)(text + length - at);
        if (size > INI_LINE_MAX || !g_utf8_validate(at, (gssize)size, NULL))
            continue;
        g_autofree char *copy = g_strndup(at, size);
        char *line = g_strstrip(copy);
        const char *new_group = ini_group(line);
        if (new_group) {
            g_free(group);
            group = g_strdup(new_group);
        } else {
            ini_visit_line(group, line, visit, data);
        }
    }
}

/* Bytes of kdeglobals that are kept. */
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
    for (int i = 0; i < APPEARANCE_N_PROPERTIES; i++)
        g_free(self->values[i]);
    g_string_free(self->kde, TRUE);
    g_free(self);
}

static void set_value(appearance *self, appearance_property property, const char *value)
{
    if (value && !self->values[property])
        self->values[property] = appearance_property_check(property, value);
}

void appearance_parse_dconf(appearance *self, const char *data, gsize length)
{
    for (appearance_property i = 0; i < APPEARANCE_N_PROPERTIES; i++) {
        g_autoptr(GVariant) value = appearance_properties[i].dconf
                                        ? gvdb_get(data, length, appearance_properties[i].dconf)
                                        : NULL;
        g_autofree char *text = value ? appearance_property_from_variant(i, value) : NULL;
        set_value(self, i, text);
    }
}

typedef struct {
    appearance *self;
    gboolean gtk4;
} gtk_file;

static void visit_gtk(const char *group, const char *key, const char *value, void *data)
{
    const gtk_file *file = data;
    if (strcmp(group, "Settings") != 0)
        return;
    for (appearance_property i = 0; i < APPEARANCE_N_PROPERTIES; i++) {
        gboolean of_other = i == (file->gtk4 ? APPEARANCE_DARK : APPEARANCE_DARK_GTK4);
        if (appearance_properties[i].gtk && !of_other &&
            strcmp(key, appearance_properties[i].gtk) == 0)
            set_value(file->self, i, value);
    }
}

void appearance_parse_gtk(appearance *self, const char *text, gsize length, gboolean gtk4)
{
    gtk_file file = {self, gtk4};
    ini_each(text, length, visit_gtk, &file);
}

/* Groups of colours, of which all keys are kept: "Colors:View", "Colors:Header][Inactive". */
static gboolean is_colours(const char *group)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:][";
    return (g_str_has_prefix(group, "Colors:") || g_str_has_prefix(group, "ColorEffects:") ||
            strcmp(group, "WM") == 0) &&
           strspn(group, letters) == strlen(group);
}

static gboolean is_kde_appearance(const char *group, const char *key)
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
    /* Only letters, because KConfig would expand the value of a key that ends in "[$e]". */
    return is_colours(group) && g_ascii_isalpha(*key) &&
           strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == strlen(key);
}

typedef struct {
    GString *out;
    char *group; /* of the last line */
} kde_file;

static void visit_kde(const char *group, const char *key, const char *value, void *data)
{
    kde_file *file = data;
    if (!is_kde_appearance(group, key) || !appearance_is_plain_text(value, KDE_VALUE_MAX) ||
        file->out->len > KDE_MAX)
        return;
    if (g_strcmp0(file->group, group) != 0) {
        g_free(file->group);
        file->group = g_strdup(group);
        g_string_append_printf(file->out, "[%s]\n", group);
    }
    g_string_append_printf(file->out, "%s=%s\n", key, value);
}

void appearance_parse_kde(appearance *self, const char *text, gsize length)
{
    kde_file file = {self->kde, NULL};
    ini_each(text, length, visit_kde, &file);
    g_free(file.group);
}

/* 96 dpi, the default for unscaled text, in the units of gtk-xft-dpi: 1/1024 dpi. */
#define UNSCALED_DPI (96 * 1024)

static void append_gtk(GString *out, appearance_property property, const char *value)
{
    if (value)
        g_string_append_printf(out, "%s=%s\n", appearance_properties[property].gtk, value);
}

/* GTK 3 does not know color-scheme, so the programs that follow GTK 3 (Electron, Firefox) get the
 * key for dark themes. */
static const char *prefer_dark(const appearance *self, gboolean gtk4)
{
    const char *value = self->values[gtk4 ? APPEARANCE_DARK_GTK4 : APPEARANCE_DARK];
    if (value || gtk4)
        return value;
    return g_strcmp0(self->values[APPEARANCE_SCHEME], "prefer-dark") == 0 ? "true" : NULL;
}

static char *scaled_dpi(const appearance *self)
{
    const char *scale = self->values[APPEARANCE_TEXT_SCALE];
    if (self->values[APPEARANCE_XFT_DPI] || !scale)
        return g_strdup(self->values[APPEARANCE_XFT_DPI]);
    return g_strdup_printf("%d", (int)(UNSCALED_DPI * g_ascii_strtod(scale, NULL)));
}

char *appearance_gtk(const appearance *self, gboolean gtk4)
{
    GString *out = g_string_new("[Settings]\n");
    g_autofree char *dpi = scaled_dpi(self);
    for (appearance_property i = 0; i < APPEARANCE_N_PROPERTIES; i++)
        if (appearance_properties[i].gtk && i != APPEARANCE_DARK && i != APPEARANCE_DARK_GTK4 &&
            i != APPEARANCE_XFT_DPI)
            append_gtk(out, i, self->values[i]);
    append_gtk(out, APPEARANCE_DARK, prefer_dark(self, gtk4));
    append_gtk(out, APPEARANCE_XFT_DPI, dpi);
    return g_string_free(out, FALSE);
}

GByteArray *appearance_dconf(const appearance *self)
{
    gvdb_entry entries[APPEARANCE_N_PROPERTIES];
    gsize count = 0;
    for (appearance_property i = 0; i < APPEARANCE_N_PROPERTIES; i++)
        if (appearance_properties[i].dconf && self->values[i])
            entries[count++] = (gvdb_entry){
                appearance_properties[i].dconf,
                g_variant_ref_sink(appearance_property_to_variant(i, self->values[i]))};
    GByteArray *database = gvdb_make(entries, count);
    while (count > 0)
        g_variant_unref(entries[--count].value);
    return database;
}

char *appearance_cursor(const appearance *self)
{
    const char *theme = self->values[APPEARANCE_CURSOR];
    /* A theme "default" would inherit from itself. */
    if (!theme || strcmp(theme, "default") == 0)
        return NULL;
    return g_strdup_printf("[Icon Theme]\nName=Default\nInherits=%s\n", theme);
}

char **appearance_environment(const appearance *self)
{
    GPtrArray *env = g_ptr_array_new();
    if (self->values[APPEARANCE_CURSOR])
        g_ptr_array_add(env, g_strconcat("XCURSOR_THEME=", self->values[APPEARANCE_CURSOR], NULL));
    if (self->values[APPEARANCE_CURSOR_SIZE])
        g_ptr_array_add(env,
                        g_strconcat("XCURSOR_SIZE=", self->values[APPEARANCE_CURSOR_SIZE], NULL));
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(env, FALSE);
}

/*
 * Reads the appearance from the user's files and environment.
 *
 * Symbolic links are followed wherever they lead, because only known properties with valid values
 * get out of these files.
 */

/* Bytes. The database of a desktop that is years old has a few hundred kilobytes. */
#define DCONF_MAX (8 << 20)
#define TEXT_MAX (256 << 10)
#define PROFILE "/etc/dconf/profile/user"
#define SYSTEM_DATABASES "/etc/dconf/db"

static char *read_file(const char *folder, const char *name, gsize max, gsize *length)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *data = NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (!fs_read_fd(fd, path, max, &data, length, NULL))
        data = NULL;
    close(fd);
    return data;
}

static void read_database(appearance *self, const char *folder, const char *name)
{
    gsize length;
    g_autofree char *data = strchr(name, '/') ? NULL : read_file(folder, name, DCONF_MAX, &length);
    if (data)
        appearance_parse_dconf(self, data, length);
}

/* In the order of the profile (dconf(7)), in which the user's database is first. */
static void read_databases(appearance *self)
{
    gsize length;
    g_autofree char *user_folder = g_build_filename(g_get_user_config_dir(), "dconf", NULL);
    g_autofree char *profile = read_file("/", PROFILE, TEXT_MAX, &length);
    g_auto(GStrv) lines = g_strsplit(profile ? profile : "user-db:user", "\n", -1);
    for (char **line = lines; *line; line++) {
        const char *name = strchr(g_strstrip(*line), ':');
        if (name && g_str_has_prefix(*line, "user-db:"))
            read_database(self, user_folder, name + 1);
        else if (name && g_str_has_prefix(*line, "system-db:"))
            read_database(self, SYSTEM_DATABASES, name + 1);
    }
}

static void read_gtk(appearance *self, const char *folder, gboolean gtk4)
{
    gsize length;
    g_autofree char *text = read_file(
        folder, gtk4 ? "gtk-4.0/settings.ini" : "gtk-3.0/settings.ini", TEXT_MAX, &length);
    if (text)
        appearance_parse_gtk(self, text, length, gtk4);
}

appearance *appearance_read_host(void)
{
    appearance *self = appearance_new();
    const char *folder = g_get_user_config_dir();
    gsize length;
    g_autofree char *kde = read_file(folder, "kdeglobals", TEXT_MAX, &length);
    read_databases(self);
    read_gtk(self, folder, FALSE);
    read_gtk(self, folder, TRUE);
    if (kde)
        appearance_parse_kde(self, kde, length);
    return self;
}

/* Bytes of a variable's value. */
#define VALUE_MAX 128

/* Variables about appearance that boxes get. None of them may name a file or a module. */
static const char *const passed_variables[] = {
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

gboolean appearance_passes_variable(const char *entry)
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
    for (const char *const *known = passed_variables; *known; known++)
        if (strlen(*known) == name && strncmp(*known, entry, name) == 0)
            return TRUE;
    return FALSE;
}
