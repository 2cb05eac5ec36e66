/*
 * A session's screen is locked when its LockedHint says so. A Lock signal is only the request to
 * lock it: grants go at once, and questions wait for the hint. Some lockers never set it, and
 * questions that waited for its end would wait for ever: so a request counts for a moment only.
 * Unlock ends a request, and never overrules the hint.
 */
#include "ssh-agent/agent/session.h"

#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#define LOGIND "org.freedesktop.login1"
#define MANAGER_PATH "/org/freedesktop/login1"
#define MANAGER LOGIND ".Manager"
#define SESSION LOGIND ".Session"
#define PROPERTIES "org.freedesktop.DBus.Properties"
#define BUS_SOCKET "/run/dbus/system_bus_socket"

#define REQUEST_SECONDS 10
#define RECONNECT_SECONDS 10
#define SUBSCRIPTIONS 4

typedef struct {
    char *path;
    gboolean hint;
    guint request; /* its end, while a request to lock counts */
} session;

/* One a process. What it knows outlives a bus that goes away: locked stays locked. */
static struct {
    agent *agent;
    GDBusConnection *bus;
    char *logind;               /* its unique name: nobody else's signals count; NULL: not there */
    guint heard[SUBSCRIPTIONS]; /* subscriptions to its signals */
    GHashTable *own;            /* path -> session of the user */
} watch;

static void session_free(gpointer data)
{
    session *self = data;
    g_clear_handle_id(&self->request, g_source_remove);
    g_free(self->path);
    g_free(self);
}

static void look_again(void)
{
    GHashTableIter iter;
    gpointer each;
    gboolean held = FALSE;
    g_hash_table_iter_init(&iter, watch.own);
    while (g_hash_table_iter_next(&iter, NULL, &each))
        held = held || ((session *)each)->hint || ((session *)each)->request;
    if (held == watch.agent->held)
        return;
    watch.agent->held = held;
    questions_hold(watch.agent->questions, held, agent_now());
    if (held)
        agent_forget_grants(watch.agent, "screen locked");
}

static void set_hint(session *self, gboolean locked)
{
    self->hint = locked;
    if (!locked)
        g_clear_handle_id(&self->request, g_source_remove);
    look_again();
}

static gboolean on_request_end(gpointer data)
{
    session *self = data;
    self->request = 0;
    look_again();
    return G_SOURCE_REMOVE;
}

static void set_request(session *self, gboolean lock)
{
    g_clear_handle_id(&self->request, g_source_remove);
    if (lock)
        self->request = g_timeout_add_seconds(REQUEST_SECONDS, on_request_end, self);
    look_again();
}

static GVariant *finish(GObject *source, GAsyncResult *result)
{
    return g_dbus_connection_call_finish((GDBusConnection *)source, result, NULL);
}

static void call(const char *path, const char *interface, const char *method, GVariant *arguments,
                 const char *type, GAsyncReadyCallback done, gpointer data)
{
    g_dbus_connection_call(watch.bus, watch.logind, path, interface, method, arguments,
                           G_VARIANT_TYPE(type), G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, done,
                           data);
}

static void on_hint(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree char *path = data;
    g_autoptr(GVariant) reply = finish(source, result), value = NULL;
    session *self = g_hash_table_lookup(watch.own, path);
    if (!reply || !self)
        return;
    g_variant_get(reply, "(v)", &value);
    if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN))
        set_hint(self, g_variant_get_boolean(value));
}

/* What was known of PATH, or a new one, in KEPT. */
static void keep(GHashTable *kept, const char *path)
{
    session *self = NULL;
    if (!g_hash_table_steal_extended(watch.own, path, NULL, (gpointer *)&self)) {
        self = g_new0(session, 1);
        self->path = g_strdup(path);
    }
    g_hash_table_replace(kept, self->path, self);
    call(path, PROPERTIES, "Get", g_variant_new("(ss)", SESSION, "LockedHint"), "(v)", on_hint,
         g_strdup(path));
}

/* Sessions that are no more hold nothing back. */
static void on_list(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GVariant) reply = finish(source, result);
    g_autoptr(GVariantIter) rows = NULL;
    const char *id, *user, *seat, *path;
    guint32 uid;
    if (!reply || !watch.logind)
        return;
    GHashTable *kept = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, session_free);
    g_variant_get(reply, "(a(susso))", &rows);
    while (g_variant_iter_next(rows, "(&su&s&s&o)", &id, &uid, &user, &seat, &path))
        if (uid == getuid() && !g_hash_table_contains(kept, path))
            keep(kept, path);
    g_hash_table_unref(watch.own);
    watch.own = kept;
    look_again();
}

static void list_sessions(void)
{
    call(MANAGER_PATH, MANAGER, "ListSessions", NULL, "(a(susso))", on_list, NULL);
}

static void on_session(GDBusConnection *bus, const char *sender, const char *path,
                       const char *interface, const char *signal, GVariant *values, gpointer data)
{
    session *self = g_hash_table_lookup(watch.own, path);
    if (self)
        set_request(self, strcmp(signal, "Lock") == 0);
}

static void on_properties(GDBusConnection *bus, const char *sender, const char *path,
                          const char *interface, const char *signal, GVariant *values,
                          gpointer data)
{
    g_autoptr(GVariant) changed = NULL;
    session *self = g_hash_table_lookup(watch.own, path);
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
        if (watch.heard[i])
            g_dbus_connection_signal_unsubscribe(watch.bus, watch.heard[i]);
    memset(watch.heard, 0, sizeof watch.heard);
    g_clear_pointer(&watch.logind, g_free);
}

/* By its unique name: what a well-known name stands for is known a moment late, and older GLib lets
 * anybody's signals through for one. */
static void on_logind(GDBusConnection *bus, const char *name, const char *owner, gpointer data)
{
    on_logind_gone(bus, name, data);
    watch.logind = g_strdup(owner);
    watch.heard[0] = subscribe(SESSION, "Lock", NULL, on_session);
    watch.heard[1] = subscribe(SESSION, "Unlock", NULL, on_session);
    watch.heard[2] = subscribe(PROPERTIES, "PropertiesChanged", SESSION, on_properties);
    watch.heard[3] = subscribe(MANAGER, NULL, NULL, on_manager);
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

void session_watch(agent *self)
{
    watch.agent = self;
    watch.own = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, session_free);
    /* Without one, GIO would look for it, wait, and start a thread for nothing. */
    if (g_getenv("DBUS_SYSTEM_BUS_ADDRESS") || g_file_test(BUS_SOCKET, G_FILE_TEST_EXISTS))
        connect_bus(NULL);
}
