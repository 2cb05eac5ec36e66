#include "host/bridge/clipboard/xreader.h"

#include <string.h>

#include "host/bridge/clipboard/xrequest.h"
#include "host/bridge/clipboard/xside.h"

/* A client that says nothing for so long will not; nor may it take longer in all. */
#define QUIET_MS 5000
#define LATE_MS 30000
/* Between two lists of targets: a program may copy anew as fast as it can. */
#define LIST_GAP_MS 100
/* A list of targets is not longer. */
#define TARGETS_MAX ((size_t)64 * 1024)

static uint32_t target_of(const struct xside *side, int what)
{
    if (what == XREADER_TARGETS)
        return side->atoms[X_TARGETS];
    return what == CLIP_TEXT ? side->reader.text_target : side->atoms[X_TYPE_PICTURE];
}

void xreader_forget(struct xside *side)
{
    byte_queue_clear(&side->reader.data);
    side->reader.state = XREADER_IDLE;
}

void xreader_ask(struct xside *side, int what, int64_t now)
{
    struct xreader *self = &side->reader;
    xreader_forget(side);
    self->state = XREADER_ASKED;
    self->what = what;
    self->target = target_of(side, what);
    self->place = side->atoms[X_PLACE + self->n_asked++ % XREADER_PLACES];
    self->is_incremental = self->is_answered = 0;
    self->quiet = now + QUIET_MS;
    self->late = now + LATE_MS;
    if (what == XREADER_TARGETS)
        self->next_list = now + LIST_GAP_MS;
    x_delete_property(&side->link, side->window, self->place);
    x_convert(&side->link, side->window, side->atoms[X_CLIPBOARD], self->target, self->place);
}

void xreader_list(struct xside *side, int64_t now)
{
    xreader_forget(side);
    side->reader.state = XREADER_LATER;
    xreader_due(side, now);
}

/* The kinds among the atoms that were read. */
static unsigned find_kinds(struct xside *side)
{
    struct xreader *self = &side->reader;
    unsigned kinds = 0;
    self->text_target = X_NONE;
    for (size_t at = 0; at + 4 <= self->data.length; at += 4) {
        uint32_t atom = xwire_word(self->data.data, at);
        if (atom == side->atoms[X_TYPE_SECRET])
            return 0;
        if (atom == side->atoms[X_TYPE_PICTURE])
            kinds |= CLIP_HAS(CLIP_PICTURE);
        if (atom == side->atoms[X_UTF8] || (atom == side->atoms[X_TYPE_TEXT] && !self->text_target))
            self->text_target = atom;
    }
    return kinds | (self->text_target ? CLIP_HAS(CLIP_TEXT) : 0);
}

/* It is over before the exchange hears of it: that may ask for the next at once. */
static void finish(struct xside *side, int is_well, int64_t now)
{
    struct xreader *self = &side->reader;
    if (self->what == XREADER_TARGETS) {
        unsigned kinds = is_well ? find_kinds(side) : 0;
        xreader_forget(side);
        exchange_offered(side->exchange, side->end, kinds, now);
        return;
    }
    struct byte_queue data = self->data;
    self->data = (struct byte_queue){0};
    self->state = XREADER_IDLE;
    if (!is_well)
        byte_queue_clear(&data);
    exchange_fetched(side->exchange, side->end, self->what, data.data, data.length);
}

static void read_piece(struct xside *side, size_t at)
{
    struct xreader *self = &side->reader;
    self->state = XREADER_READS;
    self->at = at;
    x_get_property(&side->link, side->window, self->place, at);
    self->sequence = side->link.sequence;
}

void xreader_notified(struct xside *side, const unsigned char *message, int64_t now)
{
    struct xreader *self = &side->reader;
    uint32_t place = xwire_word(message, 20);
    if (xwire_word(message, 8) != side->window ||
        xwire_word(message, 12) != side->atoms[X_CLIPBOARD] ||
        xwire_word(message, 16) != self->target)
        return;
    /* One that is in another place is late: it was asked for before. */
    if (self->state == XREADER_ASKED && place == X_NONE)
        finish(side, 0, now);
    else if (self->state == XREADER_ASKED && place == self->place)
        read_piece(side, 0);
    else if (self->state == XREADER_READS && place == self->place)
        self->is_answered = 1;
}

void xreader_changed(struct xside *side, const unsigned char *message, int64_t now)
{
    if (side->reader.state == XREADER_WAITS && xwire_word(message, 8) == side->reader.place &&
        message[16] == X_PROPERTY_NEW)
        read_piece(side, 0);
}

/* -1: it is not what was asked for, or too much. */
static int keep(struct xreader *self, const struct xwire_property *property)
{
    int is_list = self->what == XREADER_TARGETS;
    size_t most = is_list ? TARGETS_MAX : CLIP_MAX;
    if (property->type == X_NONE || property->length > most - self->data.length ||
        (property->length > 0 && property->width != (is_list ? 4 : 1)))
        return -1;
    self->data.limit = most;
    return byte_queue_append(&self->data, property->data, property->length);
}

/* What was there was taken away when this was asked: what came was late, and the answer comes. */
static void await_answer(struct xside *side)
{
    struct xreader *self = &side->reader;
    self->state = XREADER_ASKED;
    if (self->is_answered)
        read_piece(side, 0);
    self->is_answered = 0;
}

static void take_piece(struct xside *side, const struct xwire_property *piece, int64_t now)
{
    struct xreader *self = &side->reader;
    int is_empty = self->at + piece->length == 0;
    if (!self->is_incremental && self->at == 0 && piece->type == X_NONE) {
        await_answer(side);
    } else if (!self->is_incremental && self->at == 0 && piece->type == side->atoms[X_INCR]) {
        /* To be read to its end, as every property: then the client sends the first piece. */
        self->is_incremental = 1;
        self->state = XREADER_WAITS;
        if (piece->after > 0)
            finish(side, 0, now);
    } else if (keep(self, piece) < 0 || (piece->after > 0 && piece->length != XWIRE_PIECE)) {
        finish(side, 0, now);
    } else if (piece->after > 0) {
        read_piece(side, self->at + piece->length);
    } else if (self->is_incremental && !is_empty) {
        self->state = XREADER_WAITS;
    } else {
        finish(side, 1, now);
    }
}

void xreader_replied(struct xside *side, const unsigned char *message, size_t length, int64_t now)
{
    struct xreader *self = &side->reader;
    struct xwire_property piece;
    if (self->state != XREADER_READS || xwire_sequence(message) != self->sequence)
        return;
    self->quiet = now + QUIET_MS;
    if (xwire_kind(message) != XWIRE_REPLY || xwire_property(message, length, &piece) < 0)
        finish(side, 0, now);
    else
        take_piece(side, &piece, now);
}

int xreader_due(struct xside *side, int64_t now)
{
    struct xreader *self = &side->reader;
    if (self->state == XREADER_LATER && now >= self->next_list)
        xreader_ask(side, XREADER_TARGETS, now);
    else if (self->state > XREADER_LATER && (now >= self->quiet || now >= self->late))
        finish(side, 0, now);
    if (self->state == XREADER_IDLE)
        return -1;
    int64_t next = self->state == XREADER_LATER ? self->next_list
                   : self->quiet < self->late   ? self->quiet
                                                : self->late;
    return next > now ? (int)(next - now) : 0;
}
