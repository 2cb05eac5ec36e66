/*
 * The stream of JSON objects of a build or a pull, turned into progress: lines, steps, the ID at
 * the end, the error in the middle. All of it is hostile: what runs in a build prints what it
 * likes.
 */
#pragma once

#include "podman/images.h"
#include "podman/reply.h"

/* Ceiling of one line of output: longer ones are shown in pieces. */
#define STREAM_LINE_MAX (8 << 10)
/* How many last lines an error repeats. */
#define STREAM_TAIL_LINES 12

typedef struct {
    podman_progress_func progress; /* may be NULL */
    gpointer user_data;
    podman_progress now; /* what was reported last; its text is LAST */
    char *last;
    reply_objects objects;
    GString *line; /* not yet ended */
    GQueue tail;   /* the last lines, safe to show */
    char *id;      /* the last that was named, without "sha256:"; NULL when none was */
    char *failure; /* the error that came in the stream, not safe to show */
} stream;

/* TEXT is reported until the first line arrives. */
void stream_init(stream *self, const char *text, podman_progress_func progress, gpointer user_data);
void stream_clear(stream *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(stream, stream_clear)

/* A transport_chunk_func; USER_DATA is the stream. */
gboolean stream_chunk(const char *data, gsize length, gpointer user_data, GError **error);
/* A transport_tick_func; USER_DATA is the stream. */
void stream_tick(gint64 sent, gpointer user_data);

/* The reply is complete. FALSE with ERROR when it was cut off, held an error, or named no ID; the
 * last lines then follow the error when WITH_OUTPUT. */
gboolean stream_end(stream *self, gboolean with_output, GError **error);
