#include <stdio.h>
#include <string.h>

#include "host/secrets/log_limit.h"
#include "host/secrets/token_answer.h"

#define ANSWER_MAX (REQUEST_REFUSAL_SIZE + 64)

void exchange_say(const exchange *self, const char *what, const char *why)
{
    char line[REQUEST_REFUSAL_SIZE + HOST_NAME_SIZE + 32];
    snprintf(line, sizeof line, "%s: %s:%u: %s", what, self->service->name, self->service->port,
             why);
    log_limited(strcmp(what, "alarm") == 0, line);
}

void exchange_close_after_flush(exchange *self)
{
    self->phase = PHASE_CLOSING;
    self->box.ready = self->box.out.length;
    tls_line_close(&self->server, false);
}

static const char *reason_phrase(unsigned status)
{
    switch (status) {
    case 200:
        return "OK";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 405:
        return "Method Not Allowed";
    case 413:
        return "Content Too Large";
    case 421:
        return "Misdirected Request";
    case 429:
        return "Too Many Requests";
    case 500:
        return "Internal Server Error";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    default:
        return "Bad Request";
    }
}

void exchange_write_answer(exchange *self, unsigned status, const char *type, const char *text,
                           size_t length, bool ends)
{
    char head[256];
    int size = snprintf(
        head, sizeof head, "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s\r\n",
        status, reason_phrase(status), type, length, ends ? "Connection: close\r\n" : "");
    if (byte_queue_append(&self->box.out, head, (size_t)size) < 0 ||
        byte_queue_append(&self->box.out, text, length) < 0)
        self->box.is_broken = true;
    if (ends)
        exchange_close_after_flush(self);
}

void exchange_answer(exchange *self, unsigned status, const char *why)
{
    char text[ANSWER_MAX];
    exchange_say(self, "refused", why);
    if (status >= 400 && status < 500 && !self->refusal.reason[0])
        snprintf(self->refusal.reason, sizeof self->refusal.reason, "%s", why);
    if (self->in_response) {
        /* Not a byte more of what was read. */
        byte_queue_clear(&self->box.out);
        self->box.ready = 0;
        self->phase = PHASE_CLOSING;
        self->box.is_broken = true;
        return;
    }
    int length = snprintf(text, sizeof text, "Litterbox refused this request: %s\n", why);
    exchange_write_answer(self, status, "text/plain", text, (size_t)length, true);
}

/* FALSE: it holds a secret, and nothing more must be sent. */
static bool pass_to_box(exchange *self, size_t size, bool is_content)
{
    struct byte_queue *in = &self->server.in;
    if (is_content && response_guard_finds(&self->guard, (const char *)in->data, size)) {
        if (!self->in_response)
            exchange_answer(self, 502, "the answer holds the secret itself");
        else
            exchange_answer(self, 0, "the answer holds the secret itself, and was cut off");
        return false;
    }
    if (byte_queue_append(&self->box.out, in->data, size) < 0)
        self->box.is_broken = true;
    self->received += size;
    if (!response_guard_holds(&self->guard))
        self->box.ready = self->box.out.length;
    byte_queue_consume(in, size);
    return true;
}

void exchange_end_response(exchange *self)
{
    response_guard_restart(&self->guard);
    self->box.ready = self->box.out.length;
    self->awaits_response = self->in_response = false;
}

static bool begin_response(exchange *self)
{
    struct http_message response;
    const char *why = "";
    struct byte_queue *in = &self->server.in;
    if (self->tokens)
        return exchange_step_token_answer(self);
    switch (
        http_read_response((const char *)in->data, in->length, &self->request, &response, &why)) {
    case HEAD_INCOMPLETE:
        return false;
    case HEAD_WRONG:
        exchange_answer(self, 502, why);
        return true;
    case HEAD_COMPLETE:
        break;
    }
    const char *refused = exchange_refuse_response(self, &response, in->data);
    if (refused) {
        exchange_answer(self, 502, refused);
        return true;
    }
    if (!pass_to_box(self, response.length, true))
        return true;
    response_guard_restart(&self->guard);
    self->box.ready = self->box.out.length;
    if (response.status == 101) {
        self->phase = PHASE_RAW;
        self->awaits_response = false;
    } else if (response.status >= 200) {
        self->in_response = true;
        self->response_body = response.body;
        self->response_body.no_extensions = true;
    }
    return true;
}

bool exchange_step_responses(exchange *self)
{
    bool is_content = true;
    struct byte_queue *in = &self->server.in;
    if (self->phase == PHASE_CLOSING || self->phase == PHASE_DRAINING ||
        tls_line_is_full(&self->box))
        return false;
    if (self->in_response && http_body_has_ended(&self->response_body)) {
        exchange_end_response(self);
        return true;
    }
    if (in->length == 0)
        return false;
    if (self->phase == PHASE_RAW)
        return pass_to_box(self, MIN(in->length, LINE_OUT_FULL), true) || true;
    if (!self->awaits_response) {
        self->in_response = true;
        exchange_answer(self, 0, "the server sent a response without a request");
        return true;
    }
    if (!self->in_response)
        return begin_response(self);
    ssize_t part = http_body_next(&self->response_body, (const char *)in->data,
                                  MIN(in->length, LINE_OUT_FULL), &is_content);
    if (part < 0)
        exchange_answer(self, 0, "the chunks of the answer are malformed");
    else
        pass_to_box(self, (size_t)part, is_content);
    return true;
}
