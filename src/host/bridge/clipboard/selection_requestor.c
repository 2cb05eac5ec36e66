#include "host/bridge/clipboard/selection.h"

#include <string.h>

#include "host/bridge/clipboard/x11_requests.h"

/* The longest time without progress, and in all. */
#define REQUESTOR_IDLE_MS 5000
#define REQUESTOR_TOTAL_MS 30000
/* The pause between two lists of targets: a program may copy as fast as it can. */
#define LIST_GAP_MS 100
/* A client that is busy for seconds, as xclip is while it sends long contents, is asked again. */
#define LIST_RETRIES 2
/* Bytes of a list of targets. */
#define TARGETS_MAX ((size_t)64 * 1024)

static uint32_t target_of(const struct x11_selection *selection, int what)
{
    if (what == REQUESTOR_TARGETS)
        return selection->atoms[ATOM_TARGETS];
    return what == CLIP_TEXT ? selection->requestor.text_target : selection->atoms[ATOM_PNG];
}

void selection_requestor_reset(struct x11_selection *selection)
{
    byte_queue_clear(&selection->requestor.data);
    selection->requestor.state = REQUESTOR_IDLE;
}

void selection_requestor_convert(struct x11_selection *selection, int what, int64_t now)
{
    struct selection_requestor *self = &selection->requestor;
    selection_requestor_reset(selection);
    self->state = REQUESTOR_ASKED;
    self->what = what;
    self->target = target_of(selection, what);
    self->property = selection->atoms[ATOM_PROPERTY + self->n_asked++ % REQUESTOR_PROPERTIES];
    self->is_incremental = self->is_answered = 0;
    self->idle_deadline = now + REQUESTOR_IDLE_MS;
    self->deadline = now + REQUESTOR_TOTAL_MS;
    if (what == REQUESTOR_TARGETS)
        self->next_list = now + LIST_GAP_MS;
    x11_delete_property(&selection->connection, selection->window, self->property);
    x11_convert_selection(&selection->connection, selection->window,
                          selection->atoms[ATOM_CLIPBOARD], self->target, self->property);
}

void selection_requestor_list(struct x11_selection *selection, int64_t now)
{
    selection_requestor_reset(selection);
    selection->requestor.state = REQUESTOR_DELAYED;
    selection->requestor.retries = LIST_RETRIES;
    selection_requestor_due(selection, now);
}

/* The kinds that the list of targets has. */
static unsigned find_kinds(struct x11_selection *selection)
{
    struct selection_requestor *self = &selection->requestor;
    unsigned kinds = 0;
    self->text_target = X11_NONE;
    for (size_t at = 0; at + 4 <= self->data.length; at += 4) {
        uint32_t atom = x11_message_word(self->data.data, at);
        if (atom == selection->atoms[ATOM_SECRET])
            return 0;
        if (atom == selection->atoms[ATOM_PNG])
            kinds |= CLIP_HAS(CLIP_PICTURE);
        if (atom == selection->atoms[ATOM_UTF8_STRING] ||
            (atom == selection->atoms[ATOM_TEXT] && !self->text_target))
            self->text_target = atom;
    }
    return kinds | (self->text_target ? CLIP_HAS(CLIP_TEXT) : 0);
}

/* The state is idle before the exchange is called, which may start the next conversion at once. */
static void finish_request(struct x11_selection *selection, int is_complete, int64_t now)
{
    struct selection_requestor *self = &selection->requestor;
    if (self->what == REQUESTOR_TARGETS) {
        unsigned kinds = is_complete ? find_kinds(selection) : 0;
        selection_requestor_reset(selection);
        exchange_offered(selection->exchange, selection->end, kinds, now);
        return;
    }
    struct byte_queue data = self->data;
    self->data = (struct byte_queue){0};
    self->state = REQUESTOR_IDLE;
    if (!is_complete)
        byte_queue_clear(&data);
    exchange_fetched(selection->exchange, selection->end, self->what, data.data, data.length);
}

static void read_piece(struct x11_selection *selection, size_t at)
{
    struct selection_requestor *self = &selection->requestor;
    self->state = REQUESTOR_READING;
    self->at = at;
    x11_get_property(&selection->connection, selection->window, self->property, at);
    self->sequence = selection->connection.sequence;
}

void selection_requestor_on_notify(struct x11_selection *selection, const unsigned char *message,
                                   int64_t now)
{
    struct selection_requestor *self = &selection->requestor;
    uint32_t property = x11_message_word(message, 20);
    if (x11_message_word(message, 8) != selection->window ||
        x11_message_word(message, 12) != selection->atoms[ATOM_CLIPBOARD] ||
        x11_message_word(message, 16) != self->target)
        return;
    /* Another property belongs to an earlier request. */
    if (self->state == REQUESTOR_ASKED && property == X11_NONE)
        finish_request(selection, 0, now);
    else if (self->state == REQUESTOR_ASKED && property == self->property)
        read_piece(selection, 0);
    else if (self->state == REQUESTOR_READING && property == self->property)
        self->is_answered = 1;
}

void selection_requestor_on_property(struct x11_selection *selection, const unsigned char *message,
                                     int64_t now)
{
    if (selection->requestor.state == REQUESTOR_INCREMENTAL &&
        x11_message_word(message, 8) == selection->requestor.property &&
        message[16] == X11_PROPERTY_NEW_VALUE)
        read_piece(selection, 0);
}

/* -1: another type than asked for, or too long. */
static int append_piece(struct selection_requestor *self, const struct x11_property *property)
{
    int is_list = self->what == REQUESTOR_TARGETS;
    size_t most = is_list ? TARGETS_MAX : CLIP_MAX;
    if (property->type == X11_NONE || property->length > most - self->data.length ||
        (property->length > 0 && property->width != (is_list ? 4 : 1)))
        return -1;
    self->data.limit = most;
    return byte_queue_append(&self->data, property->data, property->length);
}

/* The property is empty: the notification was a late one to an earlier request. */
static void wait_again(struct x11_selection *selection)
{
    struct selection_requestor *self = &selection->requestor;
    self->state = REQUESTOR_ASKED;
    if (self->is_answered)
        read_piece(selection, 0);
    self->is_answered = 0;
}

static void handle_piece(struct x11_selection *selection, const struct x11_property *piece,
                         int64_t now)
{
    struct selection_requestor *self = &selection->requestor;
    int is_empty = self->at + piece->length == 0;
    if (!self->is_incremental && self->at == 0 && piece->type == X11_NONE) {
        wait_again(selection);
    } else if (!self->is_incremental && self->at == 0 &&
               piece->type == selection->atoms[ATOM_INCR]) {
        /* INCR (ICCCM 2.7.2): reading and deleting the property starts the transfer. */
        self->is_incremental = 1;
        self->state = REQUESTOR_INCREMENTAL;
        if (piece->after > 0)
            finish_request(selection, 0, now);
    } else if (append_piece(self, piece) < 0 ||
               (piece->after > 0 && piece->length != X11_PROPERTY_MAX)) {
        finish_request(selection, 0, now);
    } else if (piece->after > 0) {
        read_piece(selection, self->at + piece->length);
    } else if (self->is_incremental && !is_empty) {
        self->state = REQUESTOR_INCREMENTAL;
    } else {
        finish_request(selection, 1, now);
    }
}

void selection_requestor_on_reply(struct x11_selection *selection, const unsigned char *message,
                                  size_t length, int64_t now)
{
    struct selection_requestor *self = &selection->requestor;
    struct x11_property piece;
    if (self->state != REQUESTOR_READING || x11_message_sequence(message) != self->sequence)
        return;
    self->idle_deadline = now + REQUESTOR_IDLE_MS;
    if (x11_message_type(message) != X11_REPLY || x11_property_parse(message, length, &piece) < 0)
        finish_request(selection, 0, now);
    else
        handle_piece(selection, &piece, now);
}

static void time_out(struct x11_selection *selection, int64_t now)
{
    struct selection_requestor *self = &selection->requestor;
    if (self->what == REQUESTOR_TARGETS && self->state == REQUESTOR_ASKED && self->retries > 0) {
        self->retries--;
        selection_requestor_convert(selection, REQUESTOR_TARGETS, now);
    } else {
        finish_request(selection, 0, now);
    }
}

int selection_requestor_due(struct x11_selection *selection, int64_t now)
{
    struct selection_requestor *self = &selection->requestor;
    if (self->state == REQUESTOR_DELAYED && now >= self->next_list)
        selection_requestor_convert(selection, REQUESTOR_TARGETS, now);
    else if (self->state > REQUESTOR_DELAYED &&
             (now >= self->idle_deadline || now >= self->deadline))
        time_out(selection, now);
    if (self->state == REQUESTOR_IDLE)
        return -1;
    int64_t next = self->state == REQUESTOR_DELAYED       ? self->next_list
                   : self->idle_deadline < self->deadline ? self->idle_deadline
                                                          : self->deadline;
    return next > now ? (int)(next - now) : 0;
}
