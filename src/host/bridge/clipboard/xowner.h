/*
 * What we have for the other clients of an X server: handed out as they ask, in pieces that they
 * take at their own pace, to a few at a time.
 */
#pragma once

#include <stdint.h>

#include "host/bridge/clipboard/exchange.h"

struct xside;

struct xowner {
    unsigned kinds; /* what we have */
    struct xowner_answer {
        enum { XOWNER_FREE, XOWNER_ASKED, XOWNER_SENDS } state;
        uint32_t window, property, target, time;
        struct exchange_content content;
        size_t sent;
        int64_t quiet, late;
    } answers[EXCHANGE_WAITING_MAX];
};

/* MESSAGE: the server's SelectionRequest; PropertyNotify of a window that is not ours. */
void xowner_requested(struct xside *side, const unsigned char *message, int64_t now);
void xowner_changed(struct xside *side, const unsigned char *message, int64_t now);
/* As struct exchange_port has them. */
void xowner_offer(struct xside *side, unsigned kinds);
void xowner_give(struct xside *side, int token, const unsigned char *data, size_t length);

/* As exchange_due(). */
int xowner_due(struct xside *side, int64_t now);
