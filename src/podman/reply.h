/*
 * Parsers for Podman's replies. They work on buffers without I/O, so that the unit tests and the
 * fuzzer call the same functions as the programs. All input is hostile.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Parses a whole reply. NULL with BOX_ERROR_PROTOCOL unless it is exactly one JSON value. */
json_t *reply_parse(const char *data, gsize length, GError **error);
/* The text at KEY of OBJECT; "" when there is none. */
const char *reply_text(const json_t *object, const char *key);

/* The contents of an error reply, not safe to show. Both NULL when it is not Podman's JSON. */
typedef struct {
    char *cause;   /* the root cause, to match on */
    char *message; /* the whole message, to show */
} reply_failure;

/* Podman 4.3 may write two JSON objects for one error; the first one counts. */
void reply_failure_parse(const char *data, gsize length, reply_failure *out);
void reply_failure_clear(reply_failure *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(reply_failure, reply_failure_clear)

/*
 * Sets ERROR from an HTTP error reply. Its code and advice come from a table of
 * Podman's root causes; Podman's own message follows, made safe.
 */
void reply_set_error(long status, const char *body, gsize length, GError **error);
/* The same for the error inside a stream (a build or a pull), which has only a message. */
void reply_set_error_message(const char *message, GError **error);

/* Bytes of one JSON object of a stream: a line of output and its escapes. */
#define REPLY_JSON_MAX (1 << 20)

/* Splits a stream of JSON objects that comes in pieces of any size. */
typedef struct {
    GByteArray *text; /* the object so far */
    int depth;        /* open braces and brackets */
    gboolean in_string, escaped;
} reply_json_stream;

/* Receives one object, which it does not own. FALSE with ERROR ends the stream. */
typedef gboolean (*reply_json_func)(json_t *object, gpointer user_data, GError **error);

/* FALSE with BOX_ERROR_PROTOCOL for other bytes than objects, and above REPLY_JSON_MAX. */
gboolean reply_json_stream_feed(reply_json_stream *self, const char *data, gsize length,
                                reply_json_func func, gpointer user_data, GError **error);
/* FALSE with BOX_ERROR_PROTOCOL when the stream ended inside an object. */
gboolean reply_json_stream_end(const reply_json_stream *self, GError **error);
void reply_json_stream_clear(reply_json_stream *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(reply_json_stream, reply_json_stream_clear)

/* A message of a log is passed on in pieces and never held; this only detects broken headers. */
#define REPLY_LOG_MAX (1u << 30)
/* Bytes of an error message in a log stream, which is held. */
#define REPLY_LOG_ERROR_MAX (64u << 10)

/*
 * Decodes a multiplexed log stream that comes in pieces of any size. Each message is an 8-byte
 * header [stream, 0, 0, 0, big-endian length] and its bytes (Docker Engine API, "attach").
 */
typedef struct {
    guint8 header[8];
    guint header_length;
    guint32 left; /* bytes of this message still to come */
    GString *failure;
} reply_log_stream;

/* Receives a piece of stream 1 (stdout) or 2 (stderr). */
typedef void (*reply_log_func)(int stream, const char *data, gsize length, gpointer user_data);

/* FALSE with BOX_ERROR_PROTOCOL for a broken header; with BOX_ERROR_FAILED for stream 3, which
 * carries an error message of Podman. */
gboolean reply_log_stream_feed(reply_log_stream *self, const char *data, gsize length,
                               reply_log_func func, gpointer user_data, GError **error);
/* FALSE with BOX_ERROR_PROTOCOL when the stream ended inside a message. */
gboolean reply_log_stream_end(const reply_log_stream *self, GError **error);
void reply_log_stream_clear(reply_log_stream *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(reply_log_stream, reply_log_stream_clear)
