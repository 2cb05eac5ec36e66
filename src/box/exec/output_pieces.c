#include "box/exec/output_pieces.h"

#include <signal.h>
#include <string.h>

#include "sys/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* Each costs far more than its bytes, here and as JSON: a box could have one for each byte. */
#define PIECES_MAX 4096

typedef struct {
    int fd;
    GString *bytes;
} piece;

struct output_pieces {
    GQueue head, tail;
    gsize most;
    gsize head_left; /* room in the head; 0 from then on when something went to the tail */
    gsize tail_length;
    guint64 length, omitted;
    GString *held[2]; /* the beginning of a character, of 1 and 2: its end is to come */
};

static piece *piece_new(int fd)
{
    piece *fresh = g_new(piece, 1);
    *fresh = (piece){fd, g_string_new(NULL)};
    return fresh;
}

static void piece_free(gpointer data)
{
    piece *self = data;
    g_string_free(self->bytes, TRUE);
    g_free(self);
}

output_pieces *output_pieces_new(gsize most)
{
    output_pieces *self = g_new0(output_pieces, 1);
    self->most = most;
    for (int i = 0; i < 2; i++)
        self->held[i] = g_string_new(NULL);
    output_pieces_clear(self);
    return self;
}

/* The beginnings of characters stay. */
void output_pieces_clear(output_pieces *self)
{
    g_queue_clear_full(&self->head, piece_free);
    g_queue_clear_full(&self->tail, piece_free);
    self->head_left = self->most / 2;
    self->tail_length = 0;
    self->length = self->omitted = 0;
}

void output_pieces_free(output_pieces *self)
{
    output_pieces_clear(self);
    for (int i = 0; i < 2; i++)
        g_string_free(self->held[i], TRUE);
    g_free(self);
}

static void append(GQueue *to, int fd, const char *bytes, gsize length)
{
    piece *last = g_queue_peek_tail(to);
    if (length == 0)
        return;
    if (!last || last->fd != fd)
        g_queue_push_tail(to, last = piece_new(fd));
    g_string_append_len(last->bytes, bytes, (gssize)length);
}

/* At, or a little before, the byte AT, so that no character is cut. */
static gsize boundary(const char *bytes, gsize at)
{
    gsize back = at;
    while (back > 0 && at - back < 4 && ((guchar)bytes[back] & 0xc0) == 0x80)
        back--;
    return at - back < 4 ? back : at;
}

/* Drops the oldest of the tail, until it has MOST bytes, in PIECES_MAX / 2 pieces. */
static void shorten(output_pieces *self, gsize most)
{
    while (self->tail_length > most || self->tail.length > PIECES_MAX / 2) {
        piece *first = g_queue_peek_head(&self->tail);
        gsize length = first->bytes->len;
        gsize excess = self->tail_length > most ? self->tail_length - most : length;
        gsize cut = excess < length ? excess : length;
        while (cut < length && ((guchar)first->bytes->str[cut] & 0xc0) == 0x80)
            cut++;
        g_string_erase(first->bytes, 0, (gssize)cut);
        self->tail_length -= cut;
        self->omitted += cut;
        if (cut == length)
            piece_free(g_queue_pop_head(&self->tail));
    }
}

static void keep(output_pieces *self, int fd, const char *bytes, gsize length)
{
    gsize first = length;
    if (self->head.length >= PIECES_MAX)
        self->head_left = 0;
    if (length > self->head_left)
        first = boundary(bytes, self->head_left);
    append(&self->head, fd, bytes, first);
    self->head_left = first < length ? 0 : self->head_left - first;
    append(&self->tail, fd, bytes + first, length - first);
    self->tail_length += length - first;
    /* Seldom, as it moves all that is kept. */
    if (self->tail_length > self->most || self->tail.length > PIECES_MAX)
        shorten(self, self->most / 2);
}

/* How many of the last bytes are a character whose end is missing. */
static gsize unfinished(const char *bytes, gsize length)
{
    for (gsize back = MIN(length, 3); back > 0; back--) {
        if (utf8_length((const guchar *)bytes + length - back, back) == -1)
            return back;
    }
    return 0;
}

void output_pieces_add(output_pieces *self, int fd, const char *bytes, gsize length)
{
    GString *held = self->held[fd == 2];
    self->length += length;
    g_autoptr(GString) whole = held->len ? g_string_new_len(held->str, (gssize)held->len) : NULL;
    if (whole) {
        g_string_append_len(whole, bytes, (gssize)length);
        bytes = whole->str;
        length = whole->len;
    }
    gsize rest = unfinished(bytes, length);
    keep(self, fd, bytes, length - rest);
    g_string_truncate(held, 0);
    g_string_append_len(held, bytes + length - rest, (gssize)rest);
}

guint64 output_pieces_length(const output_pieces *self)
{
    return self->length;
}

guint64 output_pieces_omitted(const output_pieces *self)
{
    gsize most = self->most / 2;
    return self->omitted + (self->tail_length > most ? self->tail_length - most : 0);
}

/* C0 but for tab, line feed and carriage return; DEL; C1. */
static gboolean is_control(const guchar *character)
{
    guchar first = character[0];
    return (first < 0x20 && first != '\t' && first != '\n' && first != '\r') || first == 0x7f ||
           utf8_is_c1(character);
}

json_t *output_text(const char *bytes, gsize length, gboolean plain)
{
    g_autoptr(GString) text = g_string_sized_new(length + 1);
    for (gsize at = 0; at < length;) {
        const guchar *here = (const guchar *)bytes + at;
        int size = utf8_length(here, length - at);
        if (size <= 0 || (plain && is_control(here)))
            g_string_append(text, REPLACEMENT);
        else
            g_string_append_len(text, bytes + at, size);
        at += size > 0 ? (gsize)size : 1;
    }
    return json_stringn(text->str, text->len);
}

static void add_json(json_t *list, int fd, const char *bytes, gsize length, gboolean plain,
                     guint64 omitted)
{
    json_t *one = json_pack("{s:s, s:o}", "stream", fd == 2 ? "stderr" : "stdout", "text",
                            output_text(bytes, length, plain));
    if (omitted)
        json_object_set_new(one, "omitted_before", json_integer((json_int_t)omitted));
    json_array_append_new(list, one);
}

json_t *output_pieces_json(const output_pieces *self, gboolean plain)
{
    json_t *list = json_array();
    guint64 omitted = output_pieces_omitted(self);
    gsize skip = (gsize)(omitted - self->omitted);
    for (const GList *at = self->head.head; at; at = at->next) {
        const piece *one = at->data;
        add_json(list, one->fd, one->bytes->str, one->bytes->len, plain, 0);
    }
    for (const GList *at = self->tail.head; at; at = at->next) {
        const piece *one = at->data;
        gsize from = MIN(skip, one->bytes->len);
        skip -= from;
        if (from == one->bytes->len)
            continue;
        add_json(list, one->fd, one->bytes->str + from, one->bytes->len - from, plain, omitted);
        omitted = 0;
    }
    for (int i = 0; i < 2; i++) {
        if (self->held[i]->len)
            add_json(list, i + 1, self->held[i]->str, self->held[i]->len, plain, 0);
    }
    return list;
}

static json_t *signal_json(const struct client_result *result)
{
    gboolean is_signal = result->outcome == CLIENT_EXITED && result->reason == SESSION_SIGNALLED;
    const char *name = is_signal ? sigabbrev_np(result->status - 128) : NULL;
    return name ? json_sprintf("SIG%s", name) : json_null();
}

json_t *session_json(int status, const struct client_result *result, double duration,
                     const output_pieces *output, gboolean plain)
{
    gboolean timed_out = result->outcome == CLIENT_EXITED && result->reason == SESSION_TIMED_OUT;
    return json_pack("{s:o, s:o, s:b, s:f, s:o, s:b}", "status",
                     status < 0 ? json_null() : json_integer(status), "signal", signal_json(result),
                     "timed_out", timed_out, "duration", (double)(gint64)(duration * 1e6) / 1e6,
                     "output", output_pieces_json(output, plain), "truncated",
                     output_pieces_omitted(output) > 0);
}
