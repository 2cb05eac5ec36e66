#include "podman/image_stream.h"

#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/text.h"

/* An image ID has 64 hex digits, or is abbreviated to 12. */
#define ID_LENGTH 64
#define SHORT_ID_LENGTH 12
/* Bytes of one line in an error's tail. */
#define TAIL_LINE_MAX 300

void image_stream_init(image_stream *self, const char *text, podman_progress_func progress,
                       gpointer user_data)
{
    *self = (image_stream){.progress = progress,
                           .user_data = user_data,
                           .last = g_strdup(text),
                           .line = g_string_new(NULL)};
    self->now = (podman_progress){.text = self->last, .bytes = -1};
    g_queue_init(&self->tail);
}

void image_stream_clear(image_stream *self)
{
    g_free(self->last);
    g_free(self->id);
    g_free(self->failure);
    g_string_free(self->line, TRUE);
    g_queue_clear_full(&self->tail, g_free);
    reply_json_stream_clear(&self->objects);
}

static void report(image_stream *self, gboolean is_repeat)
{
    self->now.is_repeat = is_repeat;
    if (self->progress)
        self->progress(&self->now, self->user_data);
}

/* Parses "STEP 3/9: …", or "[1/2] STEP 3/9: …" of a build with stages. */
static void parse_step(image_stream *self, const char *line)
{
    const char *step = strstr(line, "STEP ");
    int number, of;

    if (!step || (step != line && *line != '['))
        return;
    if (sscanf(step, "STEP %9d/%9d:", &number, &of) == 2 && number > 0 && number <= of) {
        self->now.step = number;
        self->now.steps = of;
    }
}

static gboolean is_id(const char *text, gsize length)
{
    return length >= SHORT_ID_LENGTH && length <= ID_LENGTH &&
           strspn(text, "0123456789abcdef") == length;
}

static void set_id(image_stream *self, const char *id)
{
    const char *digits = g_str_has_prefix(id, "sha256:") ? id + strlen("sha256:") : id;

    if (!is_id(digits, strlen(digits)))
        return;
    g_free(self->id);
    self->id = g_strdup(digits);
}

static void end_line(image_stream *self)
{
    g_autofree char *line = g_strndup(self->line->str, self->line->len);

    g_string_truncate(self->line, 0);
    if (!*g_strchomp(line))
        return;
    g_queue_push_tail(&self->tail, text_safe_max(line, -1, TAIL_LINE_MAX));
    if (g_queue_get_length(&self->tail) > IMAGE_STREAM_TAIL_LINES)
        g_free(g_queue_pop_head(&self->tail));
    parse_step(self, line);
    /* The ID is the last line of a build. Any step may print something that looks like one. */
    g_clear_pointer(&self->id, g_free);
    set_id(self, line);
    g_free(self->last);
    self->last = g_steal_pointer(&line);
    self->now.text = self->last;
    report(self, FALSE);
}

/* Output comes in pieces of lines. A carriage return ends a line too, because programs draw
 * progress bars with it. */
static void add_output(image_stream *self, const char *text, gsize length)
{
    for (gsize i = 0; i < length; i++) {
        if (text[i] == '\n' || text[i] == '\r' || self->line->len >= IMAGE_STREAM_LINE_MAX)
            end_line(self);
        if (text[i] != '\n' && text[i] != '\r')
            g_string_append_c(self->line, text[i] ? text[i] : ' ');
    }
}

static gboolean on_object(json_t *object, gpointer user_data, GError **error)
{
    image_stream *self = user_data;
    json_t *output = json_object_get(object, "stream");
    const char *failure = json_string_value(json_object_get(object, "error"));
    const char *id = json_string_value(json_object_get(object, "id"));

    if (json_is_string(output))
        add_output(self, json_string_value(output), json_string_length(output));
    if (failure && *failure && !self->failure)
        self->failure = g_strdup(failure);
    if (id) {
        add_output(self, "\n", 1);
        set_id(self, id);
    }
    return TRUE;
}

gboolean image_stream_chunk(const char *data, gsize length, gpointer user_data, GError **error)
{
    image_stream *self = user_data;

    return reply_json_stream_feed(&self->objects, data, length, on_object, self, error);
}

void image_stream_tick(gint64 sent, gpointer user_data)
{
    image_stream *self = user_data;

    self->now.bytes = sent > 0 ? sent : -1;
    report(self, TRUE);
}

/* Appends "\n  LINE" to ERROR for each of the last lines. */
static void add_tail(image_stream *self, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (GList *line = self->tail.head; line; line = line->next)
        g_string_append_printf(text, "\n  %s", (char *)line->data);
    if (error && *error) {
        char *longer = g_strconcat((*error)->message, text->str, NULL);
        g_free((*error)->message);
        (*error)->message = longer;
    }
}

gboolean image_stream_end(image_stream *self, gboolean with_output, GError **error)
{
    gboolean whole;

    if (self->line->len > 0)
        end_line(self);
    whole = reply_json_stream_end(&self->objects, error);
    if (whole && self->failure)
        reply_set_error_message(g_strchomp(self->failure), error);
    else if (whole && !self->id)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                            "podman's stream ended without an image ID");
    else if (whole)
        return TRUE;
    if (with_output)
        add_tail(self, error);
    return FALSE;
}
