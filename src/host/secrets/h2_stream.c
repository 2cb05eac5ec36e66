/* Streams, from one end to the other. */
#include <openssl/crypto.h>
#include <string.h>

#include "host/secrets/h2_parts.h"

/*
 * What one end may send before the other end has taken it: 64 KiB at first (RFC 9113, 6.9.2), which
 * is little on a long way. So a stream that has passed some gets more, unless all that do are too
 * many.
 */
#define WIDE_WINDOW ((int32_t)2 << 20)
#define WIDE_AFTER ((uint64_t)128 << 10)
#define WIDE_OF_ALL 8
/* Bodies that may come, in either direction: a box that reads none makes each of them a window
 * long. What has many streams on a few connections leaves some for the first stream of another. */
#define FLOWS_OF_ALL 512
#define FLOWS_OF_FIRST 128
/* Bytes of a queue. What was sent is removed from it when it is half of it; from that of a stream
 * without a wide window, already when it is SHORT_PART. */
#define QUEUE_MAX (2 * ((size_t)WIDE_WINDOW + WIDE_AFTER))
#define SHORT_PART ((size_t)16 << 10)

static unsigned n_streams, n_flows, n_wide;

h2_stream *h2_stream_new(struct h2 *of, int32_t id)
{
    unsigned most = FLOWS_OF_ALL;
    if (g_hash_table_size(of->at[AT_BOX].streams) == 0)
        most += FLOWS_OF_FIRST;
    if (n_streams >= H2_STREAMS_OF_ALL || n_flows + 2 > most || of->waiting >= H2_WAITING_MAX)
        return NULL;
    h2_stream *self = g_new0(h2_stream, 1);
    self->of = of;
    n_streams++;
    n_flows += 2;
    self->to[AT_BOX].is_counted = self->to[AT_SERVER].is_counted = true;
    self->to[AT_BOX].data.limit = self->to[AT_SERVER].data.limit = QUEUE_MAX;
    if (!exchange_searches_init(&self->strays, &self->guard, NULL)) {
        h2_stream_free(self);
        return NULL;
    }
    h2_stream_open(self, AT_BOX, id);
    return self;
}

void h2_stream_open(h2_stream *self, enum h2_end end, int32_t id)
{
    self->id[end] = id;
    g_hash_table_insert(self->of->at[end].streams, GINT_TO_POINTER(id), self);
}

static void clear_flow(struct h2_flow *flow)
{
    if (flow->data.data)
        OPENSSL_cleanse(flow->data.data, flow->data.length);
    byte_queue_clear(&flow->data);
    if (flow->trailers)
        OPENSSL_cleanse(flow->trailers->data, flow->trailers->len);
    g_clear_pointer(&flow->trailers, g_byte_array_unref);
    flow->start = flow->ready = 0;
}

void h2_stream_expects_nothing(h2_stream *self, enum h2_end end)
{
    n_flows -= self->to[end].is_counted;
    self->to[end].is_counted = false;
}

void h2_stream_free(h2_stream *self)
{
    for (int end = 0; end < 2; end++) {
        h2_head_clear(&self->head[end]);
        clear_flow(&self->to[end]);
        h2_stream_expects_nothing(self, end);
        n_wide -= self->to[end].is_wide;
    }
    exchange_let_go(self->held);
    g_clear_pointer(&self->text, g_byte_array_unref);
    exchange_searches_clear(&self->strays, &self->guard);
    n_streams--;
    g_free(self);
}

/* What was taken gives its sender room for as much. */
static void give_back(h2_stream *self, enum h2_end to, size_t size)
{
    enum h2_end from = !to;
    if (self->id[from] && !(to == AT_SERVER && self->is_held))
        nghttp2_session_consume_stream(self->of->at[from].session, self->id[from], size);
}

static void let_go(h2_stream *self)
{
    exchange_let_go(self->held);
    self->held = 0;
}

static void drop(h2_stream *self, enum h2_end end)
{
    struct h2_flow *flow = &self->to[end];
    if (end == AT_SERVER)
        let_go(self);
    give_back(self, end, flow->data.length - flow->start);
    clear_flow(flow);
    h2_stream_expects_nothing(self, end);
    flow->is_dropped = true;
}

static void submit_reset(h2_stream *self, enum h2_end end, uint32_t code)
{
    if (!self->id[end] || self->is_reset[end])
        return;
    self->is_reset[end] = true;
    nghttp2_submit_rst_stream(self->of->at[end].session, NGHTTP2_FLAG_NONE, self->id[end], code);
}

void h2_stream_reset(h2_stream *self, enum h2_end end, uint32_t code)
{
    drop(self, end);
    submit_reset(self, end, code);
}

/* An answer may be complete before its request is: nobody wants the rest of that. */
static void end_request(h2_stream *self)
{
    if (self->to[AT_BOX].was_sent && !self->id[AT_SERVER] && !self->to[AT_SERVER].has_ended)
        submit_reset(self, AT_BOX, self->error);
}

static void server_closed(h2_stream *self, uint32_t code)
{
    self->error = self->is_refused ? NGHTTP2_NO_ERROR : code;
    drop(self, AT_SERVER);
    if (self->to[AT_BOX].has_ended)
        end_request(self);
    else
        h2_stream_reset(self, AT_BOX, code == NGHTTP2_NO_ERROR ? NGHTTP2_INTERNAL_ERROR : code);
}

static void box_closed(h2_stream *self, uint32_t code)
{
    bool is_complete =
        code == NGHTTP2_NO_ERROR && self->to[AT_BOX].has_ended && self->to[AT_SERVER].has_ended;
    drop(self, AT_BOX);
    if (!is_complete)
        h2_stream_reset(self, AT_SERVER, code == NGHTTP2_NO_ERROR ? NGHTTP2_CANCEL : code);
}

void h2_stream_closed(h2_stream *self, enum h2_end end, uint32_t code)
{
    g_hash_table_remove(self->of->at[end].streams, GINT_TO_POINTER(self->id[end]));
    self->id[end] = 0;
    if (end == AT_SERVER)
        server_closed(self, code);
    else
        box_closed(self, code);
    if (!self->id[AT_BOX] && !self->id[AT_SERVER])
        h2_stream_free(self);
}

void h2_stream_resume(h2_stream *self, enum h2_end end)
{
    struct h2_flow *flow = &self->to[end];
    if (!flow->waits || !self->id[end])
        return;
    flow->waits = false;
    nghttp2_session_resume_data(self->of->at[end].session, self->id[end]);
}

static void widen(h2_stream *self, enum h2_end from, struct h2_flow *flow)
{
    if (flow->is_wide || flow->total < WIDE_AFTER || n_wide == WIDE_OF_ALL || !self->id[from])
        return;
    flow->is_wide = true;
    n_wide++;
    nghttp2_session_set_local_window_size(self->of->at[from].session, NGHTTP2_FLAG_NONE,
                                          self->id[from], WIDE_WINDOW);
}

bool h2_stream_append(h2_stream *self, enum h2_end end, const void *data, size_t size)
{
    struct h2_flow *flow = &self->to[end];
    flow->total += size;
    if (flow->is_dropped) {
        give_back(self, end, size);
        return false;
    }
    bool is_short = !flow->is_wide && flow->start >= SHORT_PART;
    if (flow->start > 0 && (is_short || flow->start >= flow->data.length / 2)) {
        byte_queue_consume(&flow->data, flow->start);
        flow->ready -= flow->start;
        flow->start = 0;
    }
    if (byte_queue_append(&flow->data, data, size) < 0) {
        h2_stream_reset(self, AT_BOX, NGHTTP2_INTERNAL_ERROR);
        h2_stream_reset(self, AT_SERVER, NGHTTP2_CANCEL);
        return false;
    }
    widen(self, !end, flow);
    return true;
}

void h2_stream_sent(h2_stream *self, enum h2_end end)
{
    self->to[end].was_sent = true;
    clear_flow(&self->to[end]);
    h2_stream_expects_nothing(self, end);
    if (end == AT_BOX)
        end_request(self);
    else
        let_go(self);
}

static void submit_trailers(struct h2_session *at, h2_stream *self, const GByteArray *text)
{
    g_autoptr(GArray) fields = h2_stream_fields(H2_TRAILERS, text, false);
    nghttp2_submit_trailer(at->session, self->id[at->end], (const nghttp2_nv *)fields->data,
                           fields->len);
}

static ssize_t read_data(nghttp2_session *session, int32_t id, uint8_t *to, size_t room,
                         uint32_t *flags, nghttp2_data_source *source, void *data)
{
    struct h2_session *at = data;
    h2_stream *self = g_hash_table_lookup(at->streams, GINT_TO_POINTER(id));
    struct h2_flow *flow = self ? &self->to[at->end] : NULL;
    if (!flow)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    size_t size = MIN(room, flow->ready - flow->start);
    if (flow->is_dropped || (size == 0 && !flow->has_ended)) {
        flow->waits = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    if (size > 0)
        memcpy(to, flow->data.data + flow->start, size);
    flow->start += size;
    give_back(self, at->end, size);
    if (flow->has_ended && flow->start == flow->data.length) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (flow->trailers) {
            *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            submit_trailers(at, self, flow->trailers);
        }
    }
    return (ssize_t)size;
}

const nghttp2_data_provider h2_stream_data = {.read_callback = read_data};

GArray *h2_stream_fields(enum h2_kind kind, const GByteArray *text, bool is_secret)
{
    g_autoptr(GArray) read = h2_head_fields(kind, (const char *)text->data, text->len);
    GArray *fields = g_array_sized_new(FALSE, FALSE, sizeof(nghttp2_nv), read->len);
    for (guint i = 0; i < read->len; i++) {
        const h2_field *each = &g_array_index(read, h2_field, i);
        const nghttp2_nv made = {
            .name = (uint8_t *)each->name.text,
            .namelen = each->name.length,
            .value = (uint8_t *)each->value.text,
            .valuelen = each->value.length,
            .flags = is_secret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE,
        };
        g_array_append_val(fields, made);
    }
    return fields;
}
