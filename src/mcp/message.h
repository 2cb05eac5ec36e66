/* One message of JSON-RPC 2.0 as MCP has it (specification 2026-07-28, Base Protocol): no batches,
 * and no ID that is null. The sender may be hostile. */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Deepest nesting of arrays and objects. */
#define MESSAGE_DEPTH_MAX 32
/* Longest ID that is text; it is repeated in the answer. */
#define MESSAGE_ID_MAX 256

/* Error codes of JSON-RPC, and of MCP. */
enum {
    MESSAGE_PARSE_ERROR = -32700,
    MESSAGE_INVALID_REQUEST = -32600,
    MESSAGE_METHOD_NOT_FOUND = -32601,
    MESSAGE_INVALID_PARAMS = -32602,
    MESSAGE_UNSUPPORTED_VERSION = -32022,
};

typedef enum {
    MESSAGE_REQUEST,
    MESSAGE_NOTIFICATION,
    MESSAGE_RESPONSE, /* nobody waits for one */
    MESSAGE_WRONG,    /* CODE and WRONG say why */
} message_kind;

typedef struct {
    message_kind kind;
    const char *method;
    json_t *id;     /* NULL: none that could be read */
    json_t *params; /* an object; NULL: none */
    int code;
    const char *wrong;
    json_t *whole; /* owns the others */
} message;

/* Parses LENGTH bytes of TEXT. */
void message_parse(message *self, const char *text, gsize length);
void message_clear(message *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(message, message_clear)

/* Whether ID may be that of a request: a whole number or a short text. */
gboolean message_id_is_valid(const json_t *id);

/* New messages. ID is borrowed, NULL: the request's could not be read. The others are taken over;
 * DATA may be NULL. */
json_t *message_result(json_t *id, json_t *result);
json_t *message_error(json_t *id, int code, const char *text, json_t *data);
json_t *message_notification(const char *method, json_t *params);
