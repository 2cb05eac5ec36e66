#include "host/bridge/clipboard/selection.h"

#include <stdlib.h>
#include <string.h>

#include "host/bridge/clipboard/x11_requests.h"
#include "sys/clock.h"

/* The longest time without progress, and in all. */
#define OWNER_IDLE_MS 5000
#define OWNER_TOTAL_MS 60000
/* Bytes of ChangeProperty besides the data, and some more. */
#define REQUEST_OVERHEAD 64

static size_t piece_size(const struct x11_selection *selection)
{
    size_t most = selection->connection.setup.request_size;
    return (most < X11_PROPERTY_MAX ? most : X11_PROPERTY_MAX) - REQUEST_OVERHEAD;
}

static void reply(struct x11_selection *selection, const struct selection_transfer *transfer,
                  uint32_t property)
{
    x11_send_selection_notify(&selection->connection, transfer->window,
                              selection->atoms[ATOM_CLIPBOARD], transfer->target, property,
                              transfer->time);
}

/* Events of the window are deselected with its last transfer. */
static void finish_transfer(struct x11_selection *selection, struct selection_transfer *transfer)
{
    int was_sending = transfer->state == TRANSFER_SENDING, is_selected = 0;
    free(transfer->content.data);
    transfer->content = (struct exchange_content){0};
    transfer->state = TRANSFER_FREE;
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++)
        is_selected |= selection->owner.transfers[i].state == TRANSFER_SENDING &&
                       selection->owner.transfers[i].window == transfer->window;
    if (was_sending && !is_selected)
        x11_select_events(&selection->connection, transfer->window, 0);
}

void selection_owner_offer(struct x11_selection *selection, unsigned kinds)
{
    selection->owner.kinds = kinds;
    if (kinds)
        x11_set_selection_owner(&selection->connection, selection->window,
                                selection->atoms[ATOM_CLIPBOARD]);
    else if (selection->is_owner)
        x11_set_selection_owner(&selection->connection, X11_NONE, selection->atoms[ATOM_CLIPBOARD]);
}

static void send_piece(struct x11_selection *selection, struct selection_transfer *transfer)
{
    size_t left = transfer->content.length - transfer->sent, most = piece_size(selection);
    size_t size = left < most ? left : most;
    x11_change_property(&selection->connection, transfer->window, transfer->property,
                        transfer->target, 1, transfer->content.data + transfer->sent, size);
    transfer->sent += size;
    transfer->idle_deadline = clock_ms() + OWNER_IDLE_MS;
    /* An empty piece ends the transfer (ICCCM 2.7.2). */
    if (size == 0)
        finish_transfer(selection, transfer);
}

static int begin_incremental(struct x11_selection *selection, struct selection_transfer *transfer,
                             const unsigned char *data, size_t length)
{
    uint32_t size = (uint32_t)length;
    transfer->content.data = malloc(length);
    if (!transfer->content.data)
        return -1;
    memcpy(transfer->content.data, data, length);
    transfer->content.length = length;
    transfer->state = TRANSFER_SENDING;
    transfer->sent = 0;
    transfer->idle_deadline = clock_ms() + OWNER_IDLE_MS;
    transfer->deadline = clock_ms() + OWNER_TOTAL_MS;
    x11_select_events(&selection->connection, transfer->window, X11_PROPERTY_CHANGE_MASK);
    x11_change_property(&selection->connection, transfer->window, transfer->property,
                        selection->atoms[ATOM_INCR], 4, &size, sizeof size);
    return 0;
}

void selection_owner_give(struct x11_selection *selection, int token, const unsigned char *data,
                          size_t length)
{
    struct selection_transfer *transfer = &selection->owner.transfers[token];
    if (data && length <= piece_size(selection))
        x11_change_property(&selection->connection, transfer->window, transfer->property,
                            transfer->target, 1, data, length);
    else if (data && begin_incremental(selection, transfer, data, length) < 0)
        data = NULL;
    reply(selection, transfer, data ? transfer->property : X11_NONE);
    if (transfer->state != TRANSFER_SENDING)
        finish_transfer(selection, transfer);
}

static void send_targets(struct x11_selection *selection, const struct selection_transfer *transfer)
{
    uint32_t targets[4], n = 0;
    targets[n++] = selection->atoms[ATOM_TARGETS];
    if (selection->owner.kinds & CLIP_HAS(CLIP_TEXT)) {
        targets[n++] = selection->atoms[ATOM_UTF8_STRING];
        targets[n++] = selection->atoms[ATOM_TEXT];
    }
    if (selection->owner.kinds & CLIP_HAS(CLIP_PICTURE))
        targets[n++] = selection->atoms[ATOM_PNG];
    x11_change_property(&selection->connection, transfer->window, transfer->property, X11_ATOM_ATOM,
                        4, targets, n * sizeof *targets);
    reply(selection, transfer, transfer->property);
}

static int kind_of(const struct x11_selection *selection, uint32_t target)
{
    if (target == selection->atoms[ATOM_UTF8_STRING] || target == selection->atoms[ATOM_TEXT])
        return CLIP_TEXT;
    return target == selection->atoms[ATOM_PNG] ? CLIP_PICTURE : -1;
}

static int find_free(const struct selection_owner *self)
{
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++) {
        if (self->transfers[i].state == TRANSFER_FREE)
            return i;
    }
    return -1;
}

void selection_owner_on_request(struct x11_selection *selection, const unsigned char *message,
                                int64_t now)
{
    struct selection_transfer asked = {.state = TRANSFER_ASKED,
                                       .time = x11_message_word(message, 4),
                                       .window = x11_message_word(message, 12),
                                       .target = x11_message_word(message, 20),
                                       .property = x11_message_word(message, 24)};
    int kind = kind_of(selection, asked.target), token = find_free(&selection->owner);
    /* Obsolete clients name no property (ICCCM 2.2). */
    if (asked.property == X11_NONE)
        asked.property = asked.target;
    if (asked.window == selection->window)
        return;
    if (x11_message_word(message, 16) != selection->atoms[ATOM_CLIPBOARD]) {
        reply(selection, &asked, X11_NONE);
    } else if (asked.target == selection->atoms[ATOM_TARGETS]) {
        send_targets(selection, &asked);
    } else if (kind < 0 || token < 0 || !(selection->owner.kinds & CLIP_HAS(kind))) {
        reply(selection, &asked, X11_NONE);
    } else {
        selection->owner.transfers[token] = asked;
        exchange_wanted(selection->exchange, selection->end, kind, token, now);
    }
}

/* The requestor has deleted the property: it is ready for the next piece. */
void selection_owner_on_property(struct x11_selection *selection, const unsigned char *message,
                                 int64_t now)
{
    if (message[16] == X11_PROPERTY_NEW_VALUE)
        return;
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++) {
        struct selection_transfer *transfer = &selection->owner.transfers[i];
        if (transfer->state == TRANSFER_SENDING &&
            transfer->window == x11_message_word(message, 4) &&
            transfer->property == x11_message_word(message, 8)) {
            send_piece(selection, transfer);
            return;
        }
    }
}

int selection_owner_due(struct x11_selection *selection, int64_t now)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++) {
        struct selection_transfer *transfer = &selection->owner.transfers[i];
        if (transfer->state == TRANSFER_SENDING &&
            (now >= transfer->idle_deadline || now >= transfer->deadline))
            finish_transfer(selection, transfer);
        if (transfer->state == TRANSFER_SENDING && transfer->idle_deadline < next)
            next = transfer->idle_deadline;
    }
    return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}
