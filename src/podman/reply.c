#include "podman/reply.h"

#include <string.h>

#include "common/error.h"
#include "common/text.h"

json_t *reply_parse(const char *data, gsize length, GError **error)
{
    json_error_t where;
    /* Podman 5 quotes the NUL bytes that a killed conmon left in its log. */
    json_t *value = json_loadb(data, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);

    if (!value) {
        /* The parser quotes what it stumbled over. */
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

/* Parses the object that has been collected and starts over. */
static gboolean emit(reply_objects *self, reply_object_func func, gpointer user_data,
                     GError **error)
{
    json_error_t where;
    /* A program in a build may print NUL bytes; that is no reason to fail the build. */
    json_t *object =
        json_loadb((const char *)self->text->data, self->text->len, JSON_ALLOW_NUL, &where);
    gboolean go_on;

    g_byte_array_set_size(self->text, 0);
    if (!object) {
        g_autofree char *text = text_safe_max(where.text, -1, 200);
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "podman sent broken JSON: %s", text);
        return FALSE;
    }
    go_on = func(object, user_data, error);
    json_decref(object);
    return go_on;
}

/* Follows strings and nesting over one byte. */
static void track(reply_objects *self, char byte)
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
        self->depth++; /* at most REPLY_OBJECT_MAX: every bracket is a byte of the object */
    } else if (byte == '}' || byte == ']') {
        self->depth--;
    }
}

/* How many bytes of DATA belong to the object that has begun. */
static gsize scan(reply_objects *self, const char *data, gsize length)
{
    gsize used = 0;

    while (used < length) {
        track(self, data[used++]);
        if (self->depth == 0)
            break;
    }
    return used;
}

gboolean reply_objects_feed(reply_objects *self, const char *data, gsize length,
                            reply_object_func func, gpointer user_data, GError **error)
{
    if (!self->text)
        self->text = g_byte_array_new();
    while (length > 0) {
        if (self->depth == 0 && *data != '{') {
            if (!strchr(" \t\r\n", *data) || *data == '\0') {
                g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                                    "podman's stream is not made of JSON objects");
                return FALSE;
            }
            data++;
            length--;
            continue;
        }
        gsize used = scan(self, data, MIN(length, REPLY_OBJECT_MAX - self->text->len + 1));
        g_byte_array_append(self->text, (const guint8 *)data, used);
        if (self->text->len > REPLY_OBJECT_MAX) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                        "podman's stream holds an object of more than %d bytes", REPLY_OBJECT_MAX);
            return FALSE;
        }
        if (self->depth == 0 && !emit(self, func, user_data, error))
            return FALSE;
        data += used;
        length -= used;
    }
    return TRUE;
}

gboolean reply_objects_end(const reply_objects *self, GError **error)
{
    if (self->depth == 0)
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                        "podman's stream ended in the middle of an object");
    return FALSE;
}

void reply_objects_clear(reply_objects *self)
{
    g_clear_pointer(&self->text, g_byte_array_unref);
}
