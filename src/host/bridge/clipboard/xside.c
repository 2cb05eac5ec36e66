#include "host/bridge/clipboard/xside.h"

#include <stdio.h>

#include "host/bridge/clipboard/xrequest.h"
#include "sys/clock.h"

static const char *const names[X_PLACE] = {
    [X_CLIPBOARD] = "CLIPBOARD",
    [X_TARGETS] = "TARGETS",
    [X_INCR] = "INCR",
    [X_UTF8] = "UTF8_STRING",
    [X_TYPE_TEXT] = CLIP_TYPE_TEXT,
    [X_TYPE_PICTURE] = CLIP_TYPE_PICTURE,
    [X_TYPE_SECRET] = CLIP_TYPE_SECRET,
};

/* The extension's event: somebody, maybe we, has copied something, or has gone. Until it is known
 * what that is, there is nothing: it may be a secret. */
static void owner_changed(struct xside *self, const unsigned char *message, int64_t now)
{
    uint32_t owner = xwire_word(message, 8);
    if (xwire_word(message, 12) != self->atoms[X_CLIPBOARD])
        return;
    self->is_owner = owner == self->window;
    if (!self->reads)
        return;
    xreader_forget(self);
    exchange_offered(self->exchange, self->end, 0, now);
    if (owner != X_NONE && !self->is_owner)
        xreader_list(self, now);
}

static void property_changed(struct xside *self, const unsigned char *message, int64_t now)
{
    if (xwire_word(message, 4) == self->window)
        xreader_changed(self, message, now);
    else
        xowner_changed(self, message, now);
}

void xside_message(struct xside *self, const unsigned char *message, size_t length)
{
    int64_t now = clock_ms();
    int kind = xwire_kind(message);
    if (message[0] <= XWIRE_REPLY)
        xreader_replied(self, message, length, now);
    else if (kind == XWIRE_SELECTION_NOTIFY)
        xreader_notified(self, message, now);
    else if (message[0] & 0x80)
        return; /* any client can say that; the rest is the server's alone */
    else if (kind == self->fixes_event)
        owner_changed(self, message, now);
    else if (kind == XWIRE_SELECTION_REQUEST)
        xowner_requested(self, message, now);
    else if (kind == XWIRE_PROPERTY_NOTIFY)
        property_changed(self, message, now);
}

static void on_ready(struct event_watch *watch, uint32_t events)
{
    struct xside *self = watch->owner;
    size_t length;
    const unsigned char *message;
    if (events & ~(uint32_t)EPOLLOUT && xlink_fill(&self->link) < 0) {
        event_loop_quit();
        return;
    }
    while ((message = xlink_next(&self->link, &length))) {
        xside_message(self, message, length);
        xlink_drop(&self->link, length);
    }
}

int xside_due(struct xside *self, int64_t now)
{
    int reader = xreader_due(self, now), owner = xowner_due(self, now);
    return reader < 0 || (owner >= 0 && owner < reader) ? owner : reader;
}

void xside_flush(struct xside *self)
{
    if (xlink_flush(&self->link) < 0)
        event_loop_quit();
    event_watch_set(&self->watch, xlink_is_full(&self->link) ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* Behind it the server has taken all of it. */
static int get_atoms(struct xside *self)
{
    for (int i = 0; i < X_ATOMS; i++) {
        char place[32];
        snprintf(place, sizeof place, "LITTERBOX_%d", i - X_PLACE);
        self->atoms[i] = x_atom(&self->link, i < X_PLACE ? names[i] : place);
        if (self->atoms[i] == X_NONE)
            return -1;
    }
    return 0;
}

static int prepare(struct xside *self)
{
    struct xlink *link = &self->link;
    int is_counted = self->end != EXCHANGE_BOX;
    uint8_t fixes = x_extension(link, "XFIXES", &self->fixes_event);
    uint32_t version = fixes ? x_fixes_version(link, fixes) : 0;
    /* Else a server of the box's would never end. */
    if (version < (is_counted ? 1 : X_FIXES_NOT_COUNTING))
        return -1;
    if (!is_counted)
        x_fixes_do_not_count(link, fixes);
    self->window = link->setup.id;
    x_create_window(link, self->window, X_PROPERTY_CHANGES);
    if (get_atoms(self) < 0)
        return -1;
    x_fixes_watch(link, fixes, self->window, self->atoms[X_CLIPBOARD]);
    return 0;
}

int xside_begin(struct xside *self)
{
    if (xlink_welcome(&self->link) < 0 || prepare(self) < 0)
        return -1;
    if (self->reads)
        xreader_list(self, clock_ms());
    self->watch = (struct event_watch){.fd = self->link.fd, .ready = on_ready, .owner = self};
    return event_watch_set(&self->watch, EPOLLIN);
}

static void offer(void *self, unsigned kinds)
{
    xowner_offer(self, kinds);
}

static void fetch(void *self, int kind)
{
    xreader_ask(self, kind, clock_ms());
}

static void give(void *self, int token, const unsigned char *data, size_t length)
{
    xowner_give(self, token, data, length);
}

struct exchange_port xside_port(struct xside *self)
{
    return (struct exchange_port){self, offer, fetch, give};
}
