#include "ssh-agent/prompt/countdown.h"

#include "ssh-agent/prompt/answer.h"
#include "ssh-agent/prompt/widgets.h"

/* How often the display is updated, in milliseconds. */
#define UPDATE_INTERVAL_MS 200
/* The last seconds are marked as urgent. */
#define URGENT_SECONDS 10

struct countdown {
    GtkWidget *bar, *text;
    gint64 begin, length; /* in microseconds */
    gint64 shown;
    guint timer;
};

static void show(countdown *self, gint64 left)
{
    gint64 seconds = (left + G_USEC_PER_SEC - 1) / G_USEC_PER_SEC;

    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->bar), (double)left / self->length);
    if (seconds == self->shown)
        return;
    self->shown = seconds;
    g_autofree char *text = g_strdup_printf(
        "No answer is a no: %" G_GINT64_FORMAT ":%02" G_GINT64_FORMAT, seconds / 60, seconds % 60);
    gtk_label_set_text(GTK_LABEL(self->text), text);
    if (seconds <= URGENT_SECONDS) {
        widgets_add_class(self->text, "urgent");
        widgets_add_class(self->bar, "urgent");
    }
}

static gboolean on_time(gpointer data)
{
    countdown *self = data;
    gint64 left = self->begin + self->length - g_get_monotonic_time();

    show(self, MAX(left, 0));
    if (left > 0)
        return G_SOURCE_CONTINUE;
    self->timer = 0;
    answer_send(QUESTION_ANSWER_TIMEOUT);
    return G_SOURCE_REMOVE;
}

countdown *countdown_new(int seconds)
{
    countdown *self = g_new0(countdown, 1);

    self->begin = g_get_monotonic_time();
    self->length = seconds * G_USEC_PER_SEC;
    self->shown = -1;
    self->bar = g_object_ref_sink(gtk_progress_bar_new());
    self->text = g_object_ref_sink(text_line("", "countdown"));
    widgets_add_class(self->bar, "countdown");
    widgets_describe(self->bar, "Time left", NULL);
    show(self, self->length);
    self->timer = g_timeout_add(UPDATE_INTERVAL_MS, on_time, self);
    return self;
}

void countdown_free(countdown *self)
{
    if (self->timer)
        g_source_remove(self->timer);
    g_object_unref(self->bar);
    g_object_unref(self->text);
    g_free(self);
}

GtkWidget *countdown_bar(countdown *self)
{
    return self->bar;
}

GtkWidget *countdown_text(countdown *self)
{
    return self->text;
}
