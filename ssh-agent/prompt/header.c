#include "header.h"

#include "picture.h"
#include "text.h"
#include "widgets.h"

#define NAME_CHARS 8
#define PHRASE_CHARS 24

/* WIDTH: characters that it asks for, however long it is. */
static GtkWidget *new_line(const char *text, const char *class, int width)
{
    GtkWidget *line = text_line(text, class);
    gtk_label_set_max_width_chars(GTK_LABEL(line), width);
    gtk_label_set_ellipsize(GTK_LABEL(line), PANGO_ELLIPSIZE_MIDDLE);
    return line;
}

static GtkWidget *names(const question *asked)
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

GtkWidget *header_new(const question *asked)
{
    GtkWidget *bar = widgets_box(GTK_ORIENTATION_HORIZONTAL, 12, "bar");
    GtkWidget *sign = picture_new(PICTURE_BOX, 26, NULL);

    gtk_widget_set_valign(sign, GTK_ALIGN_CENTER);
    gtk_container_add(GTK_CONTAINER(bar), sign);
    gtk_container_add(GTK_CONTAINER(bar), names(asked));
    if (asked->phrase)
        add_phrase(bar, asked->phrase);
    return bar;
}
