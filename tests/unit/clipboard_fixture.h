/* For tests of a selection without an X server. */
#pragma once

#include <stdlib.h>

#include "host/bridge/clipboard/selection.h"

/* Frees the memory of BOX and of its exchange. */
static inline void selection_free(struct x11_selection *box)
{
    struct exchange *rules = box->exchange;
    selection_requestor_reset(box);
    for (int i = 0; i < EXCHANGE_WAITING_MAX; i++)
        free(box->owner.transfers[i].content.data);
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        free(rules->fetched[kind].data);
        free(rules->published[kind].data);
    }
    byte_queue_clear(&box->connection.in);
    byte_queue_clear(&box->connection.out);
}
