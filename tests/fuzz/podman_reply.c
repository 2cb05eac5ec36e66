/*
 * All parsers of Podman's replies. The first byte of the input is the size of the pieces, the
 * second selects the parser. Each piece is allocated separately, so that reads beyond it are
 * detected.
 */
#include <stdint.h>

#include "podman/image_stream.h"
#include "podman/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_log(int stream_number, const char *data, gsize length, gpointer user_data)
{
    volatile char sink = 0;

    for (gsize i = 0; i < length; i++)
        sink ^= data[i];
    (void)sink;
}

static void ignore_progress(const podman_progress *progress, gpointer user_data)
{
    g_assert(progress->text && progress->step <= progress->steps);
}

static gboolean feed_frames(const char *data, gsize length, gpointer user_data, GError **error)
{
    return reply_log_stream_feed(user_data, data, length, ignore_log, NULL, error);
}

/* Feeds DATA to TAKE in pieces until TAKE returns FALSE. */
static gboolean in_pieces(const char *data, gsize length, gsize piece,
                          gboolean (*take)(const char *, gsize, gpointer, GError **),
                          gpointer user_data, GError **error)
{
    for (gsize at = 0; at < length; at += piece) {
        gsize part = MIN(piece, length - at);
        g_autofree char *copy = g_memdup2(data + at, part);
        if (!take(copy, part, user_data, error))
            return FALSE;
    }
    return TRUE;
}

static void fuzz_stream(const char *data, gsize length, gsize piece)
{
    g_autoptr(GError) error = NULL;
    g_auto(image_stream) state;

    image_stream_init(&state, "begin", ignore_progress, NULL);
    gboolean good = in_pieces(data, length, piece, image_stream_chunk, &state, &error) &&
                    image_stream_end(&state, TRUE, &error);
    g_assert(good == !error && (!good || state.id));
}

static void fuzz_frames(const char *data, gsize length, gsize piece)
{
    g_autoptr(GError) error = NULL;
    g_auto(reply_log_stream) frames = {0};
    gboolean good = in_pieces(data, length, piece, feed_frames, &frames, &error) &&
                    reply_log_stream_end(&frames, &error);

    g_assert(good == !error);
}

static void fuzz_whole(const char *data, gsize length)
{
    g_autoptr(GError) error = NULL, parse_error = NULL;
    g_autofree char *copy = g_memdup2(data, length);
    json_t *value = reply_parse(copy, length, &parse_error);

    g_assert(!value == !!parse_error);
    json_decref(value);
    reply_set_error(500, copy, length, &error);
    g_assert(error);
    for (const char *p = error->message; *p; p++)
        g_assert((guchar)*p >= ' ' && *p != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const char *text = (const char *)data + 2;
    gsize length = size - 2, piece = data[0] ? data[0] : G_MAXINT32;

    switch (data[1] % 3) {
    case 0:
        fuzz_stream(text, length, piece);
        break;
    case 1:
        fuzz_frames(text, length, piece);
        break;
    default:
        fuzz_whole(text, length);
    }
    return 0;
}
