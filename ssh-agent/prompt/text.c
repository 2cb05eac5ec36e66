#include "text.h"

#include "widgets.h"

#define LEFT_TO_RIGHT_MARK "\xe2\x80\x8e"
/* Pixels that a block asks for. */
#define BLOCK_WIDTH 80

G_DECLARE_FINAL_TYPE(TextBlock, text_block, LITTERBOX, TEXT_BLOCK, GtkLabel)

struct _TextBlock {
    GtkLabel parent;
};

G_DEFINE_TYPE(TextBlock, text_block, GTK_TYPE_LABEL)

static void get_preferred_width(GtkWidget *widget, int *minimum, int *natural)
{
    *minimum = *natural = BLOCK_WIDTH;
}

static void text_block_init(TextBlock *self)
{
}

static void text_block_class_init(TextBlockClass *class)
{
    GTK_WIDGET_CLASS(class)->get_preferred_width = get_preferred_width;
}

/* The blocks that Unicode keeps for scripts that run from right to left. */
static gboolean has_right_to_left(const char *text)
{
    for (; *text; text = g_utf8_next_char(text)) {
        gunichar c = g_utf8_get_char(text);
        if ((c >= 0x0590 && c <= 0x08FF) || (c >= 0xFB1D && c <= 0xFDFF) ||
            (c >= 0xFE70 && c <= 0xFEFF) || (c >= 0x10800 && c <= 0x10FFF) ||
            (c >= 0x1E800 && c <= 0x1EFFF))
            return TRUE;
    }
    return FALSE;
}

static GtkWidget *prepare(GtkWidget *widget, const char *text, const char *class)
{
    GtkLabel *label = GTK_LABEL(widget);
    PangoAttrList *attributes = pango_attr_list_new();
    /* A text that begins in Hebrew or Arabic would turn its whole line around. */
    const char *mark = has_right_to_left(text) ? LEFT_TO_RIGHT_MARK : "";
    g_autofree char *straight = g_strconcat(mark, text, NULL);

    gtk_label_set_text(label, straight);
    gtk_label_set_xalign(label, 0);
    gtk_label_set_yalign(label, 0);
    gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_END);
    /* A hyphen at the end of a line would look like part of the text. */
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(FALSE));
    gtk_label_set_attributes(label, attributes);
    pango_attr_list_unref(attributes);
    widgets_add_class(widget, class);
    return widget;
}

GtkWidget *text_line(const char *text, const char *class)
{
    return prepare(gtk_label_new(NULL), text, class);
}

GtkWidget *text_block(const char *text, const char *class, int lines)
{
    GtkWidget *block = prepare(g_object_new(text_block_get_type(), NULL), text, class);
    GtkLabel *label = GTK_LABEL(block);

    gtk_label_set_line_wrap(label, TRUE);
    gtk_label_set_line_wrap_mode(label, PANGO_WRAP_WORD_CHAR);
    gtk_widget_set_hexpand(block, TRUE);
    if (lines)
        gtk_label_set_lines(label, lines);
    else
        gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_NONE);
    return block;
}
