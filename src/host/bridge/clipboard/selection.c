#include "host/bridge/clipboard/selection.h"

#include <stdio.h>

#include "host/bridge/clipboard/x11_requests.h"
#include "sys/clock.h"

static const char *const names[ATOM_PROPERTY] = {
    [ATOM_CLIPBOARD] = "CLIPBOARD",
    [ATOM_TARGETS] = "TARGETS",
    [ATOM_INCR] = "INCR",
    [ATOM_UTF8_STRING] = "UTF8_STRING",
    [ATOM_TEXT] = CLIP_TYPE_TEXT,
    [ATOM_PNG] = CLIP_TYPE_PICTURE,
    [ATOM_SECRET] = CLIP_TYPE_SECRET,
};

/* XFixes SelectionNotify: a client (perhaps we) has copied something, or has gone. Nothing is
 * offered until the targets are known: it may be a secret. */
static void owner_changed(struct x11_selection *self, const unsigned char *message, int64_t now)
{
    uint32_t owner = x11_message_word(message, 8);
    if (x11_message_word(message, 12) != self->atoms[ATOM_CLIPBOARD])
        return;
    self->is_owner = owner == self->window;
    if (!self->reads)
        return;
    selection_requestor_reset(self);
    exchange_offered(self->exchange, self->end, 0, now);
    if (owner != X11_NONE && !self->is_owner)
        selection_requestor_list(self, now);
}

static void property_changed(struct x11_selection *self, const unsigned char *message, int64_t now)
{
    if (x11_message_word(message, 4) == self->window)
        selection_requestor_on_property(self, message, now);
    else
        selection_owner_on_property(self, message, now);
}

void selection_message(struct x11_selection *self, const unsigned char *message, size_t length)
{
    int64_t now = clock_ms();
    int kind = x11_message_type(message);
    if (message[0] <= X11_REPLY)
        selection_requestor_on_reply(self, message, length, now);
    else if (kind == X11_SELECTION_NOTIFY)
        selection_requestor_on_notify(self, message, now);
    else if (message[0] & 0x80)
        return; /* sent by a client; only the server may send the rest */
    else if (kind == self->fixes_event)
        owner_changed(self, message, now);
    else if (kind == X11_SELECTION_REQUEST)
        selection_owner_on_request(self, message, now);
    else if (kind == X11_PROPERTY_NOTIFY)
        property_changed(self, message, now);
}

static void on_ready(struct event_watch *watch, uint32_t events)
{
    struct x11_selection *self = watch->owner;
    size_t length;
    const unsigned char *message;
    if (events & ~(uint32_t)EPOLLOUT && x11_connection_receive(&self->connection) < 0) {
        event_loop_quit();
        return;
    }
    while ((message = x11_connection_next(&self->connection, &length))) {
        selection_message(self, message, length);
        x11_connection_consume(&self->connection, length);
    }
}

int selection_due(struct x11_selection *self, int64_t now)
{
    int reader = selection_requestor_due(self, now), owner = selection_owner_due(self, now);
    return reader < 0 || (owner >= 0 && owner < reader) ? owner : reader;
}

void selection_flush(struct x11_selection *self)
{
    if (x11_connection_flush(&self->connection) < 0)
        event_loop_quit();
    event_watch_set(&self->watch,
                    x11_connection_has_output(&self->connection) ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* Waits for the server, which has handled all earlier requests then. */
static int get_atoms(struct x11_selection *self)
{
    for (int i = 0; i < N_ATOMS; i++) {
        char property[32];
        snprintf(property, sizeof property, "LITTERBOX_%d", i - ATOM_PROPERTY);
        self->atoms[i] =
            x11_intern_atom(&self->connection, i < ATOM_PROPERTY ? names[i] : property);
        if (self->atoms[i] == X11_NONE)
            return -1;
    }
    return 0;
}

static int set_up(struct x11_selection *self)
{
    struct x11_connection *connection = &self->connection;
    int counts = self->end != EXCHANGE_BOX;
    uint8_t fixes = x11_query_extension(connection, "XFIXES", &self->fixes_event);
    uint32_t version = fixes ? x11_fixes_query_version(connection, fixes) : 0;
    /* Without this request the box's server would never end: we would count as a client. */
    if (version < (counts ? 1 : X11_FIXES_DISCONNECT_MODE_VERSION))
        return -1;
    if (!counts)
        x11_fixes_set_disconnect_mode(connection, fixes);
    self->window = connection->setup.id;
    x11_create_window(connection, self->window, X11_PROPERTY_CHANGE_MASK);
    if (get_atoms(self) < 0)
        return -1;
    x11_fixes_select_selection_input(connection, fixes, self->window, self->atoms[ATOM_CLIPBOARD]);
    return 0;
}

int selection_begin(struct x11_selection *self)
{
    if (x11_connection_wait_setup(&self->connection) < 0 || set_up(self) < 0)
        return -1;
    if (self->reads)
        selection_requestor_list(self, clock_ms());
    self->watch = (struct event_watch){.fd = self->connection.fd, .ready = on_ready, .owner = self};
    return event_watch_set(&self->watch, EPOLLIN);
}

static void offer(void *self, unsigned kinds)
{
    selection_owner_offer(self, kinds);
}

static void fetch_x11(void *self, int kind)
{
    selection_requestor_convert(self, kind, clock_ms());
}

static void give_x11(void *self, int token, const unsigned char *data, size_t length)
{
    selection_owner_give(self, token, data, length);
}

struct exchange_port selection_port(struct x11_selection *self)
{
    return (struct exchange_port){self, offer, fetch_x11, give_x11};
}
