#include "guard.h"

struct guard {
    GtkWidget *window, *retreat;
    GPtrArray *fenced;
    guint timer;
    gboolean open;
    /* What is held down: id -> whether its press came while the fence was closed. */
    GHashTable *held;
};

static void set_open(guard *self, gboolean open)
{
    self->open = open;
    for (guint i = 0; i < self->fenced->len; i++)
        gtk_widget_set_sensitive(g_ptr_array_index(self->fenced, i), open);
}

static gboolean on_time(gpointer data)
{
    guard *self = data;
    self->timer = 0;
    set_open(self, TRUE);
    return G_SOURCE_REMOVE;
}

static void close_fence(guard *self)
{
    GHashTableIter each;
    gpointer id;

    if (self->timer)
        g_source_remove(self->timer);
    self->timer = 0;
    set_open(self, FALSE);
    g_hash_table_iter_init(&each, self->held);
    while (g_hash_table_iter_next(&each, &id, NULL))
        g_hash_table_iter_replace(&each, GINT_TO_POINTER(TRUE));
    if (self->retreat && !gtk_window_get_focus(GTK_WINDOW(self->window)))
        gtk_widget_grab_focus(self->retreat);
}

static void restart(guard *self)
{
    close_fence(self);
    self->timer = g_timeout_add(GUARD_MS, on_time, self);
}

static gboolean on_map(GtkWidget *window, GdkEvent *event, gpointer data)
{
    restart(data);
    return GDK_EVENT_PROPAGATE;
}

static gboolean on_focus(GtkWidget *window, GdkEvent *event, gpointer data)
{
    guard *self = data;
    if (event->focus_change.in) {
        restart(self);
        return GDK_EVENT_PROPAGATE;
    }
    /* Releases go elsewhere now; a key that is still down at the return repeats into the closed
     * fence and so is known again. */
    close_fence(self);
    g_hash_table_remove_all(self->held);
    return GDK_EVENT_PROPAGATE;
}

static gboolean is_input(const GdkEvent *event)
{
    switch ((int)event->type) {
    case GDK_MOTION_NOTIFY:
    case GDK_BUTTON_PRESS:
    case GDK_2BUTTON_PRESS:
    case GDK_3BUTTON_PRESS:
    case GDK_BUTTON_RELEASE:
    case GDK_KEY_PRESS:
    case GDK_KEY_RELEASE:
    case GDK_FOCUS_CHANGE:
    case GDK_SCROLL:
    case GDK_TOUCH_BEGIN:
    case GDK_TOUCH_UPDATE:
    case GDK_TOUCH_END:
    case GDK_TOUCH_CANCEL:
        return TRUE;
    default:
        return FALSE;
    }
}

/* What EVENT presses or lets go, as a key of "held"; NULL: nothing. */
static gpointer held_id(const GdkEvent *event)
{
    switch ((int)event->type) {
    case GDK_KEY_PRESS:
    case GDK_KEY_RELEASE:
        return GUINT_TO_POINTER(1 + event->key.hardware_keycode);
    case GDK_BUTTON_PRESS:
    case GDK_BUTTON_RELEASE:
        return GUINT_TO_POINTER(0x20000 + event->button.button);
    case GDK_TOUCH_BEGIN:
    case GDK_TOUCH_END:
    case GDK_TOUCH_CANCEL:
        return event->touch.sequence;
    default:
        return NULL;
    }
}

static gboolean is_press(const GdkEvent *event)
{
    return event->type == GDK_KEY_PRESS || event->type == GDK_BUTTON_PRESS ||
           event->type == GDK_TOUCH_BEGIN;
}

static gboolean is_stale(const guard *self, gpointer id)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(self->held, id));
}

/* Notes what EVENT presses. FALSE for the repetition of a stale key: GTK would begin to press a
 * button with it, and finish that when the key is up and forgotten. */
static gboolean note_press(guard *self, const GdkEvent *event, gpointer id)
{
    if (!g_hash_table_contains(self->held, id)) {
        g_hash_table_insert(self->held, id, GINT_TO_POINTER(!self->open));
        return TRUE;
    }
    return event->type != GDK_KEY_PRESS || !is_stale(self, id);
}

/* The handler of all events of this process. A release is passed on while its press still counts
 * as held, so that guard_accepts() sees what it belongs to. */
static void on_event(GdkEvent *event, gpointer data)
{
    guard *self = data;
    gpointer id = held_id(event);

    if (event->any.send_event && is_input(event))
        return;
    if (id && is_press(event) && !note_press(self, event, id))
        return;
    gtk_main_do_event(event);
    if (id && !is_press(event))
        g_hash_table_remove(self->held, id);
}

gboolean guard_accepts(const guard *self)
{
    GHashTableIter each;
    gpointer id;

    g_hash_table_iter_init(&each, self->held);
    while (g_hash_table_iter_next(&each, &id, NULL)) {
        if (is_stale(self, id))
            return FALSE;
    }
    return self->open;
}

guard *guard_new(GtkWidget *window)
{
    guard *self = g_new0(guard, 1);

    self->window = window;
    self->fenced = g_ptr_array_new();
    self->held = g_hash_table_new(NULL, NULL);
    g_signal_connect(window, "map-event", G_CALLBACK(on_map), self);
    g_signal_connect(window, "focus-in-event", G_CALLBACK(on_focus), self);
    g_signal_connect(window, "focus-out-event", G_CALLBACK(on_focus), self);
    gdk_event_handler_set(on_event, self, NULL);
    return self;
}

void guard_set_retreat(guard *self, GtkWidget *retreat)
{
    self->retreat = retreat;
}

void guard_fence(guard *self, GtkWidget *widget)
{
    g_ptr_array_add(self->fenced, widget);
    gtk_widget_set_sensitive(widget, self->open);
}
