#include "podman/reply.h"

#include <string.h>

#include "common/error.h"
#include "common/text.h"

json_t *reply_parse(const char *data, gsize length, GError **error)
{
    json_error_t where;
    /* Podman 5 passes on the NUL bytes that a killed conmon leaves in its log. */
    json_t *value = json_loadb(data, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);

    if (!value) {
        /* The parser's error quotes the bytes. */
        g_autofree char *text = text_safe_max(where.text, -1, 200);
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "podman sent broken JSON: %s", text);
    }
    return value;
}

void reply_failure_parse(const char *data, gsize length, reply_failure *out)
{
    json_t *body = json_loadb(data, length, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL);

    /* json_object_get of a non-object and json_string_value of a non-string are NULL. */
    out->cause = g_strdup(json_string_value(json_object_get(body, "cause")));
    out->message = g_strdup(json_string_value(json_object_get(body, "message")));
    json_decref(body);
}

void reply_failure_clear(reply_failure *self)
{
    g_clear_pointer(&self->cause, g_free);
    g_clear_pointer(&self->message, g_free);
}

/* Parses the collected object and passes it on. */
static gboolean emit(reply_json_stream *self, reply_json_func func, gpointer user_data,
                     GError **error)
{
    json_error_t where;
    /* A build whose programs print NUL bytes must not fail. */
    json_t *object =
        json_loadb((const char *)self->text->data, self->text->len, JSON_ALLOW_NUL, &where);
    gboolean ok;

    g_byte_array_set_size(self->text, 0);
    if (!object) {
        g_autofree char *text = text_safe_max(where.text, -1, 200);
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "podman sent broken JSON: %s", text);
        return FALSE;
    }
    ok = func(object, user_data, error);
    json_decref(object);
    return ok;
}

/* Updates strings and nesting with one byte. */
static void track(reply_json_stream *self, char byte)
{
    if (self->in_string) {
        if (self->escaped)
            self->escaped = FALSE;
        else if (byte == '\\')
            self->escaped = TRUE;
        else if (byte == '"')
            self->in_string = FALSE;
    } else if (byte == '"') {
        self->in_string = TRUE;
    } else if (byte == '{' || byte == '[') {
        self->depth++; /* at most REPLY_JSON_MAX, because each bracket is a byte of the object */
    } else if (byte == '}' || byte == ']') {
        self->depth--;
    }
}

/* Returns how many bytes of DATA belong to the current object. */
static gsize scan(reply_json_stream *self, const char *data, gsize length)
{
    gsize used = 0;

    while (used < length) {
        track(self, data[used++]);
        if (self->depth == 0)
            break;
    }
    return used;
}

gboolean reply_json_stream_feed(reply_json_stream *self, const char *data, gsize length,
                                reply_json_func func, gpointer user_data, GError **error)
{
    if (!self->text)
        self->text = g_byte_array_new();
    while (length > 0) {
        if (self->depth == 0 && *data != '{') {
            if (!strchr(" \t\r\n", *data) || *data == '\0') {
                g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                                    "podman's stream contains other data than JSON objects");
                return FALSE;
            }
            data++;
            length--;
            continue;
        }
        gsize used = scan(self, data, MIN(length, REPLY_JSON_MAX - self->text->len + 1));
        g_byte_array_append(self->text, (const guint8 *)data, used);
        if (self->text->len > REPLY_JSON_MAX) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                        "podman's stream contains an object of more than %d bytes", REPLY_JSON_MAX);
            return FALSE;
        }
        if (self->depth == 0 && !emit(self, func, user_data, error))
            return FALSE;
        data += used;
        length -= used;
    }
    return TRUE;
}

gboolean reply_json_stream_end(const reply_json_stream *self, GError **error)
{
    if (self->depth == 0)
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                        "podman's stream ended in the middle of an object");
    return FALSE;
}

void reply_json_stream_clear(reply_json_stream *self)
{
    g_clear_pointer(&self->text, g_byte_array_unref);
}

/* Streams of a log message. */
enum { LOG_STDOUT = 1, LOG_STDERR = 2, LOG_ERROR = 3 };

/* Parses a complete header. */
static gboolean begin_message(reply_log_stream *self, GError **error)
{
    const guint8 *h = self->header;
    guint32 length = (guint32)h[4] << 24 | (guint32)h[5] << 16 | (guint32)h[6] << 8 | h[7];
    guint32 limit = h[0] == LOG_ERROR ? REPLY_LOG_ERROR_MAX : REPLY_LOG_MAX;

    if (h[0] < LOG_STDOUT || h[0] > LOG_ERROR || h[1] || h[2] || h[3] || length > limit) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman's log stream has a broken header");
        return FALSE;
    }
    self->left = length;
    return TRUE;
}

/* Collects an error message. FALSE with ERROR once it is complete. */
static gboolean collect_error(reply_log_stream *self, const char *data, gsize length,
                              GError **error)
{
    if (!self->failure)
        self->failure = g_string_new(NULL);
    g_string_append_len(self->failure, data, length);
    if (self->left > 0)
        return TRUE;
    g_autofree char *text = text_safe(self->failure->str, self->failure->len);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "podman: %s", text);
    return FALSE;
}

gboolean reply_log_stream_feed(reply_log_stream *self, const char *data, gsize length,
                               reply_log_func func, gpointer user_data, GError **error)
{
    while (length > 0) {
        if (self->header_length < sizeof self->header) {
            self->header[self->header_length++] = *data++;
            length--;
            if (self->header_length < sizeof self->header)
                continue;
            if (!begin_message(self, error))
                return FALSE;
        }
        gsize piece = MIN(length, self->left);
        self->left -= piece;
        if (self->header[0] == LOG_ERROR) {
            if (!collect_error(self, data, piece, error))
                return FALSE;
        } else if (piece > 0) {
            func(self->header[0], data, piece, user_data);
        }
        data += piece;
        length -= piece;
        if (self->left == 0)
            self->header_length = 0;
    }
    return TRUE;
}

gboolean reply_log_stream_end(const reply_log_stream *self, GError **error)
{
    if (self->header_length == 0)
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                        "podman's log stream ended in the middle of a message");
    return FALSE;
}

void reply_log_stream_clear(reply_log_stream *self)
{
    if (self->failure)
        g_string_free(self->failure, TRUE);
    self->failure = NULL;
}
