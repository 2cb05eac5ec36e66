/*
 * Podman's answers as hostile bytes: plain parsers over a buffer, without I/O, so that the unit
 * tests and the fuzzer call the very functions that run.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Ceiling of one JSON object of a build's or pull's stream: a line of output, with its escapes. */
#define REPLY_OBJECT_MAX (1 << 20)
/* Ceiling of one log frame, a plausibility check: it is passed on in pieces and never held. */
#define REPLY_FRAME_MAX (1u << 30)
/* Ceiling of a frame that holds an error message, which is held. */
#define REPLY_FRAME_ERROR_MAX (64u << 10)

/* Parses a whole reply. NULL with BOX_ERROR_PROTOCOL unless it is exactly one JSON value. */
json_t *reply_parse(const char *data, gsize length, GError **error);

/* What an error reply says. Not yet safe to show. Both NULL when the body is not Podman's JSON. */
typedef struct {
    char *cause;   /* the root cause, for matching */
    char *message; /* the whole story, for showing */
} reply_failure;

/* Podman 4.3 may write two JSON objects for one error: the first one counts. */
void reply_failure_parse(const char *data, gsize length, reply_failure *out);
void reply_failure_clear(reply_failure *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(reply_failure, reply_failure_clear)

/* Splits a stream of JSON objects, in pieces of any size, with or without space in between. */
typedef struct {
    GByteArray *text; /* the object so far */
    int depth;        /* open braces and brackets */
    gboolean in_string, escaped;
} reply_objects;

/* Takes one object (borrowed). FALSE with ERROR ends the stream. */
typedef gboolean (*reply_object_func)(json_t *object, gpointer user_data, GError **error);

/* FALSE with BOX_ERROR_PROTOCOL for what is no object or is over the ceiling. */
gboolean reply_objects_feed(reply_objects *self, const char *data, gsize length,
                            reply_object_func func, gpointer user_data, GError **error);
/* FALSE with BOX_ERROR_PROTOCOL when the stream ended inside an object. */
gboolean reply_objects_end(const reply_objects *self, GError **error);
void reply_objects_clear(reply_objects *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(reply_objects, reply_objects_clear)

/* Decodes log frames, in pieces of any size: [stream, 0, 0, 0, big-endian length], bytes. */
typedef struct {
    guint8 header[8];
    guint header_length;
    guint32 left; /* bytes of this frame still to come */
    GString *failure;
} reply_frames;

/* Takes a piece of stream 1 or 2. */
typedef void (*reply_frame_func)(int stream, const char *data, gsize length, gpointer user_data);

/* FALSE with BOX_ERROR_PROTOCOL for a broken header; with BOX_ERROR_FAILED for Podman's stream 3,
 * which carries an error message. */
gboolean reply_frames_feed(reply_frames *self, const char *data, gsize length,
                           reply_frame_func func, gpointer user_data, GError **error);
gboolean reply_frames_end(const reply_frames *self, GError **error);
void reply_frames_clear(reply_frames *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(reply_frames, reply_frames_clear)
