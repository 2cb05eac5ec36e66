#include "surroundings.h"

#include <glib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "common/bus_address.h"

/* Beginnings of the names that GLib, GTK and what they load listen to. XDG_CONFIG_: a settings.ini
 * there names modules by path, and GTK loads them; the one below the user's home is the user's. */
static const char *const unwanted[] = {
    "GTK",  "GDK_",  "GIO_",    "G_",  "GOBJECT_",    "GSK_",        "GVFS",   "GSETTINGS_",
    "ATK_", "PANGO", "CLUTTER", "FC_", "FONTCONFIG_", "XDG_CONFIG_", "DCONF_", NULL};
static const char *const wanted[] = {"GDK_BACKEND", "GDK_CORE_DEVICE_EVENTS", "GDK_DPI_SCALE",
                                     "GDK_SCALE", NULL};

static const char *const buses[] = {"AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"};

void surroundings_harden(void)
{
    const struct rlimit none = {0, 0};

    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
}

void surroundings_clean(void)
{
    g_auto(GStrv) names = g_listenv();

    for (char **name = names; *name; name++) {
        for (const char *const *begin = unwanted; *begin; begin++) {
            if (g_str_has_prefix(*name, *begin) && !g_strv_contains(wanted, *name))
                g_unsetenv(*name);
        }
    }
    for (gsize i = 0; i < G_N_ELEMENTS(buses); i++) {
        const char *addresses = g_getenv(buses[i]);
        if (addresses && !bus_address_is_plain(addresses))
            g_unsetenv(buses[i]);
    }
    /* A window of text needs no OpenGL, whose drivers take a third of the time to start. */
    g_setenv("GDK_GL", "disable", TRUE);
}
