#include <gdk/gdkkeysyms.h>

#include "ssh-agent/prompt/prompt.h"

/* In pixels. */
#define WIDTH 600
#define HEIGHT_MAX 800
/* A lower display is a small one, such as half of 1280x720 at scale 2. */
#define SMALL_HEIGHT 480
/* For shadows, the window manager's frame, and a part of the desktop that stays visible. */
#define MARGIN 20

/* Characters that the header bar asks for. */
#define NAME_CHARS 8
#define PHRASE_CHARS 24

/* How often the display is updated, in milliseconds. */
#define UPDATE_INTERVAL_MS 200
/* The last seconds are marked as urgent. */
#define URGENT_SECONDS 10

/* The visible time that is left for an answer. At its end the answer is QUESTION_ANSWER_TIMEOUT. */
typedef struct {
    GtkWidget *bar, *text;
    gint64 begin, length; /* in microseconds */
    gint64 shown;
    guint timer;
} countdown;

static void show_time(countdown *self, gint64 left)
{
    gint64 seconds = (left + G_USEC_PER_SEC - 1) / G_USEC_PER_SEC;

    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->bar), (double)left / self->length);
    if (seconds == self->shown)
        return;
    self->shown = seconds;
    g_autofree char *text = g_strdup_printf(
        "No answer means no: %" G_GINT64_FORMAT ":%02" G_GINT64_FORMAT, seconds / 60, seconds % 60);
    gtk_label_set_text(GTK_LABEL(self->text), text);
    if (seconds <= URGENT_SECONDS) {
        widgets_add_class(self->text, "urgent");
        widgets_add_class(self->bar, "urgent");
    }
}

static gboolean on_update(gpointer data)
{
    countdown *self = data;
    gint64 left = self->begin + self->length - g_get_monotonic_time();

    show_time(self, MAX(left, 0));
    if (left > 0)
        return G_SOURCE_CONTINUE;
    self->timer = 0;
    answer_send(QUESTION_ANSWER_TIMEOUT);
    return G_SOURCE_REMOVE;
}

/* Starts now, and runs for SECONDS. */
static countdown *countdown_new(int seconds)
{
    countdown *self = g_new0(countdown, 1);

    self->begin = g_get_monotonic_time();
    self->length = seconds * G_USEC_PER_SEC;
    self->shown = -1;
    self->bar = g_object_ref_sink(gtk_progress_bar_new());
    self->text = g_object_ref_sink(text_line("", "countdown"));
    widgets_add_class(self->bar, "countdown");
    widgets_describe(self->bar, "Time left", NULL);
    show_time(self, self->length);
    self->timer = g_timeout_add(UPDATE_INTERVAL_MS, on_update, self);
    return self;
}

static void countdown_free(gpointer data)
{
    countdown *self = data;
    if (self->timer)
        g_source_remove(self->timer);
    g_object_unref(self->bar);
    g_object_unref(self->text);
    g_free(self);
}

/* WIDTH: the number of characters that it asks for, however long TEXT is. */
static GtkWidget *new_line(const char *text, const char *class, int width)
{
    GtkWidget *line = text_line(text, class);
    gtk_label_set_max_width_chars(GTK_LABEL(line), width);
    gtk_label_set_ellipsize(GTK_LABEL(line), PANGO_ELLIPSIZE_MIDDLE);
    return line;
}

static GtkWidget *new_names(const question *asked)
{
    GtkWidget *box = widgets_box(GTK_ORIENTATION_VERTICAL, 0, NULL);
    g_autofree char *title =
        asked->box ? g_strdup_printf("Box %s", asked->box) : g_strdup("Litterbox");
    GtkWidget *name = new_line(title, "box-name", NAME_CHARS);

    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    gtk_widget_set_hexpand(box, TRUE);
    gtk_container_add(GTK_CONTAINER(box), name);
    if (asked->project)
        gtk_container_add(GTK_CONTAINER(box), new_line(asked->project, "box-project", NAME_CHARS));
    return box;
}

static void add_phrase(GtkWidget *bar, const char *text)
{
    g_autofree char *spoken = g_strdup_printf("Your phrase: %s", text);
    GtkWidget *phrase = new_line(text, "phrase", PHRASE_CHARS);
    GtkWidget *caption = text_line("Your phrase", "phrase-caption");

    gtk_widget_set_valign(phrase, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(caption, GTK_ALIGN_CENTER);
    widgets_describe(phrase, spoken, "Only this computer's own windows show it");
    gtk_widget_set_tooltip_text(phrase, "A window that a box draws does not know your phrase");
    gtk_container_add(GTK_CONTAINER(bar), caption);
    gtk_container_add(GTK_CONTAINER(bar), phrase);
}

static GtkWidget *new_header(const question *asked)
{
    GtkWidget *bar = widgets_box(GTK_ORIENTATION_HORIZONTAL, 12, "bar");
    GtkWidget *sign = picture_new(PICTURE_BOX, 26, NULL);

    gtk_widget_set_valign(sign, GTK_ALIGN_CENTER);
    gtk_container_add(GTK_CONTAINER(bar), sign);
    gtk_container_add(GTK_CONTAINER(bar), new_names(asked));
    if (asked->phrase)
        add_phrase(bar, asked->phrase);
    return bar;
}

static GdkRectangle area(void)
{
    GdkDisplay *display = gdk_display_get_default();
    GdkMonitor *monitor = gdk_display_get_primary_monitor(display);
    GdkRectangle all = {0, 0, WIDTH + MARGIN, HEIGHT_MAX + MARGIN};

    if (!monitor)
        monitor = gdk_display_get_monitor(display, 0);
    if (monitor)
        gdk_monitor_get_workarea(monitor, &all);
    return all;
}

static gboolean is_small(void)
{
    return area().height < SMALL_HEIGHT;
}

static int height_of(GtkWidget *widget, int width)
{
    int natural;
    gtk_widget_get_preferred_height_for_width(widget, width, NULL, &natural);
    return natural;
}

/* Sets the size of WINDOW, which is not shown yet: WIDTH, and no higher than the display. CONTENT
 * is all of it but the title bar. */
static void fit(GtkWidget *window, GtkWidget *content, const struct prompt_body *body)
{
    GdkRectangle all = area();
    GtkWidget *bar = gtk_window_get_titlebar(GTK_WINDOW(window));
    int width = MIN(WIDTH, all.width - MARGIN), height = MIN(HEIGHT_MAX, all.height - MARGIN);

    gtk_widget_show_all(bar);
    height -= height_of(bar, width);
    int excess = MAX(height_of(content, width) - height, 0);
    /* Where everything must scroll, a list that scrolls by itself would be in the way. */
    gboolean suffices = body->list && excess <= scroll_spare(body->list, width);
    scroll_shrink(suffices ? body->list : body->all, width, excess);
    gtk_widget_set_size_request(content, width, height_of(content, width));
}

static void on_deny(GtkButton *button, gpointer data)
{
    answer_send(QUESTION_ANSWER_DENY);
}

static void on_mute(GtkButton *button, gpointer data)
{
    struct prompt *self = data;
    if (click_guard_accepts(self->guard))
        answer_send(QUESTION_ANSWER_MUTE);
}

static void on_never(GtkButton *button, gpointer data)
{
    struct prompt *self = data;
    if (click_guard_accepts(self->guard))
        answer_send(QUESTION_ANSWER_NEVER);
}

static gboolean on_close(GtkWidget *window, GdkEvent *event, gpointer data)
{
    answer_send(QUESTION_ANSWER_DENY);
    return GDK_EVENT_STOP;
}

/* While the main loop runs, only another program can have destroyed the window. */
static void on_destroy(GtkWidget *window, gpointer data)
{
    if (gtk_main_level() > 0)
        answer_send(QUESTION_ANSWER_DENY);
}

/* Runs before any widget gets the key: Enter refuses, also on a button that allows. It sends what
 * was typed as a password or value, but not on the button that refuses, the window's default. */
static gboolean on_key(GtkWidget *window, GdkEventKey *event, gpointer data)
{
    GtkWidget *password = g_object_get_data(G_OBJECT(window), "password");
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));

    switch (event->keyval) {
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_ISO_Enter:
        if (password && focus != gtk_window_get_default_widget(GTK_WINDOW(window)) &&
            password_entry_submit(password))
            return GDK_EVENT_STOP;
        break;
    case GDK_KEY_Escape:
        break;
    default:
        return GDK_EVENT_PROPAGATE;
    }
    answer_send(QUESTION_ANSWER_DENY);
    return GDK_EVENT_STOP;
}

static GtkWidget *new_deny(struct prompt *self)
{
    const question_traits *kind = question_kind_traits(self->question->kind);
    GtkWidget *deny = choices_button(self, kind->deny, "Enter and Escape do the same");

    /* The button that Enter presses stands out. */
    if (!password_entry_is_wanted(self->question))
        widgets_add_class(deny, "deny");
    g_signal_connect(deny, "clicked", G_CALLBACK(on_deny), self);
    return deny;
}

/* A button that refuses more than this question. */
static GtkWidget *new_refusal(struct prompt *self, const char *text, const char *description,
                              void (*clicked)(GtkButton *button, gpointer data))
{
    GtkWidget *button = choices_button(self, text, description);

    widgets_add_class(button, "flat");
    click_guard_protect(self->guard, button);
    g_signal_connect(button, "clicked", G_CALLBACK(clicked), self);
    return button;
}

/* The button at the end of the footer; NULL when there is no choice that allows once. */
static GtkWidget *new_yes(struct prompt *self)
{
    const question *asked = self->question;
    const question_choice *first = asked->choices->len ? asked->choices->pdata[0] : NULL;
    const question_traits *kind = question_kind_traits(asked->kind);

    if (kind->replies == QUESTION_ANSWER_ONCE && !password_entry_is_wanted(asked))
        return choices_once(self);
    return choices_button(self, first ? first->text : kind->allow, NULL);
}

static GtkWidget *new_footer(struct prompt *self, countdown *left, GtkWidget *deny, GtkWidget *yes)
{
    GtkWidget *footer = widgets_box(GTK_ORIENTATION_HORIZONTAL, 8, "footer");

    gtk_widget_set_hexpand(left->text, TRUE);
    gtk_widget_set_valign(left->text, GTK_ALIGN_CENTER);
    gtk_container_add(GTK_CONTAINER(footer), left->text);
    if (self->question->mute)
        gtk_container_add(GTK_CONTAINER(footer),
                          new_refusal(self, "Deny and mute",
                                      "Also answers this box's next questions with no, for a while",
                                      on_mute));
    if (self->question->never)
        gtk_container_add(GTK_CONTAINER(footer),
                          new_refusal(self, question_answer_button(QUESTION_ANSWER_NEVER),
                                      "Refuses it until you take that back", on_never));
    gtk_container_add(GTK_CONTAINER(footer), deny);
    if (yes) {
        /* The box around it is protected, as the button may be insensitive for other reasons. */
        GtkWidget *around = widgets_box(GTK_ORIENTATION_HORIZONTAL, 0, NULL);
        gtk_container_add(GTK_CONTAINER(around), yes);
        gtk_container_add(GTK_CONTAINER(footer), around);
        click_guard_protect(self->guard, around);
    }
    return footer;
}

static GtkWidget *new_window(const question *asked)
{
    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    g_autofree char *title = asked->box ? g_strdup_printf("Box %s: %s", asked->box, asked->headline)
                                        : g_strdup(asked->headline);
    g_autoptr(GdkPixbuf) icon = picture_icon(asked->colour, 64);

    gtk_window_set_title(GTK_WINDOW(window), title);
    gtk_window_set_icon(GTK_WINDOW(window), icon);
    gtk_window_set_titlebar(GTK_WINDOW(window), new_header(asked));
    gtk_window_set_resizable(GTK_WINDOW(window), FALSE);
    gtk_window_set_position(GTK_WINDOW(window), GTK_WIN_POS_CENTER);
    gtk_window_set_type_hint(GTK_WINDOW(window), GDK_WINDOW_TYPE_HINT_DIALOG);
    gtk_window_set_keep_above(GTK_WINDOW(window), TRUE);
    gtk_window_stick(GTK_WINDOW(window));
    gtk_window_set_urgency_hint(GTK_WINDOW(window), TRUE);
    g_signal_connect(window, "delete-event", G_CALLBACK(on_close), NULL);
    g_signal_connect(window, "destroy", G_CALLBACK(on_destroy), NULL);
    g_signal_connect(window, "key-press-event", G_CALLBACK(on_key), NULL);
    return window;
}

GtkWidget *window_show(struct prompt *self)
{
    countdown *left = countdown_new(self->question->timeout);
    GtkWidget *window = new_window(self->question);
    GtkWidget *all = widgets_box(GTK_ORIENTATION_VERTICAL, 0, NULL);

    self->small = is_small();
    widgets_set_class(window, "small", self->small);
    self->guard = click_guard_new(window);
    GtkWidget *deny = new_deny(self), *yes = new_yes(self);
    struct prompt_body body = body_new(self, yes);
    gtk_container_add(GTK_CONTAINER(all), body.all);
    gtk_container_add(GTK_CONTAINER(all), left->bar);
    gtk_container_add(GTK_CONTAINER(all), new_footer(self, left, deny, yes));
    gtk_container_add(GTK_CONTAINER(window), all);
    g_object_set_data(G_OBJECT(window), "password", body.password);
    g_object_set_data_full(G_OBJECT(window), "countdown", left, countdown_free);
    body_describe(self->question, window);
    GtkWidget *first = body.password ? password_entry_focus(body.password) : deny;
    click_guard_set_fallback(self->guard, first);
    gtk_widget_set_can_default(deny, TRUE);
    gtk_window_set_default(GTK_WINDOW(window), deny);
    gtk_widget_show_all(all);
    fit(window, all, &body);
    gtk_widget_grab_focus(first);
    gtk_window_present(GTK_WINDOW(window));
    return window;
}
