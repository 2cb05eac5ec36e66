/*
 * Reads the appearance from the user's files and environment.
 *
 * Symbolic links are followed wherever they lead, because only known properties with valid values
 * get out of these files.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "appearance/appearance.h"
#include "common/fs.h"

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
