#include "ssh-agent/agent/session.h"

#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#define LOGIND "org.freedesktop.login1"
#define MANAGER_PATH "/org/freedesktop/login1"
#define MANAGER LOGIND ".Manager"
#define SESSION LOGIND ".Session"

static struct {
    GHashTable *own;    /* paths of the user's sessions */
    GHashTable *locked; /* those of them whose screen is locked */
} sessions;

static void set_locked(agent *self, const char *path, gboolean locked)
{
    if (!g_hash_table_contains(sessions.own, path))
        return;
    if (locked)
        g_hash_table_add(sessions.locked, g_strdup(path));
    else
        g_hash_table_remove(sessions.locked, path);
    gboolean held = g_hash_table_size(sessions.locked) > 0;
    if (held == self->held)
        return;
    self->held = held;
    questions_hold(self->questions, held, agent_now());
    if (held)
        agent_forget_grants(self, "screen locked");
}

static void on_list(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GVariant) reply =
        g_dbus_connection_call_finish((GDBusConnection *)source, result, NULL);
    g_autoptr(GVariantIter) rows = NULL;
    const char *id, *user, *seat, *path;
    guint32 uid;
    if (!reply)
        return;
    g_hash_table_remove_all(sessions.own);
    g_variant_get(reply, "(a(susso))", &rows);
    while (g_variant_iter_next(rows, "(&su&s&s&o)", &id, &uid, &user, &seat, &path))
        if (uid == getuid())
            g_hash_table_add(sessions.own, g_strdup(path));
}

static void list_sessions(GDBusConnection *bus)
{
    g_dbus_connection_call(bus, LOGIND, MANAGER_PATH, MANAGER, "ListSessions", NULL,
                           G_VARIANT_TYPE("(a(susso))"), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL,
                           on_list, NULL);
}

static void on_session(GDBusConnection *bus, const char *sender, const char *path,
                       const char *interface, const char *signal, GVariant *values, gpointer data)
{
    set_locked(data, path, strcmp(signal, "Lock") == 0);
}

static void on_properties(GDBusConnection *bus, const char *sender, const char *path,
                          const char *interface, const char *signal, GVariant *values,
                          gpointer data)
{
    g_autoptr(GVariant) changed = NULL;
    gboolean locked;
    if (!g_variant_is_of_type(values, G_VARIANT_TYPE("(sa{sv}as)")))
        return;
    changed = g_variant_get_child_value(values, 1);
    if (g_variant_lookup(changed, "LockedHint", "b", &locked))
        set_locked(data, path, locked);
}

static void on_manager(GDBusConnection *bus, const char *sender, const char *path,
                       const char *interface, const char *signal, GVariant *values, gpointer data)
{
    gboolean sleeping = FALSE;
    if (strcmp(signal, "PrepareForSleep") != 0) {
        list_sessions(bus);
        return;
    }
    if (g_variant_is_of_type(values, G_VARIANT_TYPE("(b)")))
        g_variant_get(values, "(b)", &sleeping);
    if (sleeping)
        agent_forget_grants(data, "suspend");
}

static void subscribe(GDBusConnection *bus, const char *interface, const char *member,
                      const char *argument, GDBusSignalCallback done, agent *self)
{
    g_dbus_connection_signal_subscribe(bus, LOGIND, interface, member, NULL, argument,
                                       G_DBUS_SIGNAL_FLAGS_NONE, done, self, NULL);
}

static void on_bus(GObject *source, GAsyncResult *result, gpointer data)
{
    /* Kept for as long as we live. */
    GDBusConnection *bus = g_bus_get_finish(result, NULL);
    if (!bus)
        return;
    g_dbus_connection_set_exit_on_close(bus, FALSE);
    subscribe(bus, SESSION, "Lock", NULL, on_session, data);
    subscribe(bus, SESSION, "Unlock", NULL, on_session, data);
    subscribe(bus, "org.freedesktop.DBus.Properties", "PropertiesChanged", SESSION, on_properties,
              data);
    subscribe(bus, MANAGER, NULL, NULL, on_manager, data);
    list_sessions(bus);
}

void session_watch(agent *self)
{
    sessions.own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    sessions.locked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    /* Without one, GIO would look for it, wait, and start a thread for nothing. */
    if (g_file_test("/run/dbus/system_bus_socket", G_FILE_TEST_EXISTS))
        g_bus_get(G_BUS_TYPE_SYSTEM, NULL, on_bus, self);
}
