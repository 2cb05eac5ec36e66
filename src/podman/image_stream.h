/*
 * The JSON stream of a build or a pull as progress: lines of output, steps, the ID at the end, the
 * error. All of it is hostile, because a build's programs print what they like.
 */
#pragma once

#include "podman/podman.h"
#include "podman/reply.h"

/* Bytes of one line of output; longer lines are reported in pieces. */
#define IMAGE_STREAM_LINE_MAX (8 << 10)
/* An error repeats this many of the last lines. */
#define IMAGE_STREAM_TAIL_LINES 12

typedef struct {
    podman_progress_func progress; /* may be NULL */
    gpointer user_data;
    podman_progress now; /* the last report; its text is LAST */
    char *last;
    reply_json_stream objects;
    GString *line; /* without its end so far */
    GQueue tail;   /* the last lines, safe to show */
    char *id;      /* the last ID, without "sha256:"; NULL: none yet */
    char *failure; /* the error in the stream, not safe to show; NULL: none */
} image_stream;

/* TEXT is reported until the first line arrives. */
void image_stream_init(image_stream *self, const char *text, podman_progress_func progress,
                       gpointer user_data);
void image_stream_clear(image_stream *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(image_stream, image_stream_clear)

/* An http_chunk_func; USER_DATA is the stream. */
gboolean image_stream_chunk(const char *data, gsize length, gpointer user_data, GError **error);
/* An http_tick_func; USER_DATA is the stream. */
void image_stream_tick(gint64 sent, gpointer user_data);

/* The reply is complete. FALSE with ERROR when it was cut off, contained an error, or named no ID;
 * with WITH_OUTPUT the last lines follow the error. */
gboolean image_stream_end(image_stream *self, gboolean with_output, GError **error);
