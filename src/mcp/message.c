#include "mcp/message.h"

#include <string.h>

#include "build-config.h"

/* Before the parser, which goes deeper, sees TEXT. */
static gboolean is_too_deep(const char *text, gsize length)
{
    int depth = 0;
    gboolean in_string = FALSE;
    for (gsize i = 0; i < length; i++) {
        char c = text[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']'))
            depth--;
        if (depth > MESSAGE_DEPTH_MAX)
            return TRUE;
    }
    return FALSE;
}

gboolean message_id_is_valid(const json_t *id)
{
    return json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= MESSAGE_ID_MAX);
}

static void fail_message(message *self, int code, const char *wrong)
{
    self->kind = MESSAGE_WRONG;
    self->code = code;
    self->wrong = wrong;
}

static void read_request(message *self)
{
    json_t *id = json_object_get(self->whole, "id");
    json_t *params = json_object_get(self->whole, "params");
    if (message_id_is_valid(id))
        self->id = id;
    self->kind = id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
    self->params = params;
    if (id && !self->id)
        fail_message(self, MESSAGE_INVALID_REQUEST,
                     "the id must be a whole number or a short text");
    else if (params && !json_is_object(params))
        fail_message(self, id ? MESSAGE_INVALID_PARAMS : MESSAGE_INVALID_REQUEST,
                     "params must be an object");
}

void message_parse(message *self, const char *text, gsize length)
{
    *self = (message){0};
    if (is_too_deep(text, length)) {
        fail_message(self, MESSAGE_PARSE_ERROR, "the message is nested too deeply");
        return;
    }
    /* No NUL in a text: none would fit into a path, an argument or a variable. */
    self->whole = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    json_t *version = json_object_get(self->whole, "jsonrpc");
    self->method = json_string_value(json_object_get(self->whole, "method"));
    if (!self->whole)
        fail_message(self, MESSAGE_PARSE_ERROR,
                     "the line is no JSON, or has a NUL or a name twice");
    else if (!json_is_object(self->whole))
        fail_message(self, MESSAGE_INVALID_REQUEST,
                     "a message must be an object; there are no batches");
    else if (!json_is_string(version) || strcmp(json_string_value(version), "2.0") != 0)
        fail_message(self, MESSAGE_INVALID_REQUEST, "jsonrpc must be \"2.0\"");
    else if (self->method)
        read_request(self);
    else if (json_object_get(self->whole, "result") || json_object_get(self->whole, "error"))
        self->kind = MESSAGE_RESPONSE;
    else
        fail_message(self, MESSAGE_INVALID_REQUEST, "the message has no method");
}

void message_clear(message *self)
{
    json_decref(self->whole);
    *self = (message){0};
}

static json_t *answer_with(json_t *id, const char *name, json_t *value)
{
    json_t *whole = json_pack("{s:s}", "jsonrpc", "2.0");
    if (id)
        json_object_set(whole, "id", id);
    json_object_set_new(whole, name, value);
    return whole;
}

json_t *message_result(json_t *id, json_t *result)
{
    return answer_with(id, "result", result);
}

json_t *message_error(json_t *id, int code, const char *text, json_t *data)
{
    json_t *error = json_pack("{s:i, s:s}", "code", code, "message", text);
    if (data)
        json_object_set_new(error, "data", data);
    return answer_with(id, "error", error);
}

json_t *message_notification(const char *method, json_t *params)
{
    return json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params);
}

void lines_add(lines *self, const char *bytes, gsize length)
{
    if (!self->bytes)
        self->bytes = g_byte_array_new();
    if (self->begin) {
        g_byte_array_remove_range(self->bytes, 0, (guint)self->begin);
        self->searched -= self->begin;
        self->begin = 0;
    }
    g_byte_array_append(self->bytes, (const guint8 *)bytes, (guint)length);
}

/* The end of the line, or NULL. */
static const char *find_end(lines *self)
{
    const char *start = (const char *)self->bytes->data + self->searched;
    gsize length = self->bytes->len - self->searched;
    const char *end = length ? memchr(start, '\n', length) : NULL;
    self->searched = end ? (gsize)(end - (const char *)self->bytes->data) + 1 : self->bytes->len;
    return end;
}

line_state lines_next(lines *self, const char **line, gsize *length)
{
    while (self->bytes && self->begin < self->bytes->len) {
        const char *start = (const char *)self->bytes->data + self->begin;
        const char *end = find_end(self);
        gsize size = end ? (gsize)(end - start) : self->bytes->len - self->begin;
        gboolean skipped = self->skips, is_long = size > LINE_MAX_BYTES;
        if (!end && !skipped && !is_long)
            return LINE_NONE;
        self->begin = self->searched;
        self->skips = !end;
        if (!skipped && is_long)
            return LINE_TOO_LONG;
        if (skipped)
            continue;
        *line = start;
        *length = size;
        return LINE_READY;
    }
    return LINE_NONE;
}

void lines_clear(lines *self)
{
    if (self->bytes)
        g_byte_array_unref(self->bytes);
    *self = (lines){0};
}

/* The tools change with the program alone, which a client may replace while it runs. */
#define FRESH_MS (5 * 60 * 1000)

json_t *protocol_server_info(void)
{
    return json_pack("{s:s, s:s, s:s}", "name", "litterbox", "title", "Litterbox", "version",
                     BOX_VERSION);
}

json_t *protocol_complete(json_t *result)
{
    json_object_set_new(result, "resultType", json_string("complete"));
    json_object_set_new(
        result, "_meta",
        json_pack("{s:o}", "io.modelcontextprotocol/serverInfo", protocol_server_info()));
    return result;
}

json_t *protocol_cacheable(json_t *result)
{
    json_object_set_new(result, "ttlMs", json_integer(FRESH_MS));
    json_object_set_new(result, "cacheScope", json_string("public"));
    return protocol_complete(result);
}
