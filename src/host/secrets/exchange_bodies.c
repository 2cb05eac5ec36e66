/* Bodies of requests that are held until they are whole. */
#include <string.h>
#include <time.h>

#include "host/secrets/exchange_parts.h"

/* Most bytes of all bodies that are held. */
#define BODIES_MAX ((size_t)96 << 20)

static size_t held;

bool exchange_hold(size_t size)
{
    if (held + size > BODIES_MAX)
        return false;
    held += size;
    return true;
}

void exchange_let_go(size_t size)
{
    held -= size;
}

void exchange_release_body(exchange *self)
{
    struct byte_queue rest = {0};
    if (self->held == 0)
        return;
    exchange_let_go(self->held);
    self->held = self->box.in_full = 0;
    if (byte_queue_append(&rest, self->box.in.data, self->box.in.length) < 0)
        self->box.is_broken = true;
    byte_queue_clear(&self->box.in);
    self->box.in = rest;
}

/* Answers with STATUS and WHY. Returns SIGNING_REFUSED. */
static enum signing exchange_refuse(exchange *self, unsigned status, const char *why)
{
    exchange_answer(self, status, why);
    return SIGNING_REFUSED;
}

static enum signing begin_to_hold(exchange *self)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    size_t size = (size_t)self->request.body.left;
    if (!exchange_hold(size))
        return exchange_refuse(self, 503, BODIES_TOO_MANY);
    self->held = size;
    self->box.in_full = self->request.length + size;
    self->box.in.limit = self->box.in_full + LINE_QUEUE_FULL;
    if (self->request.asks_continue) {
        if (byte_queue_append(&self->box.out, go_on, strlen(go_on)) < 0)
            self->box.is_broken = true;
        self->box.ready = self->box.out.length;
    }
    return SIGNING_WAITS;
}

enum signing exchange_hold_body(exchange *self, size_t most, const char *chunked, const char *large)
{
    const struct http_body *body = &self->request.body;
    if (body->kind == BODY_CHUNKED)
        return exchange_refuse(self, 403, chunked);
    if (body->left > most)
        return exchange_refuse(self, 413, large);
    if (self->box.in.length - self->request.length >= body->left)
        return SIGNING_READY;
    if (self->box.has_ended)
        return exchange_refuse(self, 400, "its body ends too early");
    return self->held ? SIGNING_WAITS : begin_to_hold(self);
}

/* Signs requests of a box anew, after their bodies have come where the hash of these is signed. */

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
