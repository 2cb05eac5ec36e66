#include "host/secrets/exchange.h"

#include <netinet/tcp.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "host/secrets/exchange_parts.h"
#include "host/secrets/token_answer.h"

/*
 * What is spoken on a connection. The box's client and the server speak the same protocol, so
 * nothing is translated: the server is offered what the client offers, and the client gets what the
 * server chooses.
 */

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

/* Finds out what is spoken. FALSE: there is nothing to do. */
static bool exchange_step_protocol(exchange *self)
{
    bool is_plain = self->service->context == NULL;
    if (!is_plain && !self->box.has_hello)
        return false;
    /* What a box asks of a token endpoint is read by exchange_tokens.c, in HTTP/1. */
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

/* Until the first request is there; and how long an answer of ours waits to be taken. */
#define FIRST_MS 30000
#define DRAIN_MS 2000
/* Steps of one connection before others have their turn, and the pause after that. */
#define TURNS_MAX 256
#define H2_TURNS 4 /* a step of HTTP/2 is so much more */
#define PAUSE_MS 1

static SSL_CTX *client;

bool exchange_prepare(void)
{
    client = tls_line_client();
    return client != NULL;
}

/* The gate may have ended. */
void exchange_report(const exchange *self, const char *reason)
{
    char line[NETWORK_RECORD_SIZE];
    bool is_part = self->h2 && reason[0]; /* a request of many: the connection has the numbers */
    struct network_record made = {.decision = reason[0] ? NETWORK_REFUSED : NETWORK_ALLOWED,
                                  .kind = NETWORK_CONNECTION,
                                  .port = self->service->port,
                                  .count = 1,
                                  .sent = is_part ? 0 : self->sent,
                                  .received = is_part ? 0 : self->received};
    memcpy(made.name, self->service->name, sizeof made.name);
    g_strlcpy(made.reason, reason, sizeof made.reason);
    if (self->used)
        g_strlcpy(made.secret, self->used->definition->name, sizeof made.secret);
    network_record_write(&made, line);
    send(self->gate.fd, line, strlen(line), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void end(exchange *self, bool reset)
{
    exchange_report(self, self->refusal.reason);
    exchange_release_body(self);
    exchange_end_tokens(self);
    h2_free(self->h2);
    network_rules_clear(&self->rules);
    event_timer_stop(&self->timer);
    event_timer_stop(&self->again);
    event_watch_close(&self->gate);
    tls_line_close(&self->box, reset);
    tls_line_close(&self->server, reset);
    exchange_searches_clear(&self->strays, &self->guard);
    g_free(self);
}

const char *exchange_server_problem(const exchange *self, char text[256])
{
    long verified = self->server.ssl ? SSL_get_verify_result(self->server.ssl) : X509_V_OK;
    snprintf(text, 256, "the certificate of the server: %s",
             X509_verify_cert_error_string(verified));
    return verified == X509_V_OK ? "the server has ended the connection" : text;
}

static void exchange_server_ended(exchange *self)
{
    char text[256];
    if (self->tokens) {
        exchange_say(self, "login", exchange_server_problem(self, text));
        exchange_end_token_answer(self);
        return;
    }
    bool ends_here = self->response_body.kind == BODY_UNTIL_CLOSE && self->server.has_ended &&
                     !self->server.was_cut;
    /* The end of the last answer may have come with that of the connection. */
    if (self->in_response && (ends_here || http_body_has_ended(&self->response_body)))
        exchange_end_response(self);
    if (self->awaits_response)
        exchange_answer(self, 502, exchange_server_problem(self, text));
    else
        exchange_close_after_flush(self);
}

static void drain(exchange *self)
{
    tls_line_finish(&self->box);
    self->phase = PHASE_DRAINING;
    event_timer_set(&self->timer, DRAIN_MS);
}

/* What has come before its end is passed on first. MOVED: the last step did something. */
static bool server_is_over(const exchange *self, bool moved)
{
    bool waits = moved || tls_line_is_full(&self->box);
    return self->has_begun && (self->server.is_broken || self->server.has_ended) &&
           (self->server.in.length == 0 || !waits);
}

static bool box_has_no_more(const exchange *self)
{
    return self->box.has_ended && self->box.in.length == 0 && !self->awaits_response &&
           self->server.out.length == 0;
}

static bool is_over_at_once(const exchange *self)
{
    switch (self->phase) {
    case PHASE_HELLO:
    case PHASE_H2:
    case PHASE_DRAINING:
        return self->box.has_ended;
    case PHASE_HTTP:
    case PHASE_RAW:
        return self->box.has_ended && !http_body_has_ended(&self->request_body);
    case PHASE_CLOSING:
        break;
    }
    return false;
}

/* TRUE: the exchange has ended, and is freed. */
static bool check_ends(exchange *self, bool moved)
{
    bool is_open = self->phase == PHASE_HTTP || self->phase == PHASE_RAW;
    if (is_open && server_is_over(self, moved))
        exchange_server_ended(self);
    if (self->box.is_broken || is_over_at_once(self)) {
        if (exchange_outlives_box(self))
            return false;
        end(self, true);
        return true;
    }
    if ((self->phase == PHASE_HTTP || self->phase == PHASE_RAW) && box_has_no_more(self))
        exchange_close_after_flush(self);
    if (self->phase == PHASE_CLOSING && self->box.out.length == 0)
        drain(self);
    return false;
}

/* Of HTTP/1, no more of a body than the box takes. */
static bool read_server(exchange *self)
{
    bool is_body = self->in_response || self->phase == PHASE_RAW;
    if (!self->has_begun || self->server.watch.fd < 0 || self->server.has_ended ||
        self->server.is_broken || (is_body && tls_line_is_full(&self->box)))
        return false;
    self->server.in_full = is_body ? LINE_OUT_FULL : 0;
    return tls_line_read(&self->server);
}

static bool step_requests(exchange *self)
{
    if (self->phase == PHASE_HELLO)
        return exchange_step_protocol(self);
    return self->phase == PHASE_H2 ? h2_step(self->h2) : exchange_step_requests(self);
}

/* Does what can be done now. SELF may be gone after it. */
static void step(exchange *self)
{
    int turns = 0;
    for (bool moved = true; moved && turns < TURNS_MAX;
         turns += self->phase == PHASE_H2 ? H2_TURNS : 1) {
        self->box.wants = self->server.wants = 0;
        moved = !self->box.has_ended && tls_line_read(&self->box);
        moved |= step_requests(self);
        moved |= self->server.watch.fd >= 0 && tls_line_write(&self->server);
        moved |= read_server(self);
        moved |= self->phase != PHASE_H2 && exchange_step_responses(self);
        moved |= tls_line_write(&self->box);
        if (check_ends(self, moved))
            return;
    }
    tls_line_rest(&self->box);
    tls_line_rest(&self->server);
    /* While the server does not say what it speaks, nothing is read that would tell of an end. */
    event_watch_set(&self->box.watch,
                    self->box.wants | (self->phase == PHASE_HELLO ? EPOLLRDHUP : 0));
    event_watch_set(&self->server.watch, self->server.wants);
    if (turns >= TURNS_MAX)
        event_timer_set(&self->again, PAUSE_MS);
}

static void server_ready(struct event_watch *line, uint32_t events)
{
    step(line->owner);
}

/* A program that has ended before the handshake did waits for nothing, whatever the server does. */
static void box_ready(struct event_watch *line, uint32_t events)
{
    exchange *self = line->owner;
    if (self->phase == PHASE_HELLO && (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
        self->box.has_ended = true;
    step(self);
}

static void go_on(struct event_timer *timer)
{
    step(timer->owner);
}

static void late(struct event_timer *timer)
{
    exchange *self = timer->owner;
    if (self->waits_for_lock) {
        exchange_end_wait(self);
        step(self);
        return;
    }
    if (self->tokens)
        exchange_say(self, "alarm", "the answer of the token endpoint does not come");
    end(self, self->phase != PHASE_DRAINING);
}

/* It has nothing to say: it has ended, or no rule allows the connection any more. */
static void gate_ready(struct event_watch *gate, uint32_t events)
{
    exchange *self = gate->owner;
    if (!exchange_outlives_box(self))
        end(self, true);
}

/* Starts. */

/* A body behind its head, and small frames of HTTP/2 that give room, would wait for an
 * acknowledgement, which their receiver delays (tcp(7), TCP_NODELAY). */
static void send_at_once(const struct tls_line *line)
{
    setsockopt(line->watch.fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

static bool prepare_lines(exchange *self)
{
    const service *to = self->service;
    send_at_once(&self->box);
    send_at_once(&self->server);
    return (!to->context || tls_line_accept(&self->box, to->context)) &&
           tls_line_connect(&self->server, client, to->server);
}

void exchange_start(const service *to, struct network_rules *rules, int gate, int box, int server)
{
    exchange *self = g_new0(exchange, 1);
    self->rules = *rules;
    self->service = to;
    self->gate = (struct event_watch){.fd = gate, .ready = gate_ready, .owner = self};
    self->box.watch = (struct event_watch){.fd = box, .ready = box_ready, .owner = self};
    self->server.watch = (struct event_watch){.fd = server, .ready = server_ready, .owner = self};
    self->timer = (struct event_timer){.expired = late, .owner = self};
    self->again = (struct event_timer){.expired = go_on, .owner = self};
    if (!exchange_searches_init(&self->strays, &self->guard, exchange_marks(self)) ||
        !prepare_lines(self)) {
        end(self, true);
        return;
    }
    event_watch_set(&self->gate, EPOLLIN);
    event_timer_set(&self->timer, FIRST_MS);
    step(self);
}
