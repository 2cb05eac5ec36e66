#include "host/bridge/clipboard/xowner.h"

#include <stdlib.h>
#include <string.h>

#include "host/bridge/clipboard/xrequest.h"
#include "host/bridge/clipboard/xside.h"
#include "sys/clock.h"

/* Who does not take the next piece within so long gets no more; nor may it take longer in all. */
#define QUIET_MS 5000
#define LATE_MS 60000
/* What a request has besides the piece, and more. */
#define REQUEST_FRAME 64

static size_t piece_size(const struct xside *side)
{
    size_t most = side->link.setup.request_size;
    return (most < XWIRE_PIECE ? most : XWIRE_PIECE) - REQUEST_FRAME;
}

static void reply(struct xside *side, const struct xowner_answer *answer, uint32_t property)
{
    x_notify(&side->link, answer->window, side->atoms[X_CLIPBOARD], answer->target, property,
             answer->time);
}

/* Of a window whose properties nobody of us waits for any more, we hear no more. */
static void finish(struct xside *side, struct xowner_answer *answer)
{
    int was_sending = answer->state == XOWNER_SENDS, is_needed = 0;
    free(answer->content.data);
    answer->content = (struct exchange_content){0};
    answer->state = XOWNER_FREE;
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++)
        is_needed |= side->owner.answers[i].state == XOWNER_SENDS &&
                     side->owner.answers[i].window == answer->window;
    if (was_sending && !is_needed)
        x_select_events(&side->link, answer->window, 0);
}

void xowner_offer(struct xside *side, unsigned kinds)
{
    side->owner.kinds = kinds;
    if (kinds)
        x_own_selection(&side->link, side->window, side->atoms[X_CLIPBOARD]);
    else if (side->is_owner)
        x_own_selection(&side->link, X_NONE, side->atoms[X_CLIPBOARD]);
}

static void send_piece(struct xside *side, struct xowner_answer *answer)
{
    size_t left = answer->content.length - answer->sent, most = piece_size(side);
    size_t size = left < most ? left : most;
    x_set_property(&side->link, answer->window, answer->property, answer->target, 1,
                   answer->content.data + answer->sent, size);
    answer->sent += size;
    answer->quiet = clock_ms() + QUIET_MS;
    /* A piece of nothing is the end. */
    if (size == 0)
        finish(side, answer);
}

static int begin_pieces(struct xside *side, struct xowner_answer *answer, const unsigned char *data,
                        size_t length)
{
    uint32_t size = (uint32_t)length;
    answer->content.data = malloc(length);
    if (!answer->content.data)
        return -1;
    memcpy(answer->content.data, data, length);
    answer->content.length = length;
    answer->state = XOWNER_SENDS;
    answer->sent = 0;
    answer->quiet = clock_ms() + QUIET_MS;
    answer->late = clock_ms() + LATE_MS;
    x_select_events(&side->link, answer->window, X_PROPERTY_CHANGES);
    x_set_property(&side->link, answer->window, answer->property, side->atoms[X_INCR], 4, &size,
                   sizeof size);
    return 0;
}

void xowner_give(struct xside *side, int token, const unsigned char *data, size_t length)
{
    struct xowner_answer *answer = &side->owner.answers[token];
    if (data && length <= piece_size(side))
        x_set_property(&side->link, answer->window, answer->property, answer->target, 1, data,
                       length);
    else if (data && begin_pieces(side, answer, data, length) < 0)
        data = NULL;
    reply(side, answer, data ? answer->property : X_NONE);
    if (answer->state != XOWNER_SENDS)
        finish(side, answer);
}

static void give_targets(struct xside *side, const struct xowner_answer *answer)
{
    uint32_t targets[4], n = 0;
    targets[n++] = side->atoms[X_TARGETS];
    if (side->owner.kinds & CLIP_HAS(CLIP_TEXT)) {
        targets[n++] = side->atoms[X_UTF8];
        targets[n++] = side->atoms[X_TYPE_TEXT];
    }
    if (side->owner.kinds & CLIP_HAS(CLIP_PICTURE))
        targets[n++] = side->atoms[X_TYPE_PICTURE];
    x_set_property(&side->link, answer->window, answer->property, X_ATOM, 4, targets,
                   n * sizeof *targets);
    reply(side, answer, answer->property);
}

static int kind_of(const struct xside *side, uint32_t target)
{
    if (target == side->atoms[X_UTF8] || target == side->atoms[X_TYPE_TEXT])
        return CLIP_TEXT;
    return target == side->atoms[X_TYPE_PICTURE] ? CLIP_PICTURE : -1;
}

static int find_free(const struct xowner *self)
{
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++) {
        if (self->answers[i].state == XOWNER_FREE)
            return i;
    }
    return -1;
}

void xowner_requested(struct xside *side, const unsigned char *message, int64_t now)
{
    struct xowner_answer asked = {.state = XOWNER_ASKED,
                                  .time = xwire_word(message, 4),
                                  .window = xwire_word(message, 12),
                                  .target = xwire_word(message, 20),
                                  .property = xwire_word(message, 24)};
    int kind = kind_of(side, asked.target), token = find_free(&side->owner);
    /* Clients of old name no property. */
    if (asked.property == X_NONE)
        asked.property = asked.target;
    if (asked.window == side->window)
        return;
    if (xwire_word(message, 16) != side->atoms[X_CLIPBOARD]) {
        reply(side, &asked, X_NONE);
    } else if (asked.target == side->atoms[X_TARGETS]) {
        give_targets(side, &asked);
    } else if (kind < 0 || token < 0 || !(side->owner.kinds & CLIP_HAS(kind))) {
        reply(side, &asked, X_NONE);
    } else {
        side->owner.answers[token] = asked;
        exchange_wanted(side->exchange, side->end, kind, token, now);
    }
}

/* What was there has been taken. */
void xowner_changed(struct xside *side, const unsigned char *message, int64_t now)
{
    if (message[16] == X_PROPERTY_NEW)
        return;
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++) {
        struct xowner_answer *answer = &side->owner.answers[i];
        if (answer->state == XOWNER_SENDS && answer->window == xwire_word(message, 4) &&
            answer->property == xwire_word(message, 8)) {
            send_piece(side, answer);
            return;
        }
    }
}

int xowner_due(struct xside *side, int64_t now)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++) {
        struct xowner_answer *answer = &side->owner.answers[i];
        if (answer->state == XOWNER_SENDS && (now >= answer->quiet || now >= answer->late))
            finish(side, answer);
        if (answer->state == XOWNER_SENDS && answer->quiet < next)
            next = answer->quiet;
    }
    return next == INT64_MAX ? -1 : next > now ? (int)(next - now) : 0;
}
