#include <stdio.h>
#include <string.h>

#include "host/secrets/exchange_parts.h"

/* Most bytes of a body that are passed on at once: a queue has its limit. */
#define PIECE_MAX ((size_t)1 << 20)

static void warn_of_stray(exchange *self, const held_secret *stray)
{
    char text[128];
    snprintf(text, sizeof text, "the placeholder of secret '%s' is in a body",
             stray->definition->name);
    exchange_say(self, "alarm", text);
    self->has_warned = true;
}

/*
 * A placeholder in a body is worth nothing and passes: an agent that has printed its environment
 * sends that to its model with every further request, and could not go on.
 */
static void look_for_strays(exchange *self, const char *data, size_t size)
{
    const GPtrArray *all = services_secrets();
    for (guint i = 0; i < all->len && !self->has_warned; i++) {
        const held_secret *held = all->pdata[i];
        if (!g_ptr_array_find(self->service->here, held, NULL) &&
            value_search_feed(&self->strays[i], data, size))
            warn_of_stray(self, held);
    }
}

static void pass_to_server(exchange *self, const void *data, size_t size)
{
    if (byte_queue_append(&self->server.out, data, size) < 0)
        self->server.is_broken = true;
    self->server.ready = self->server.out.length;
    self->has_begun = true;
    self->sent += size;
}

static void note_use(exchange *self, const held_secret *used)
{
    char text[128];
    if (self->used)
        return;
    snprintf(text, sizeof text, "secret '%s' is put into requests", used->definition->name);
    exchange_say(self, "secret", text);
}

static void pass_head(exchange *self, const request_signature *signature)
{
    const rewrite_rules rules = {.all = services_secrets(),
                                 .here = self->service->here,
                                 .host = self->service->host,
                                 .always = self->service->host != NULL,
                                 .signature = signature->with ? signature : NULL};
    g_auto(rewritten) new = {0};
    request_rewrite(&rules, (const char *)self->box.in.data, self->request.length, &new);
    if (new.wrong) {
        char text[160];
        snprintf(text, sizeof text, "the placeholder of secret '%s' is where it must not be",
                 new.wrong->definition->name);
        exchange_answer(self, 403, text);
        return;
    }
    if (new.used) {
        note_use(self, new.used);
        self->used = new.used;
    }
    if (!response_guard_expect(&self->guard, new.coded))
        self->server.is_broken = true;
    pass_to_server(self, new.head->data, new.head->len);
    byte_queue_consume(&self->box.in, self->request.length);
    self->request_body = self->request.body;
    /* Where each request is checked, servers must agree on where it ends. */
    self->request_body.is_plain = self->rules.count > 0;
    self->awaits_response = true;
    event_timer_stop(&self->timer);
}

/* What is in the last request, by the rules for its host. */
static bool is_allowed(exchange *self)
{
    const service *to = self->service;
    return self->rules.count == 0 ||
           network_requests_allow(&self->rules, to->server, to->server_port, &self->request,
                                  &self->refusal);
}

static void refuse(exchange *self)
{
    char text[REQUEST_REFUSAL_SIZE];
    request_refusal_text(&self->refusal, text);
    exchange_answer(self, 403, text);
}

/* FALSE: it goes on waiting. */
static bool pass_signed(exchange *self)
{
    g_auto(request_signature) signature = {0};
    size_t before = self->held;
    enum signing state = exchange_read_signature(self, &signature);
    if (state == SIGNING_READY)
        pass_head(self, &signature);
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
    if (strcmp(self->request.host, self->service->name) != 0 ||
        self->request.port != self->service->port)
        exchange_answer(self, 421, "its Host is another one");
    else if (self->request.asks_trace)
        exchange_answer(self, 405, "TRACE does not pass");
    else if (!is_allowed(self))
        refuse(self);
    else
        return pass_signed(self);
    return true;
}

static bool pass_request_body(exchange *self)
{
    bool is_content;
    struct byte_queue *in = &self->box.in;
    ssize_t part = http_body_next(&self->request_body, (const char *)in->data,
                                  MIN(in->length, PIECE_MAX), &is_content);
    if (part < 0) {
        exchange_answer(self, 400, "its chunks are malformed");
        return true;
    }
    if (is_content)
        look_for_strays(self, (const char *)in->data, (size_t)part);
    pass_to_server(self, in->data, (size_t)part);
    byte_queue_consume(in, (size_t)part);
    if (http_body_has_ended(&self->request_body))
        exchange_release_body(self);
    return part > 0;
}

bool exchange_step_requests(exchange *self)
{
    struct byte_queue *in = &self->box.in;
    if (in->length == 0 || self->server.out.length >= LINE_QUEUE_FULL)
        return false;
    if (self->phase == PHASE_CLOSING || self->phase == PHASE_DRAINING) {
        byte_queue_consume(in, in->length);
        return true;
    }
    if (self->phase == PHASE_RAW) {
        pass_to_server(self, in->data, in->length);
        byte_queue_consume(in, in->length);
        return true;
    }
    if (!http_body_has_ended(&self->request_body))
        return pass_request_body(self);
    return !self->awaits_response && begin_request(self);
}
