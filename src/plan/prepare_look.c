/* The files at PLAN_LOOK. Written anew before each start: so long a box keeps what it began with.
 */
#include "plan/prepare.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"

static const char *const folders[] = {
    "config/gtk-3.0",
    "config/gtk-4.0",
    "dconf",
    "share/icons/default",
};

/* NULL: there is to be none. */
static gboolean write_file(const plan_prepared *self, const char *name, const char *text,
                           gssize length, GError **error)
{
    g_autofree char *path = g_build_filename(self->box->data, PLAN_DATA_LOOK, name, NULL);

    if (text)
        return plan_write(path, text, length, 0444, error);
    unlink(path);
    return TRUE;
}

static gboolean is_mounted(const plan_prepared *self, const char *target)
{
    json_t *mount;
    gsize i;

    json_array_foreach (json_object_get(self->request, "mounts"), i, mount)
        if (g_strcmp0(json_string_value(json_object_get(mount, "destination")), target) == 0)
            return TRUE;
    return FALSE;
}

/* The box's own configuration, and then what of the user's and the host's there is. */
static char *fonts_text(const plan_prepared *self)
{
    static const char *const fonts[] = {"user", "old", "local", "host"};
    const char *own = self->box->image ? plan_image_variable(self->box, "FONTCONFIG_FILE") : NULL;
    g_autofree char *file =
        g_markup_escape_text(own && *own == '/' ? own : "/etc/fonts/fonts.conf", -1);
    GString *text = g_string_new("<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM "
                                 "\"urn:fontconfig:fonts.dtd\">\n<fontconfig>\n");

    g_string_append_printf(text, "<include ignore_missing=\"yes\">%s</include>\n", file);
    for (gsize i = 0; i < G_N_ELEMENTS(fonts); i++) {
        g_autofree char *folder = g_build_filename(PLAN_SHARE, fonts[i], "fonts", NULL);
        if (is_mounted(self, folder))
            g_string_append_printf(text, "<dir>%s</dir>\n", folder);
    }
    /* Should there be no other configuration. */
    g_string_append(
        text, "<cachedir prefix=\"xdg\">fontconfig</cachedir>\n"
              "<include ignore_missing=\"yes\">" PLAN_SHARE "/fontconfig/fonts.conf</include>\n"
              "<include ignore_missing=\"yes\">" PLAN_SHARE "/fontconfig/conf.d</include>\n"
              "</fontconfig>\n");
    return g_string_free(text, FALSE);
}

static gboolean write_gtk(const plan_prepared *self, GError **error)
{
    g_autofree char *gtk3 = appearance_gtk(self->facts->look, FALSE);
    g_autofree char *gtk4 = appearance_gtk(self->facts->look, TRUE);

    return write_file(self, "config/gtk-3.0/settings.ini", gtk3, -1, error) &&
           write_file(self, "config/gtk-4.0/settings.ini", gtk4, -1, error);
}

/* What is set in the box itself comes before it. */
static gboolean write_dconf(const plan_prepared *self, GError **error)
{
    GByteArray *made = appearance_dconf(self->facts->look);
    gboolean ok = write_file(self, "dconf/database", (const char *)made->data, made->len, error) &&
                  write_file(self, "dconf/profile",
                             "user-db:user\nfile-db:" PLAN_LOOK "/dconf/database\n", -1, error);

    g_byte_array_unref(made);
    return ok;
}

gboolean plan_prepare_look(const plan_prepared *self, GError **error)
{
    const appearance *look = self->facts->look;

    if (!settings_wants_appearance(self->wanted) || !look)
        return TRUE;
    for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(self->box->data, PLAN_DATA_LOOK, folders[i], NULL);
        if (!fs_make_folder(path, 0755, error))
            return FALSE;
    }
    g_autofree char *fonts = fonts_text(self);
    g_autofree char *cursor = appearance_cursor(look);
    return write_gtk(self, error) && write_dconf(self, error) &&
           write_file(self, "fonts.conf", fonts, -1, error) &&
           write_file(self, "share/icons/default/index.theme", cursor, -1, error) &&
           write_file(self, "config/kdeglobals", look->kde->len ? look->kde->str : NULL, -1, error);
}
