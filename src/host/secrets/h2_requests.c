/* Requests of the box. */
#include <string.h>
#include <time.h>

#include "host/secrets/h2_parts.h"

static void submit(h2_stream *self, const GByteArray *head, bool has_secret)
{
    const struct h2_flow *flow = &self->to[AT_SERVER];
    bool has_body = !flow->has_ended || flow->data.length > 0 || flow->trailers;
    g_autoptr(GArray) fields = h2_stream_fields(H2_REQUEST, head, has_secret);
    nghttp2_session *server = self->of->at[AT_SERVER].session;
    int32_t id = server
                     ? nghttp2_submit_request(server, NULL, (const nghttp2_nv *)fields->data,
                                              fields->len, has_body ? &h2_stream_data : NULL, NULL)
                     : -1;
    if (id < 0) {
        h2_refuse(self, 502, "the server has ended the connection");
        return;
    }
    self->of->waiting++;
    h2_stream_open(self, AT_SERVER, id);
    self->to[AT_SERVER].ready = flow->data.length;
    self->of->of->sent += head->len;
    g_clear_pointer(&self->text, g_byte_array_unref);
}

/* What comes back in a later answer may be of an earlier request. */
static bool remember_coded(h2_stream *self, const secret *coded)
{
    struct h2 *of = self->of;
    if (!coded)
        return response_guard_expect(&self->guard, of->coded);
    secret_free(of->coded);
    of->coded = secret_copy(coded->data, coded->length);
    return true;
}

static void pass_stream_head(h2_stream *self, const request_signature *signature)
{
    char why[REQUEST_REFUSAL_SIZE];
    g_auto(rewritten) new = {0};
    unsigned status = exchange_rewrite(self->of->of, (const char *)self->text->data,
                                       self->text->len, signature, &self->guard, &new, why);
    if (status) {
        h2_refuse(self, status, why);
        return;
    }
    if (!remember_coded(self, new.coded)) {
        h2_refuse(self, 503, NO_MEMORY);
        return;
    }
    submit(self, new.head, new.used != NULL);
}

static void hold_body(h2_stream *self)
{
    static const char status[] = ":status", go_on[] = "100";
    const nghttp2_nv answer = {(uint8_t *)status, (uint8_t *)go_on, strlen(status), strlen(go_on),
                               NGHTTP2_NV_FLAG_NONE};
    self->is_held = true;
    self->to[AT_SERVER].data.limit = BODY_MAX;
    if (self->request.asks_continue)
        nghttp2_submit_headers(self->of->at[AT_BOX].session, NGHTTP2_FLAG_NONE, self->id[AT_BOX],
                               NULL, &answer, 1, NULL);
}

/* Passes a request that is allowed, now or when its body has come. */
static void pass_signed_stream(h2_stream *self)
{
    g_auto(request_signature) signature = {0};
    const struct h2_flow *body = &self->to[AT_SERVER];
    const char *head = (const char *)self->text->data;
    const char *why = request_signature_read(self->of->of->service->here, head, self->text->len,
                                             time(NULL), &signature);
    if (!why && request_signature_needs_body(&signature) && !body->has_ended) {
        hold_body(self);
        return;
    }
    if (!why)
        why = request_signature_check(&signature, head, self->text->len, body->data.data,
                                      body->data.length);
    if (why)
        h2_refuse(self, 403, why);
    else
        pass_stream_head(self, &signature);
}

static bool is_grpc(const GByteArray *head)
{
    static const char type[] = "application/grpc";
    gsize at = 0, length = strlen(type);
    struct http_text line, name, value;
    while (http_next_line((const char *)head->data, head->len, &at, &line))
        if (http_split_field(line, &name, &value) && http_is(name, "Content-Type"))
            return value.length >= length && memcmp(value.text, type, length) == 0;
    return false;
}

/* 0 when it may pass; else the status of the answer. */
static unsigned check_request(h2_stream *self, char why[REQUEST_REFUSAL_SIZE])
{
    exchange *of = self->of->of;
    const char *wrong = "";
    unsigned status;
    self->text = h2_head_text(&self->head[AT_BOX], H2_REQUEST, &status, &wrong);
    h2_head_clear(&self->head[AT_BOX]);
    if (!self->text ||
        http_read_request((const char *)self->text->data, self->text->len, of->service->port,
                          &self->request, &wrong) != HEAD_COMPLETE) {
        g_strlcpy(why, wrong, REQUEST_REFUSAL_SIZE);
        return status;
    }
    self->is_grpc = is_grpc(self->text);
    if (self->request.body.kind == BODY_NONE && !self->to[AT_SERVER].has_ended)
        self->request.body.kind = BODY_UNTIL_CLOSE;
    return exchange_check_request(of, &self->request, &self->refusal, why);
}

static void first_head(h2_stream *self)
{
    char why[REQUEST_REFUSAL_SIZE];
    exchange *of = self->of->of;
    event_timer_stop(&of->timer);
    unsigned status = check_request(self, why);
    if (status)
        h2_refuse(self, status, why);
    else if (self->of->at[AT_SERVER].session)
        pass_signed_stream(self);
    else {
        h2_refuse(self, 502, exchange_server_problem(of, (char[256]){0}));
        h2_go_away(self->of);
    }
}

/* Of its trailers. Where each request is checked there are none, as in HTTP/1. */
static const char *wrong_trailers(h2_stream *self)
{
    unsigned status;
    const char *why = "";
    gsize at = 0;
    struct http_text line;
    struct h2_flow *flow = &self->to[AT_SERVER];
    flow->trailers = h2_head_text(&self->head[AT_BOX], H2_TRAILERS, &status, &why);
    if (!flow->trailers)
        return why;
    if (self->of->of->rules.count > 0)
        return "a rule with methods or paths allows no fields behind the body";
    const char *text = (const char *)flow->trailers->data;
    while (http_next_line(text, flow->trailers->len, &at, &line))
        if (placeholder_find(services_secrets(), line.text, line.length))
            return "the placeholder of a secret is behind the body, where it must not be";
    return NULL;
}

void h2_request_head(h2_stream *self, bool has_ended)
{
    if (self->to[AT_SERVER].is_dropped)
        return;
    bool is_first = self->request.length == 0;
    const char *why = is_first ? NULL : wrong_trailers(self);
    h2_head *head = &self->head[AT_BOX];
    if (is_first) {
        self->to[AT_SERVER].has_ended = has_ended;
        if (has_ended)
            h2_stream_expects_nothing(self, AT_SERVER);
        first_head(self);
    } else if (why) {
        h2_refuse(self, 403, why);
    } else if (has_ended) {
        h2_request_end(self);
    }
    h2_head_clear(head);
}

void h2_request_body(h2_stream *self, const void *data, size_t size)
{
    struct h2_flow *flow = &self->to[AT_SERVER];
    if (self->is_held)
        nghttp2_session_consume_stream(self->of->at[AT_BOX].session, self->id[AT_BOX], size);
    if (self->is_held && !flow->is_dropped) {
        if (flow->data.length + size > BODY_MAX) {
            h2_refuse(self, 413, BODY_TOO_LONG);
            return;
        }
        if (!exchange_hold(size)) {
            h2_refuse(self, 503, BODIES_TOO_MANY);
            return;
        }
        self->held += size;
    }
    if (!h2_stream_append(self, AT_SERVER, data, size))
        return;
    exchange_look_for_strays(self->of->of, self->strays, data, size);
    self->of->of->sent += size;
    if (!self->is_held) {
        flow->ready = flow->data.length;
        h2_stream_resume(self, AT_SERVER);
    }
}

void h2_request_end(h2_stream *self)
{
    struct h2_flow *flow = &self->to[AT_SERVER];
    flow->has_ended = true;
    if (self->text && self->is_held && !flow->is_dropped)
        pass_signed_stream(self);
    h2_stream_resume(self, AT_SERVER);
}
