#include "host/desktop-helper/notify.h"

#include <gio/gio.h>

#include "common/text.h"
#include "net/desktop_sockets.h"

#define SERVICE "org.freedesktop.Notifications"
#define OBJECT "/org/freedesktop/Notifications"
#define TITLE_MAX 100
#define BODY_MAX 500
#define CALL_MS 5000

static char *bus_address(void)
{
    const char *given = g_getenv("DBUS_SESSION_BUS_ADDRESS");
    if (given && desktop_bus_is_socket(given))
        return g_strdup(given);
    const char *runtime = g_getenv("XDG_RUNTIME_DIR");
    g_autofree char *path = runtime ? g_build_filename(runtime, "bus", NULL) : NULL;
    g_autofree char *escaped = path ? g_dbus_address_escape_value(path) : NULL;
    return escaped ? g_strconcat("unix:path=", escaped, NULL) : NULL;
}

static GVariant *call(GDBusConnection *bus, const char *method, GVariant *parameters,
                      const char *type, GError **error)
{
    return g_dbus_connection_call_sync(bus, SERVICE, OBJECT, SERVICE, method, parameters,
                                       G_VARIANT_TYPE(type), G_DBUS_CALL_FLAGS_NONE, CALL_MS, NULL,
                                       error);
}

/* TRUE when the desktop takes a body for markup; then it is escaped. */
static gboolean takes_markup(GDBusConnection *bus)
{
    g_autoptr(GVariant) answer = call(bus, "GetCapabilities", NULL, "(as)", NULL);
    g_autofree const char **names = NULL;
    if (!answer)
        return TRUE;
    g_variant_get(answer, "(^a&s)", &names);
    return g_strv_contains(names, "body-markup");
}

static gboolean show(GDBusConnection *bus, const char *title, const char *body, GError **error)
{
    g_autofree char *escaped = takes_markup(bus) ? g_markup_escape_text(body, -1) : g_strdup(body);
    g_autoptr(GVariant) answer =
        call(bus, "Notify",
             g_variant_new("(susssasa{sv}i)", "Litterbox", 0u, "", title, escaped, NULL, NULL, -1),
             "(u)", error);
    return answer != NULL;
}

void notify_show(const errand *self, const char *title, const char *body)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *address = bus_address();
    g_autofree char *safe_title = text_safe_max(title, -1, TITLE_MAX);
    g_autofree char *safe_body = text_safe_max(body, -1, BODY_MAX);
    g_autofree char *headline = g_strdup_printf("%s: %s", self->box, safe_title);
    g_autoptr(GDBusConnection) bus = address
                                         ? g_dbus_connection_new_for_address_sync(
                                               address,
                                               G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                   G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                               NULL, NULL, &error)
                                         : NULL;
    if (bus && show(bus, headline, safe_body, &error))
        errand_answer(REQUEST_DONE, "%s", "");
    else
        errand_answer(REQUEST_UNABLE, "nothing on the host shows notifications");
}
