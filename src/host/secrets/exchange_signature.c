/* Signs requests of a box anew, after their bodies have come where the hash of these is signed. */
#include <time.h>

#include "host/secrets/exchange_parts.h"

static enum signing hold_signed_body(exchange *self)
{
    return exchange_hold_body(
        self, BODY_MAX,
        "it cannot be signed before its chunks have come: have the client send a "
        "Content-Length, or X-Amz-Content-Sha256",
        BODY_TOO_LONG);
}

enum signing exchange_read_signature(exchange *self, request_signature *signature)
{
    const struct byte_queue *in = &self->box.in;
    const char *head = (const char *)in->data;
    gsize length = self->request.length;
    const char *why =
        request_signature_read(self->service->here, head, length, time(NULL), signature);
    if (why)
        return exchange_refuse(self, 403, why);
    bool needs_body = request_signature_needs_body(signature);
    enum signing state = needs_body ? hold_signed_body(self) : SIGNING_READY;
    if (state != SIGNING_READY)
        return state;
    why = request_signature_check(signature, head, length, head + length,
                                  needs_body ? (gsize)self->request.body.left : 0);
    return why ? exchange_refuse(self, 403, why) : SIGNING_READY;
}
