/*
 * Screen lock and sleep, from logind (org.freedesktop.login1(5)).
 *
 * The screen of a login session is locked while its LockedHint is true. The signal Lock only
 * requests that: grants end at once, and questions wait for the hint. Some screen lockers never set
 * the hint, so a request counts for REQUEST_SECONDS only, or questions would wait for ever. Unlock
 * ends a request, and never overrides the hint.
 */
#include "ssh-agent/agent/agent.h"

#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#define LOGIND "org.freedesktop.login1"
#define MANAGER_PATH "/org/freedesktop/login1"
#define MANAGER LOGIND ".Manager"
#define SESSION LOGIND ".Session"
#define PROPERTIES "org.freedesktop.DBus.Properties"
#define BUS_SOCKET "/run/dbus/system_bus_socket"

/* Longer than screen lockers take to set the hint. */
#define REQUEST_SECONDS 10
/* Pause before the system bus is tried again. */
#define RECONNECT_SECONDS 10
#define SUBSCRIPTIONS 4

typedef struct {
    char *path;
    gboolean hint;
    guint request; /* source: its end, while a request to lock counts */
} login_session;

/* The state is kept when the bus connection ends: a locked screen stays locked. */
static struct {
    agent *agent;
    GDBusConnection *bus;
    char *logind; /* its unique bus name: only its signals count; NULL: not running */
    guint subscriptions[SUBSCRIPTIONS];
    GHashTable *sessions; /* path -> login_session, of the user */
} watch;

static void login_session_free(gpointer data)
{
    login_session *self = data;
    g_clear_handle_id(&self->request, g_source_remove);
    g_free(self->path);
    g_free(self);
}

/* Holds questions while any of the screens is locked. */
static void update_held(void)
{
    GHashTableIter iter;
    gpointer each;
    gboolean held = FALSE;
    g_hash_table_iter_init(&iter, watch.sessions);
    while (g_hash_table_iter_next(&iter, NULL, &each))
        held = held || ((login_session *)each)->hint || ((login_session *)each)->request;
    if (held == watch.agent->held)
        return;
    watch.agent->held = held;
    pending_questions_hold(watch.agent->questions, held, agent_now());
    if (held)
        agent_forget_grants(watch.agent, "screen locked");
}

static void set_hint(login_session *self, gboolean locked)
{
    self->hint = locked;
    if (!locked)
        g_clear_handle_id(&self->request, g_source_remove);
    update_held();
}

static gboolean on_request_end(gpointer data)
{
    login_session *self = data;
    self->request = 0;
    update_held();
    return G_SOURCE_REMOVE;
}

static void set_request(login_session *self, gboolean lock)
{
    g_clear_handle_id(&self->request, g_source_remove);
    if (lock)
        self->request = g_timeout_add_seconds(REQUEST_SECONDS, on_request_end, self);
    update_held();
}

static GVariant *finish(GObject *source, GAsyncResult *result)
{
    return g_dbus_connection_call_finish((GDBusConnection *)source, result, NULL);
}

static void call_logind(const char *path, const char *interface, const char *method,
                        GVariant *arguments, const char *type, GAsyncReadyCallback done,
                        gpointer data)
{
    g_dbus_connection_call(watch.bus, watch.logind, path, interface, method, arguments,
                           G_VARIANT_TYPE(type), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, done,
                           data);
}

static void on_hint(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree char *path = data;
    g_autoptr(GVariant) reply = finish(source, result), value = NULL;
    login_session *self = g_hash_table_lookup(watch.sessions, path);
    if (!reply || !self)
        return;
    g_variant_get(reply, "(v)", &value);
    if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN))
        set_hint(self, g_variant_get_boolean(value));
}

/* Moves what is known of the session PATH to LIST, or adds a new one, and asks for its hint. */
static void refresh_session(GHashTable *list, const char *path)
{
    login_session *self = NULL;
    if (!g_hash_table_steal_extended(watch.sessions, path, NULL, (gpointer *)&self)) {
        self = g_new0(login_session, 1);
        self->path = g_strdup(path);
    }
    g_hash_table_replace(list, self->path, self);
    call_logind(path, PROPERTIES, "Get", g_variant_new("(ss)", SESSION, "LockedHint"), "(v)",
                on_hint, g_strdup(path));
}

/* Sessions that have ended hold no questions any more. */
static void on_list(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GVariant) reply = finish(source, result);
    g_autoptr(GVariantIter) rows = NULL;
    const char *id, *user, *seat, *path;
    guint32 uid;
    if (!reply || !watch.logind)
        return;
    GHashTable *list = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, login_session_free);
    g_variant_get(reply, "(a(susso))", &rows);
    while (g_variant_iter_next(rows, "(&su&s&s&o)", &id, &uid, &user, &seat, &path))
        if (uid == getuid() && !g_hash_table_contains(list, path))
            refresh_session(list, path);
    g_hash_table_unref(watch.sessions);
    watch.sessions = list;
    update_held();
}

static void list_sessions(void)
{
    call_logind(MANAGER_PATH, MANAGER, "ListSessions", NULL, "(a(susso))", on_list, NULL);
}

static void on_session(GDBusConnection *bus, const char *sender, const char *path,
                       const char *interface, const char *signal, GVariant *values, gpointer data)
{
    login_session *self = g_hash_table_lookup(watch.sessions, path);
    if (self)
        set_request(self, strcmp(signal, "Lock") == 0);
}

static void on_properties(GDBusConnection *bus, const char *sender, const char *path,
                          const char *interface, const char *signal, GVariant *values,
                          gpointer data)
{
    g_autoptr(GVariant) changed = NULL;
    login_session *self = g_hash_table_lookup(watch.sessions, path);
    gboolean locked;
    if (!self || !g_variant_is_of_type(values, G_VARIANT_TYPE("(sa{sv}as)")))
        return;
    changed = g_variant_get_child_value(values, 1);
    if (g_variant_lookup(changed, "LockedHint", "b", &locked))
        set_hint(self, locked);
}

static void on_manager(GDBusConnection *bus, const char *sender, const char *path,
                       const char *interface, const char *signal, GVariant *values, gpointer data)
{
    gboolean sleeping = FALSE;
    if (strcmp(signal, "SessionNew") == 0 || strcmp(signal, "SessionRemoved") == 0)
        list_sessions();
    if (strcmp(signal, "PrepareForSleep") != 0)
        return;
    if (g_variant_is_of_type(values, G_VARIANT_TYPE("(b)")))
        g_variant_get(values, "(b)", &sleeping);
    if (sleeping)
        agent_forget_grants(watch.agent, "suspend");
}

static guint subscribe(const char *interface, const char *member, const char *argument,
                       GDBusSignalCallback done)
{
    return g_dbus_connection_signal_subscribe(watch.bus, watch.logind, interface, member, NULL,
                                              argument, G_DBUS_SIGNAL_FLAGS_NONE, done, NULL, NULL);
}

static void on_logind_gone(GDBusConnection *bus, const char *name, gpointer data)
{
    for (int i = 0; i < SUBSCRIPTIONS; i++)
        if (watch.subscriptions[i])
            g_dbus_connection_signal_unsubscribe(watch.bus, watch.subscriptions[i]);
    memset(watch.subscriptions, 0, sizeof watch.subscriptions);
    g_clear_pointer(&watch.logind, g_free);
}

/* Subscribes by the unique name: GLib learns the owner of a well-known name late, and older
 * versions accept signals from anybody for one. */
static void on_logind(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
    on_logind_gone(bus, name, data);
    watch.logind = g_strdup(owner);
    watch.subscriptions[0] = subscribe(SESSION, "Lock", NULL, on_session);
    watch.subscriptions[1] = subscribe(SESSION, "Unlock", NULL, on_session);
    watch.subscriptions[2] = subscribe(PROPERTIES, "PropertiesChanged", SESSION, on_properties);
    watch.subscriptions[3] = subscribe(MANAGER, NULL, NULL, on_manager);
    list_sessions();
}

static gboolean connect_bus(gpointer data);

static void on_closed(GDBusConnection *bus, gboolean vanished, GError *error, gpointer data)
{
    on_logind_gone(bus, LOGIND, NULL);
    g_clear_object(&watch.bus);
    g_timeout_add_seconds(RECONNECT_SECONDS, connect_bus, NULL);
}

static void on_bus(GObject *source, GAsyncResult *result, gpointer data)
{
    watch.bus = g_bus_get_finish(result, NULL);
    if (!watch.bus) {
        g_timeout_add_seconds(RECONNECT_SECONDS, connect_bus, NULL);
        return;
    }
    g_dbus_connection_set_exit_on_close(watch.bus, FALSE);
    g_signal_connect(watch.bus, "closed", G_CALLBACK(on_closed), NULL);
    g_bus_watch_name_on_connection(watch.bus, LOGIND, G_BUS_NAME_WATCHER_FLAGS_NONE, on_logind,
                                   on_logind_gone, NULL, NULL);
}

static gboolean connect_bus(gpointer data)
{
    g_bus_get(G_BUS_TYPE_SYSTEM, NULL, on_bus, NULL);
    return G_SOURCE_REMOVE;
}

void logind_watch(agent *self)
{
    watch.agent = self;
    watch.sessions = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, login_session_free);
    /* Without a bus, GIO would search for it, wait, and start a thread for nothing. */
    if (g_getenv("DBUS_SYSTEM_BUS_ADDRESS") || g_file_test(BUS_SOCKET, G_FILE_TEST_EXISTS))
        connect_bus(NULL);
}
