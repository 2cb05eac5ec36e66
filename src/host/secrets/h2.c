#include "host/secrets/exchange_parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "host/secrets/h2_parts.h"

/* What a session reads at once, and its own frames that may wait before it reads on. */
#define SLICE ((size_t)8 << 10)
#define FRAMES_MAX 256
/* Slices before other connections have their turn. */
#define SLICES_MAX 16
/* Of a connection, which streams share: each of them is limited by its own. */
#define CONNECTION_WINDOW ((int32_t)8 << 20)
/* A head that was rewritten, in a code that may make it longer. */
#define SENT_HEAD_MAX ((size_t)4 * HTTP_HEAD_MAX)

static h2_stream *find(const struct h2_session *at, int32_t id)
{
    return g_hash_table_lookup(at->streams, GINT_TO_POINTER(id));
}

void h2_go_away(struct h2 *self)
{
    nghttp2_session *box = self->at[AT_BOX].session;
    nghttp2_submit_goaway(box, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(box),
                          NGHTTP2_NO_ERROR, NULL, 0);
}

/* Callbacks. */

static int head_begins(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
    struct h2_session *at = data;
    int32_t id = frame->hd.stream_id;
    h2_stream *stream = find(at, id);
    if (stream)
        h2_head_clear(&stream->head[at->end]);
    else if (at->end == AT_BOX && frame->headers.cat == NGHTTP2_HCAT_REQUEST &&
             !h2_stream_new(at->of, id))
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return 0;
}

static int field_came(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                      size_t name_length, const uint8_t *value, size_t length, uint8_t flags,
                      void *data)
{
    struct h2_session *at = data;
    h2_stream *stream = find(at, frame->hd.stream_id);
    if (stream)
        h2_head_add(&stream->head[at->end], name, name_length, value, length);
    return 0;
}

/* nghttp2 would leave it out. */
static int wrong_field_came(nghttp2_session *session, const nghttp2_frame *frame,
                            const uint8_t *name, size_t name_length, const uint8_t *value,
                            size_t length, uint8_t flags, void *data)
{
    struct h2_session *at = data;
    h2_stream *stream = find(at, frame->hd.stream_id);
    if (stream)
        stream->head[at->end].wrong = "it has a malformed field";
    return 0;
}

/* nghttp2 ends the stream, or the connection. */
static int wrong_frame_came(nghttp2_session *session, const nghttp2_frame *frame, int error,
                            void *data)
{
    char text[128];
    const struct h2_session *at = data;
    bool is_box = at->end == AT_BOX;
    snprintf(text, sizeof text, "%s is malformed: %s", is_box ? "it" : "the answer",
             nghttp2_strerror(error));
    if (is_box)
        h2_note_refusal(at->of, text, text);
    else
        exchange_say(at->of->of, "refused", text);
    return 0;
}

static void head_came(h2_stream *stream, enum h2_end from, bool has_ended)
{
    if (from == AT_BOX)
        h2_request_head(stream, has_ended);
    else
        h2_answer_head(stream, has_ended);
}

static int frame_came(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
    struct h2_session *at = data;
    bool has_ended = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    h2_stream *stream = find(at, frame->hd.stream_id);
    if (frame->hd.type == NGHTTP2_GOAWAY && at->end == AT_SERVER)
        h2_go_away(at->of);
    if (!stream)
        return 0;
    if (frame->hd.type == NGHTTP2_HEADERS)
        head_came(stream, at->end, has_ended);
    else if (frame->hd.type == NGHTTP2_DATA && has_ended && at->end == AT_BOX)
        h2_request_end(stream);
    else if (frame->hd.type == NGHTTP2_DATA && has_ended)
        h2_answer_end(stream);
    return 0;
}

static int body_came(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                     size_t length, void *data)
{
    struct h2_session *at = data;
    h2_stream *stream = find(at, id);
    nghttp2_session_consume_connection(session, length);
    if (!stream)
        nghttp2_session_consume_stream(session, id, length);
    else if (at->end == AT_BOX)
        h2_request_body(stream, bytes, length);
    else
        h2_answer_body(stream, bytes, length);
    return 0;
}

static bool is_request(const struct h2_session *at, const nghttp2_frame *frame)
{
    return at->end == AT_SERVER && frame->hd.type == NGHTTP2_HEADERS &&
           frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}

static int frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
    struct h2_session *at = data;
    bool can_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    h2_stream *stream = find(at, frame->hd.stream_id);
    at->of->waiting -= is_request(at, frame);
    if (stream && can_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        h2_stream_sent(stream, at->end);
    return 0;
}

/* Such as a request after the server has said that it takes no more. */
static int frame_not_sent(nghttp2_session *session, const nghttp2_frame *frame, int error,
                          void *data)
{
    struct h2_session *at = data;
    h2_stream *stream = find(at, frame->hd.stream_id);
    at->of->waiting -= is_request(at, frame);
    if (stream && frame->hd.type == NGHTTP2_HEADERS)
        h2_stream_closed(stream, at->end, NGHTTP2_REFUSED_STREAM);
    return 0;
}

static int stream_closed(nghttp2_session *session, int32_t id, uint32_t code, void *data)
{
    struct h2_session *at = data;
    h2_stream *stream = find(at, id);
    if (stream)
        h2_stream_closed(stream, at->end, code);
    return 0;
}

/* Start. */

static nghttp2_session_callbacks *make_callbacks(void)
{
    nghttp2_session_callbacks *made = NULL;
    if (nghttp2_session_callbacks_new(&made) != 0)
        return NULL;
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, head_begins);
    nghttp2_session_callbacks_set_on_header_callback(made, field_came);
    nghttp2_session_callbacks_set_on_invalid_header_callback(made, wrong_field_came);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, wrong_frame_came);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, frame_came);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, body_came);
    nghttp2_session_callbacks_set_on_frame_send_callback(made, frame_sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(made, frame_not_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, stream_closed);
    return made;
}

/* Fields with secrets do not stay in what it frees. */
static void *allocate(size_t size, void *data)
{
    return malloc(size);
}

static void wipe_and_free(void *memory, void *data)
{
    secret_wipe_and_free(memory);
}

static void *allocate_zeroed(size_t n, size_t size, void *data)
{
    return calloc(n, size);
}

static void *grow(void *memory, size_t size, void *data)
{
    return secret_realloc(memory, size);
}

static bool make_session(struct h2_session *at)
{
    static nghttp2_mem memory = {NULL, allocate, wipe_and_free, allocate_zeroed, grow};
    nghttp2_session_callbacks *callbacks = make_callbacks();
    nghttp2_option *options = NULL;
    int error = callbacks && nghttp2_option_new(&options) == 0 ? 0 : -1;
    if (error == 0) {
        nghttp2_option_set_no_auto_window_update(options, 1);
        nghttp2_option_set_no_closed_streams(options, 1);
        nghttp2_option_set_max_send_header_block_length(options, SENT_HEAD_MAX);
        error = at->end == AT_BOX
                    ? nghttp2_session_server_new3(&at->session, callbacks, at, options, &memory)
                    : nghttp2_session_client_new3(&at->session, callbacks, at, options, &memory);
    }
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    return error == 0;
}

static bool start_session(struct h2_session *at)
{
    static const nghttp2_settings_entry for_box[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, H2_STREAMS_MAX},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HTTP_HEAD_MAX},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
    static const nghttp2_settings_entry for_server[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HTTP_HEAD_MAX}};
    bool is_box = at->end == AT_BOX;
    return make_session(at) &&
           nghttp2_submit_settings(at->session, NGHTTP2_FLAG_NONE, is_box ? for_box : for_server,
                                   is_box ? G_N_ELEMENTS(for_box) : G_N_ELEMENTS(for_server)) ==
               0 &&
           nghttp2_session_set_local_window_size(at->session, NGHTTP2_FLAG_NONE, 0,
                                                 CONNECTION_WINDOW) == 0;
}

struct h2 *h2_start(exchange *of)
{
    struct h2 *self = g_new0(struct h2, 1);
    self->of = of;
    for (int end = 0; end < 2; end++) {
        self->at[end] = (struct h2_session){.of = self, .end = end};
        self->at[end].streams = g_hash_table_new(NULL, NULL);
    }
    if (start_session(&self->at[AT_BOX]) &&
        (of->server.is_broken || start_session(&self->at[AT_SERVER])))
        return self;
    h2_free(self);
    return NULL;
}

void h2_free(struct h2 *self)
{
    if (!self)
        return;
    for (int end = 0; end < 2; end++) {
        g_autoptr(GList) streams = g_hash_table_get_values(self->at[end].streams);
        for (const GList *each = streams; each; each = each->next) {
            h2_stream *stream = each->data;
            if (end == AT_SERVER || !stream->id[AT_SERVER])
                h2_stream_free(stream);
        }
        g_hash_table_unref(self->at[end].streams);
        nghttp2_session_del(self->at[end].session);
    }
    secret_free(self->coded);
    g_free(self);
}

/* Steps. */

static struct tls_line *line_of(const struct h2_session *at)
{
    return at->end == AT_BOX ? &at->of->of->box : &at->of->of->server;
}

/* Requests that wait for the server do not count: only what it sends lets them go. */
static bool has_many_frames(const struct h2_session *at)
{
    size_t waiting = at->end == AT_SERVER ? at->of->waiting : 0;
    return at->session &&
           nghttp2_session_get_outbound_queue_size(at->session) >= FRAMES_MAX + waiting;
}

static bool read_slice(struct h2_session *at)
{
    struct tls_line *line = line_of(at);
    size_t size = MIN(line->in.length - at->taken, SLICE);
    if (!at->session || size == 0 || has_many_frames(&at->of->at[AT_BOX]) ||
        has_many_frames(&at->of->at[AT_SERVER]))
        return false;
    line->is_broken |= nghttp2_session_mem_recv(at->session, line->in.data + at->taken, size) < 0;
    at->taken = line->is_broken ? line->in.length : at->taken + size;
    return true;
}

/* Once for many slices: what is left is moved. */
static void consume(struct h2_session *at)
{
    byte_queue_consume(&line_of(at)->in, at->taken);
    at->taken = 0;
}

static bool write_frames(struct h2_session *at)
{
    bool moved = false;
    struct tls_line *line = line_of(at);
    while (at->session && !line->is_broken && !tls_line_is_full(line)) {
        const uint8_t *data;
        ssize_t size = nghttp2_session_mem_send(at->session, &data);
        if (size < 0 || byte_queue_append(&line->out, data, (size_t)size) < 0)
            line->is_broken = true;
        if (size <= 0)
            break;
        line->ready = line->out.length;
        moved = true;
    }
    return moved;
}

static bool is_over(const struct h2_session *at)
{
    return !nghttp2_session_want_read(at->session) && !nghttp2_session_want_write(at->session);
}

static void end_at_server(struct h2 *self, h2_stream *stream, const char *why)
{
    bool is_complete = stream->has_answer && stream->to[AT_BOX].has_ended;
    if (!is_complete && !stream->has_answer && !stream->is_refused)
        h2_refuse(stream, 502, why);
    h2_stream_closed(stream, AT_SERVER, is_complete ? NGHTTP2_NO_ERROR : NGHTTP2_INTERNAL_ERROR);
}

static void h2_server_ended(struct h2 *self)
{
    char text[256];
    struct h2_session *at = &self->at[AT_SERVER];
    const char *why = exchange_server_problem(self->of, text);
    g_autoptr(GList) streams = g_hash_table_get_values(at->streams);
    for (const GList *each = streams; each; each = each->next)
        end_at_server(self, each->data, why);
    nghttp2_session_del(at->session);
    at->session = NULL;
    self->waiting = 0;
    tls_line_close(&self->of->server, false);
    h2_go_away(self);
}

/* What has come before its end is read first. */
static bool check_server(struct h2 *self, bool moved)
{
    const struct h2_session *at = &self->at[AT_SERVER];
    const struct tls_line *line = &self->of->server;
    bool has_ended = line->is_broken || (line->has_ended && line->in.length == 0);
    if (!at->session || moved || !(has_ended || is_over(at)))
        return false;
    h2_server_ended(self);
    return true;
}

bool h2_step(struct h2 *self)
{
    bool any = false, moved = true;
    for (int i = 0; moved && i < SLICES_MAX; i++) {
        moved = read_slice(&self->at[AT_BOX]);
        moved |= read_slice(&self->at[AT_SERVER]);
        moved |= write_frames(&self->at[AT_SERVER]);
        moved |= write_frames(&self->at[AT_BOX]);
        any |= moved;
    }
    consume(&self->at[AT_BOX]);
    consume(&self->at[AT_SERVER]);
    any |= check_server(self, moved);
    if (!self->of->box.is_broken && is_over(&self->at[AT_BOX])) {
        exchange_close_after_flush(self->of);
        return true;
    }
    return any;
}
