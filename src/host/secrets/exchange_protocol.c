/*
 * What is spoken on a connection. The box's client and the server speak the same protocol, so
 * nothing is translated: the server is offered what the client offers, and the client gets what the
 * server chooses.
 */
#include "host/secrets/exchange_parts.h"
#include "host/secrets/h2.h"

static void speak_http1(exchange *self)
{
    self->box.chosen = TLS_HTTP1;
    self->phase = PHASE_HTTP;
}

static void speak_h2(exchange *self)
{
    self->box.chosen = TLS_HTTP2;
    self->phase = PHASE_H2;
    self->has_begun = true;
    self->h2 = h2_start(self);
    if (!self->h2)
        self->box.is_broken = true;
}

/* Of a server that cannot be talked to, a client that knows HTTP/1 hears in that. */
static void take_choice(exchange *self)
{
    bool knows_http1 = self->box.offered & TLS_HTTP1;
    bool has_h2 =
        self->server.is_broken ? !knows_http1 : tls_line_protocol(&self->server) == TLS_HTTP2;
    if (has_h2) {
        speak_h2(self);
        return;
    }
    if (!knows_http1)
        exchange_say(self, "refused", "the program speaks HTTP/2 alone, and the server does not");
    speak_http1(self);
}

bool exchange_step_protocol(exchange *self)
{
    bool is_plain = self->service->context == NULL;
    if (!is_plain && !self->box.has_hello)
        return false;
    /* What a box asks of a token endpoint is read by exchange_tokens.h, in HTTP/1. */
    bool offers_h2 = (self->box.offered & TLS_HTTP2) && !service_login(self->service);
    if (!self->server.offered &&
        !tls_line_offer(&self->server, offers_h2 ? self->box.offered : TLS_HTTP1))
        self->server.is_broken = true;
    if (!offers_h2)
        speak_http1(self);
    else if (tls_line_handshake(&self->server))
        take_choice(self);
    return self->phase != PHASE_HELLO;
}
