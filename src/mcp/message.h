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

/* Divides what a client sends into lines, whose length is limited. */

/* Longest line: a file that is written, or text that is given to a command, is in one. */
#define LINE_MAX_BYTES ((gsize)8 << 20)

typedef struct {
    GByteArray *bytes; /* NULL: none yet */
    gsize begin;       /* of what has not been taken */
    gsize searched;    /* no line ends between BEGIN and here */
    gboolean skips;    /* in a line that is too long */
} lines;

typedef enum {
    LINE_NONE, /* none is complete */
    LINE_READY,
    LINE_TOO_LONG, /* told once; the line is skipped to its end */
} line_state;

void lines_add(lines *self, const char *bytes, gsize length);
/* The next line, without its end: *LINE is valid until lines_add(). */
line_state lines_next(lines *self, const char **line, gsize *length);
void lines_clear(lines *self);

/* What each result of the protocol's revision 2026-07-28 has. */

/* "name", "title" and "version" of this server; a new object. */
json_t *protocol_server_info(void);
/* RESULT with resultType and the server's identity; the same object. */
json_t *protocol_complete(json_t *result);
/* RESULT with hints for a cache as well. */
json_t *protocol_cacheable(json_t *result);
