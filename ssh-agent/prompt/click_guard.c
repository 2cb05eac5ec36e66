#include <gdk/gdkkeysyms.h>

#include "ssh-agent/prompt/prompt.h"

struct click_guard {
    GtkWidget *window, *fallback;
    GPtrArray *widgets; /* protected ones */
    guint timer;
    gboolean ready;   /* presses count now */
    GHashTable *held; /* key or button that is down -> TRUE: its press does not count */
};

static void set_ready(click_guard *self, gboolean ready)
{
    self->ready = ready;
    for (guint i = 0; i < self->widgets->len; i++)
        gtk_widget_set_sensitive(g_ptr_array_index(self->widgets, i), ready);
}

static gboolean on_time(gpointer data)
{
    click_guard *self = data;
    self->timer = 0;
    set_ready(self, TRUE);
    return G_SOURCE_REMOVE;
}

static void disable(click_guard *self)
{
    GHashTableIter each;
    gpointer id;

    if (self->timer)
        g_source_remove(self->timer);
    self->timer = 0;
    set_ready(self, FALSE);
    g_hash_table_iter_init(&each, self->held);
    while (g_hash_table_iter_next(&each, &id, NULL))
        g_hash_table_iter_replace(&each, GINT_TO_POINTER(TRUE));
    if (self->fallback && !gtk_window_get_focus(GTK_WINDOW(self->window)))
        gtk_widget_grab_focus(self->fallback);
}

static void restart(click_guard *self)
{
    disable(self);
    /* Low priority: input that arrived earlier is handled first, however late this process runs. */
    self->timer = g_timeout_add_full(G_PRIORITY_LOW, CLICK_GUARD_MS, on_time, self, NULL);
}

static gboolean on_map(GtkWidget *window, GdkEvent *event, gpointer data)
{
    restart(data);
    return GDK_EVENT_PROPAGATE;
}

static gboolean on_focus(GtkWidget *window, GdkEvent *event, gpointer data)
{
    click_guard *self = data;
    if (event->focus_change.in) {
        restart(self);
        return GDK_EVENT_PROPAGATE;
    }
    /* Another window gets the releases now. A key that is still down when the focus returns repeats
     * while presses do not count, and so is held again. */
    disable(self);
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

/* The key or button that EVENT presses or releases, as a key of "held"; NULL: none. */
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

static gboolean is_stale(const click_guard *self, gpointer id)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(self->held, id));
}

/* Records that EVENT presses ID. FALSE for a repeat of a stale key, with which GTK would start to
 * press a button, and complete that with the release, when the key is no longer held. */
static gboolean record_press(click_guard *self, const GdkEvent *event, gpointer id)
{
    if (!g_hash_table_contains(self->held, id)) {
        g_hash_table_insert(self->held, id, GINT_TO_POINTER(!self->ready));
        return TRUE;
    }
    return event->type != GDK_KEY_PRESS || !is_stale(self, id);
}

/* TRUE for the keys that answer here. Arrows are not among them: they move the focus to the buttons
 * that allow, as Tab does, and whoever works at a shell presses Up and Space without looking. */
static gboolean answers(const GdkEventKey *key)
{
    switch (key->keyval) {
    case GDK_KEY_Tab:
    case GDK_KEY_ISO_Left_Tab:
    case GDK_KEY_space:
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_ISO_Enter:
    case GDK_KEY_Escape:
        return TRUE;
    default:
        return key->is_modifier ||
               (key->state & gtk_accelerator_get_default_mod_mask() & ~(guint)GDK_SHIFT_MASK);
    }
}

/* TRUE for a press that is meant for the window that had the focus before: a key that does not
 * answer here, and one that comes too early to be an answer, after which more may follow. */
static gboolean is_for_another(const click_guard *self, const GdkEvent *event)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self->window));
    gboolean is_key = event->type == GDK_KEY_PRESS;

    if (!is_press(event) || (is_key && focus && GTK_IS_EDITABLE(focus)))
        return FALSE;
    /* Without either the window has no focus, and nothing counts until it has. */
    return self->timer || (self->ready && is_key && !answers(&event->key));
}

/* Handles all events of this process. A release is passed on before its press is forgotten, so that
 * click_guard_accepts() sees what it belongs to. */
static void on_event(GdkEvent *event, gpointer data)
{
    click_guard *self = data;
    gpointer id = held_id(event);

    if (event->any.send_event && is_input(event))
        return;
    if (id && is_press(event) && !record_press(self, event, id))
        return;
    if (is_for_another(self, event))
        restart(self);
    gtk_main_do_event(event);
    if (id && !is_press(event))
        g_hash_table_remove(self->held, id);
}

gboolean click_guard_accepts(const click_guard *self)
{
    GHashTableIter each;
    gpointer id;

    g_hash_table_iter_init(&each, self->held);
    while (g_hash_table_iter_next(&each, &id, NULL)) {
        if (is_stale(self, id))
            return FALSE;
    }
    return self->ready;
}

click_guard *click_guard_new(GtkWidget *window)
{
    click_guard *self = g_new0(click_guard, 1);

    self->window = window;
    self->widgets = g_ptr_array_new();
    self->held = g_hash_table_new(NULL, NULL);
    g_signal_connect(window, "map-event", G_CALLBACK(on_map), self);
    g_signal_connect(window, "focus-in-event", G_CALLBACK(on_focus), self);
    g_signal_connect(window, "focus-out-event", G_CALLBACK(on_focus), self);
    gdk_event_handler_set(on_event, self, NULL);
    return self;
}

void click_guard_set_fallback(click_guard *self, GtkWidget *fallback)
{
    self->fallback = fallback;
}

void click_guard_protect(click_guard *self, GtkWidget *widget)
{
    g_ptr_array_add(self->widgets, widget);
    gtk_widget_set_sensitive(widget, self->ready);
}
