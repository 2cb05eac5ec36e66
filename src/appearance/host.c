/*
 * The user's files, wherever links lead: what is not one of the values that are looked for is left
 * where it is.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "appearance/appearance.h"
#include "common/fs.h"

/* A database of a desktop of many years has some hundred kilobytes. */
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

static void take_database(appearance *self, const char *folder, const char *name)
{
    gsize length;
    g_autofree char *data = strchr(name, '/') ? NULL : read_file(folder, name, DCONF_MAX, &length);
    if (data)
        appearance_take_dconf(self, data, length);
}

/* In the order of the profile, the user's own first. */
static void take_databases(appearance *self)
{
    gsize length;
    g_autofree char *own = g_build_filename(g_get_user_config_dir(), "dconf", NULL);
    g_autofree char *profile = read_file("/", PROFILE, TEXT_MAX, &length);
    g_auto(GStrv) lines = g_strsplit(profile ? profile : "user-db:user", "\n", -1);
    for (char **line = lines; *line; line++) {
        const char *name = strchr(g_strstrip(*line), ':');
        if (name && g_str_has_prefix(*line, "user-db:"))
            take_database(self, own, name + 1);
        else if (name && g_str_has_prefix(*line, "system-db:"))
            take_database(self, SYSTEM_DATABASES, name + 1);
    }
}

static void take_gtk(appearance *self, const char *folder, gboolean gtk4)
{
    gsize length;
    g_autofree char *text = read_file(
        folder, gtk4 ? "gtk-4.0/settings.ini" : "gtk-3.0/settings.ini", TEXT_MAX, &length);
    if (text)
        appearance_take_gtk(self, text, length, gtk4);
}

appearance *appearance_read(void)
{
    appearance *self = appearance_new();
    const char *folder = g_get_user_config_dir();
    gsize length;
    g_autofree char *kde = read_file(folder, "kdeglobals", TEXT_MAX, &length);
    take_databases(self);
    take_gtk(self, folder, FALSE);
    take_gtk(self, folder, TRUE);
    if (kde)
        appearance_take_kde(self, kde, length);
    return self;
}
