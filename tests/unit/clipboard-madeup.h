/* The box's side of a clipboard, without a server: what there is to be freed behind it. */
#pragma once

#include <stdlib.h>

#include "host/bridge/clipboard/xside.h"

static inline void madeup_side_free(struct xside *box)
{
    struct exchange *rules = box->exchange;
    xreader_forget(box);
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++)
        free(box->owner.answers[i].content.data);
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        free(rules->taken[kind].data);
        free(rules->held[kind].data);
    }
    byte_queue_clear(&box->link.in);
    byte_queue_clear(&box->link.out);
}
