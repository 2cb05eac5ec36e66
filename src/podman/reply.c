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

const char *reply_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
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

/*
 * The first row counts whose text is part of the cause; if there is none, the first whose text is
 * part of the message. Texts are lower case, because case is ignored. Podman's wording differs
 * between 4.3 and 6; each text is what all versions share. Specific rows come first.
 */
static const struct {
    const char *text;
    box_error code;
    const char *advice; /* NULL: SUBUID_ADVICE */
} table[] = {
    {"database is locked", BOX_ERROR_BUSY,
     "podman's database is busy with another command; try again"},
    {"database configuration mismatch", BOX_ERROR_FAILED,
     "podman's storage settings do not match its database; undo the change of storage.conf, or "
     "delete the storage with 'podman system reset'"},
    {"subuid", BOX_ERROR_FAILED, NULL},
    {"subgid", BOX_ERROR_FAILED, NULL},
    {"additional uids", BOX_ERROR_FAILED, NULL},
    {"insufficient uids or gids", BOX_ERROR_FAILED, NULL},
    {"no space left on device", BOX_ERROR_FAILED,
     "the disk with podman's storage is full; free some space and try again"},
    {"disk quota exceeded", BOX_ERROR_FAILED,
     "your disk quota is used up; free some space and try again"},
    {"no such container", BOX_ERROR_NOT_FOUND, "there is no such container"},
    {"container not known", BOX_ERROR_NOT_FOUND, "there is no such container"},
    {"image not known", BOX_ERROR_NOT_FOUND, "there is no such image; build it or pull it first"},
    {"no such image", BOX_ERROR_NOT_FOUND, "there is no such image; build it or pull it first"},
    {"no such secret", BOX_ERROR_NOT_FOUND, "podman has no such secret; see 'podman secret ls'"},
    {"no such volume", BOX_ERROR_NOT_FOUND, "there is no such volume"},
    {"network not found", BOX_ERROR_NOT_FOUND, "there is no such network"},
    {"no such exec session", BOX_ERROR_NOT_FOUND, "that session has ended"},
    {"container has already been removed", BOX_ERROR_NOT_FOUND, "the container has been removed"},
    {"that name is already in use", BOX_ERROR_CONFLICT, "another container has that name"},
    {"name is in use", BOX_ERROR_CONFLICT, "another container has that name"},
    {"constraint failed: containerconfig.name", BOX_ERROR_CONFLICT,
     "another container has that name"},
    {"container already exists", BOX_ERROR_CONFLICT, "another container has that name"},
    {"image is in use by a container", BOX_ERROR_CONFLICT,
     "a container still uses the image; remove that one first"},
    {"image used by", BOX_ERROR_CONFLICT,
     "a container still uses the image; remove that one first"},
    {"address already in use", BOX_ERROR_CONFLICT,
     "a program on the host already listens on a port that the box publishes"},
    {"command that was not found", BOX_ERROR_FAILED, "the image does not have that command"},
    {"oci permission denied", BOX_ERROR_FAILED,
     "the command is not executable, or something in the image forbids it"},
    {"runtime permission denied", BOX_ERROR_FAILED,
     "the command is not executable, or something in the image forbids it"},
    {"container state improper", BOX_ERROR_STATE,
     "the container's state does not allow this now (not running, paused, or in between)"},
    {"container is stopped", BOX_ERROR_STATE, "the container is not running"},
    {"container is paused", BOX_ERROR_STATE, "the container is paused"},
    {"short-name", BOX_ERROR_FAILED,
     "write the image's name in full, such as docker.io/library/debian:stable"},
    {"unauthorized", BOX_ERROR_FAILED,
     "the registry refuses access: check the image's name, or log in with 'podman login'"},
    {"manifest unknown", BOX_ERROR_NOT_FOUND,
     "the registry has no such image or tag; check [box] image"},
    {"name unknown", BOX_ERROR_NOT_FOUND, "the registry has no such image; check [box] image"},
    {"toomanyrequests", BOX_ERROR_FAILED,
     "the registry's rate limit is reached; wait, or log in with 'podman login'"},
    {"server gave http response to https client", BOX_ERROR_FAILED,
     "the registry does not use TLS; if that is intended, add a [[registry]] with its location and "
     "insecure = true to ~/.config/containers/registries.conf"},
    {"x509:", BOX_ERROR_FAILED,
     "the registry's certificate is not trusted; add its CA to /etc/containers/certs.d, or check "
     "which server answers"},
    {"no such host", BOX_ERROR_FAILED,
     "the registry's name cannot be resolved; check the name and the network"},
    {"pinging container registry", BOX_ERROR_FAILED,
     "the registry cannot be reached; check the name and the network"},
    {"hybrid mode not supported", BOX_ERROR_FAILED,
     "crun needs cgroup v2; boot with systemd.unified_cgroup_hierarchy=1"},
    {"only available for cgroup v2", BOX_ERROR_FAILED,
     "that needs cgroup v2; boot with systemd.unified_cgroup_hierarchy=1"},
    {"could not find slirp4netns", BOX_ERROR_FAILED, "install slirp4netns"},
    {"could not find pasta", BOX_ERROR_FAILED, "install passt, which contains pasta"},
};

/* For Podman's several messages about missing user IDs. */
#define SUBUID_ADVICE                                                        \
    "rootless podman needs a range of subordinate user IDs: as root, run "   \
    "'usermod --add-subuids 100000-165535 --add-subgids 100000-165535 %s', " \
    "then 'podman system migrate'"

static int find(const char *text)
{
    g_autofree char *lower = text ? g_ascii_strdown(text, -1) : NULL;

    for (gsize i = 0; lower && i < G_N_ELEMENTS(table); i++)
        if (strstr(lower, table[i].text))
            return i;
    return -1;
}

static box_error code_of_status(long status)
{
    switch (status) {
    case 404:
        return BOX_ERROR_NOT_FOUND;
    case 409:
        return BOX_ERROR_CONFLICT;
    default:
        return BOX_ERROR_FAILED;
    }
}

static void set(int row, box_error code, const char *message, GError **error)
{
    g_autofree char *safe = text_safe(message, -1);
    g_autofree char *advice = NULL;

    if (row < 0) {
        g_set_error(error, BOX_ERROR, code, "podman: %s", safe);
        return;
    }
    if (table[row].advice)
        advice = g_strdup(table[row].advice);
    else
        advice = g_strdup_printf(SUBUID_ADVICE, g_get_user_name());
    g_set_error(error, BOX_ERROR, code, "%s (podman: %s)", advice, safe);
}

void reply_set_error(long status, const char *body, gsize length, GError **error)
{
    g_auto(reply_failure) failure = {0};
    const char *message;
    int row;

    reply_failure_parse(body, length, &failure);
    if (!failure.cause && !failure.message) {
        /* Podman's HTTP router answers with plain text when no handler matches. */
        g_autofree char *safe = text_safe_max(body, length, 200);
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                    "podman does not know this call or gives no reason: HTTP %ld '%s'", status,
                    safe);
        return;
    }
    message = failure.message ? failure.message : failure.cause;
    row = find(failure.cause);
    if (row >= 0) {
        set(row, table[row].code, message, error);
        return;
    }
    /* A message may quote names that an image or a box chose, so it decides only the advice. */
    set(find(message), code_of_status(status), message, error);
}

void reply_set_error_message(const char *message, GError **error)
{
    int row = find(message);

    set(row, row < 0 ? BOX_ERROR_FAILED : table[row].code, message, error);
}
