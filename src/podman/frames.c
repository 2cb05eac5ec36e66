#include <string.h>

#include "common/error.h"
#include "common/text.h"
#include "podman/reply.h"

enum { STDOUT = 1, STDERR = 2, FAILURE = 3 };

/* Takes the length out of a complete header. */
static gboolean begin(reply_frames *self, GError **error)
{
    const guint8 *h = self->header;
    guint32 length = (guint32)h[4] << 24 | (guint32)h[5] << 16 | (guint32)h[6] << 8 | h[7];
    guint32 ceiling = h[0] == FAILURE ? REPLY_FRAME_ERROR_MAX : REPLY_FRAME_MAX;

    if (h[0] < STDOUT || h[0] > FAILURE || h[1] || h[2] || h[3] || length > ceiling) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman's log stream has a broken frame");
        return FALSE;
    }
    self->left = length;
    return TRUE;
}

/* Collects an error message; FALSE with it once it is whole. */
static gboolean collect(reply_frames *self, const char *data, gsize length, GError **error)
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

gboolean reply_frames_feed(reply_frames *self, const char *data, gsize length,
                           reply_frame_func func, gpointer user_data, GError **error)
{
    while (length > 0) {
        if (self->header_length < sizeof self->header) {
            self->header[self->header_length++] = *data++;
            length--;
            if (self->header_length < sizeof self->header)
                continue;
            if (!begin(self, error))
                return FALSE;
        }
        gsize piece = MIN(length, self->left);
        self->left -= piece;
        if (self->header[0] == FAILURE) {
            if (!collect(self, data, piece, error))
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

gboolean reply_frames_end(const reply_frames *self, GError **error)
{
    if (self->header_length == 0)
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                        "podman's log stream ended in the middle of a frame");
    return FALSE;
}

void reply_frames_clear(reply_frames *self)
{
    if (self->failure)
        g_string_free(self->failure, TRUE);
    self->failure = NULL;
}
