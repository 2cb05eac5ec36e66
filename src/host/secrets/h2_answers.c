/* Answers of the server, and our own. */
#include <string.h>

#include "host/secrets/h2_parts.h"

/* A box that is refused so often has its connection ended, as HTTP/1 does the first time. */
#define REFUSALS_MAX 100
#define HOLDS_SECRET "the answer holds the secret itself"

void h2_note_refusal(struct h2 *self, const char *reason, const char *why)
{
    exchange_say(self->of, "refused", why);
    if (reason) {
        exchange_report(self->of, reason);
        exchange_report(self->of, ""); /* it goes on */
    }
    if (++self->refusals == REFUSALS_MAX)
        nghttp2_session_terminate_session(self->at[AT_BOX].session, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* Clients of gRPC show their users nothing else (its "PROTOCOL-HTTP2", "Trailers-Only"). */
static char *grpc_head(unsigned status, const char *text)
{
    enum { PERMISSION_DENIED = 7, UNAVAILABLE = 14 };
    g_autofree char *escaped = g_uri_escape_string(text, " !\"#$&'()*+,/:;<=>?@[\\]^`{|}", FALSE);
    return g_strdup_printf("HTTP/1.1 200\r\ncontent-type: application/grpc\r\ngrpc-status: %d\r\n"
                           "grpc-message: %s\r\n\r\n",
                           status < 500 ? PERMISSION_DENIED : UNAVAILABLE, escaped);
}

static void answer(h2_stream *self, unsigned status, const char *why)
{
    struct h2_flow *flow = &self->to[AT_BOX];
    g_autofree char *text = g_strdup_printf("Litterbox refused this request: %s", why);
    g_autofree char *head = self->is_grpc
                                ? grpc_head(status, text)
                                : g_strdup_printf("HTTP/1.1 %u\r\ncontent-type: text/plain\r\n"
                                                  "content-length: %zu\r\n\r\n",
                                                  status, strlen(text) + 1);
    const GByteArray head_text = {(guint8 *)head, (guint)strlen(head)};
    g_autoptr(GArray) fields = h2_stream_fields(H2_RESPONSE, &head_text, false);
    bool has_body = !self->is_grpc && !self->request.is_head_request;
    self->has_answer = flow->has_ended = true;
    if (has_body && byte_queue_append(&flow->data, text, strlen(text)) == 0 &&
        byte_queue_append(&flow->data, "\n", 1) == 0)
        flow->ready = flow->data.length;
    nghttp2_submit_response(self->of->at[AT_BOX].session, self->id[AT_BOX],
                            (const nghttp2_nv *)fields->data, fields->len,
                            has_body ? &h2_stream_data : NULL);
}

void h2_refuse(h2_stream *self, unsigned status, const char *why)
{
    const char *reason = self->refusal.reason[0] ? self->refusal.reason : why;
    h2_note_refusal(self->of, status >= 400 && status < 500 ? reason : NULL, why);
    self->is_refused = true;
    h2_stream_reset(self, AT_SERVER, NGHTTP2_CANCEL);
    if (self->has_answer)
        h2_stream_reset(self, AT_BOX, NGHTTP2_INTERNAL_ERROR);
    else if (self->id[AT_BOX])
        answer(self, status, why);
}

/* Of the server. */

static bool finds_secret(h2_stream *self, const void *data, size_t size)
{
    if (!response_guard_finds(&self->guard, data, size))
        return false;
    h2_refuse(self, 502, self->has_answer ? HOLDS_SECRET ", and was cut off" : HOLDS_SECRET);
    return true;
}

static void pass_answer_head(h2_stream *self, const GByteArray *text, bool has_ended)
{
    const char *why = "";
    struct http_message message;
    nghttp2_session *box = self->of->at[AT_BOX].session;
    if (http_read_response((const char *)text->data, text->len, &self->request, &message, &why) !=
        HEAD_COMPLETE) {
        h2_refuse(self, 502, why);
        return;
    }
    const char *refused = exchange_refuse_response(self->of->of, &message, text->data);
    if (refused) {
        h2_refuse(self, 502, refused);
        return;
    }
    if (finds_secret(self, text->data, text->len))
        return;
    response_guard_restart(&self->guard);
    self->of->of->received += text->len;
    g_autoptr(GArray) fields = h2_stream_fields(H2_RESPONSE, text, false);
    const nghttp2_nv *list = (const nghttp2_nv *)fields->data;
    if (message.status < 200) {
        nghttp2_submit_headers(box, NGHTTP2_FLAG_NONE, self->id[AT_BOX], NULL, list, fields->len,
                               NULL);
        return;
    }
    self->has_answer = true;
    self->to[AT_BOX].has_ended = has_ended;
    nghttp2_submit_response(box, self->id[AT_BOX], list, fields->len,
                            has_ended ? NULL : &h2_stream_data);
}

static void pass_trailers(h2_stream *self, GByteArray *text, bool has_ended)
{
    if (finds_secret(self, text->data, text->len))
        return;
    self->of->of->received += text->len;
    self->to[AT_BOX].trailers = g_byte_array_ref(text);
    if (has_ended)
        h2_answer_end(self);
}

void h2_answer_head(h2_stream *self, bool has_ended)
{
    unsigned status;
    const char *why = "";
    if (self->is_refused || self->to[AT_BOX].is_dropped)
        return;
    enum h2_kind kind = self->has_answer ? H2_TRAILERS : H2_RESPONSE;
    g_autoptr(GByteArray) text = h2_head_text(&self->head[AT_SERVER], kind, &status, &why);
    h2_head_clear(&self->head[AT_SERVER]);
    if (!text)
        h2_refuse(self, 502, why);
    else if (kind == H2_RESPONSE)
        pass_answer_head(self, text, has_ended);
    else
        pass_trailers(self, text, has_ended);
}

void h2_answer_body(h2_stream *self, const void *data, size_t size)
{
    struct h2_flow *flow = &self->to[AT_BOX];
    if (self->is_refused || (!flow->is_dropped && finds_secret(self, data, size))) {
        nghttp2_session_consume_stream(self->of->at[AT_SERVER].session, self->id[AT_SERVER], size);
        return;
    }
    if (!h2_stream_append(self, AT_BOX, data, size))
        return;
    self->of->of->received += size;
    if (response_guard_holds(&self->guard))
        return;
    flow->ready = flow->data.length;
    h2_stream_resume(self, AT_BOX);
}

void h2_answer_end(h2_stream *self)
{
    struct h2_flow *flow = &self->to[AT_BOX];
    if (self->is_refused || flow->is_dropped)
        return;
    flow->has_ended = true;
    flow->ready = flow->data.length;
    h2_stream_resume(self, AT_BOX);
}
