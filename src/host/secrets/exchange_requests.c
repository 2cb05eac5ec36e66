#include "host/secrets/exchange_parts.h"

/* Most bytes of a held body that are passed on at a time. More than of others: each time what is
 * left of it is moved. */
#define HELD_PIECE ((size_t)1 << 20)

void exchange_pass_to_server(exchange *self, const void *data, size_t size)
{
    if (byte_queue_append(&self->server.out, data, size) < 0)
        self->server.is_broken = true;
    self->server.ready = self->server.out.length;
    self->has_begun = true;
    self->sent += size;
}

bool exchange_pass_head(exchange *self, const char *head, size_t length,
                        const request_signature *signature)
{
    char why[REQUEST_REFUSAL_SIZE];
    g_auto(rewritten) new = {0};
    unsigned status = exchange_rewrite(self, head, length, signature, &self->guard, &new, why);
    if (status) {
        exchange_answer(self, status, why);
        return false;
    }
    exchange_pass_to_server(self, new.head->data, new.head->len);
    self->awaits_response = true;
    event_timer_stop(&self->timer);
    return true;
}

static void pass_request_head(exchange *self, const request_signature *signature)
{
    if (!exchange_pass_head(self, (const char *)self->box.in.data, self->request.length, signature))
        return;
    byte_queue_consume(&self->box.in, self->request.length);
    self->request_body = self->request.body;
    /* Where each request is checked, servers must agree on where it ends. */
    self->request_body.is_plain = self->rules.count > 0;
}

/* FALSE: it goes on waiting. */
static bool pass_signed_request(exchange *self)
{
    g_auto(request_signature) signature = {0};
    size_t before = self->held;
    enum signing state = exchange_read_signature(self, &signature);
    if (state == SIGNING_READY)
        pass_request_head(self, &signature);
    /* When it begins to wait, more is read than before. */
    return state != SIGNING_WAITS || self->held != before;
}

static bool begin_request(exchange *self)
{
    const char *why = "";
    struct byte_queue *in = &self->box.in;
    /* A head of 64 KiB takes milliseconds, and a body may come byte by byte. */
    if (self->held && in->length < self->request.length + self->held && !self->box.has_ended)
        return false;
    switch (http_read_request((const char *)in->data, in->length, self->service->port,
                              &self->request, &why)) {
    case HEAD_INCOMPLETE:
        return false;
    case HEAD_WRONG:
        exchange_answer(self, 400, why);
        return true;
    case HEAD_COMPLETE:
        break;
    }
    char text[REQUEST_REFUSAL_SIZE];
    unsigned status = exchange_check_request(self, &self->request, &self->refusal, text);
    enum login_place place = status ? LOGIN_ELSEWHERE : exchange_place(self);
    if (status)
        exchange_answer(self, status, text);
    else if (place > LOGIN_API)
        return exchange_step_login(self, place);
    return status || pass_signed_request(self);
}

static bool pass_request_body(exchange *self)
{
    bool is_content;
    struct byte_queue *in = &self->box.in;
    size_t most = MIN(in->length, self->held ? HELD_PIECE : LINE_OUT_FULL);
    ssize_t part = http_body_next(&self->request_body, (const char *)in->data, most, &is_content);
    if (part < 0) {
        exchange_answer(self, 400, "its chunks are malformed");
        return true;
    }
    if (is_content)
        exchange_look_for_strays(self, self->strays, in->data, (size_t)part);
    exchange_pass_to_server(self, in->data, (size_t)part);
    byte_queue_consume(in, (size_t)part);
    if (http_body_has_ended(&self->request_body))
        exchange_release_body(self);
    return part > 0;
}

bool exchange_step_requests(exchange *self)
{
    struct byte_queue *in = &self->box.in;
    if (in->length == 0 || tls_line_is_full(&self->server))
        return false;
    if (self->phase == PHASE_CLOSING || self->phase == PHASE_DRAINING) {
        byte_queue_consume(in, in->length);
        return true;
    }
    if (self->phase == PHASE_RAW) {
        size_t part = MIN(in->length, LINE_OUT_FULL);
        exchange_pass_to_server(self, in->data, part);
        byte_queue_consume(in, part);
        return true;
    }
    if (!http_body_has_ended(&self->request_body))
        return pass_request_body(self);
    return !self->awaits_response && begin_request(self);
}
