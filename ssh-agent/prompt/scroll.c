#include "scroll.h"

#include "widgets.h"

G_DECLARE_FINAL_TYPE(FittingScroll, fitting_scroll, LITTERBOX, FITTING_SCROLL, GtkScrolledWindow)

struct _FittingScroll {
    GtkScrolledWindow parent;
    int least, limit;
};

G_DEFINE_TYPE(FittingScroll, fitting_scroll, GTK_TYPE_SCROLLED_WINDOW)

static GtkSizeRequestMode get_request_mode(GtkWidget *widget)
{
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static int needed(GtkWidget *widget, int width)
{
    GtkWidget *viewport = gtk_bin_get_child(GTK_BIN(widget));
    int natural;

    gtk_widget_get_preferred_height_for_width(gtk_bin_get_child(GTK_BIN(viewport)), width, NULL,
                                              &natural);
    return natural;
}

static void get_preferred_height_for_width(GtkWidget *widget, int width, int *minimum, int *natural)
{
    FittingScroll *self = LITTERBOX_FITTING_SCROLL(widget);
    int height = needed(widget, width);

    *minimum = MIN(height, self->least);
    *natural = MAX(MIN(height, self->limit), *minimum);
}

static void fitting_scroll_init(FittingScroll *self)
{
    GtkScrolledWindow *window = GTK_SCROLLED_WINDOW(self);

    /* "External": a text that cannot be wrapped is cut off, it does not make the window wider. */
    gtk_scrolled_window_set_policy(window, GTK_POLICY_EXTERNAL, GTK_POLICY_AUTOMATIC);
    /* A bar that is always seen says that there is more. */
    gtk_scrolled_window_set_overlay_scrolling(window, FALSE);
}

static void fitting_scroll_class_init(FittingScrollClass *class)
{
    GTK_WIDGET_CLASS(class)->get_request_mode = get_request_mode;
    GTK_WIDGET_CLASS(class)->get_preferred_height_for_width = get_preferred_height_for_width;
}

GtkWidget *scroll_new(GtkWidget *child, const char *name, int least, int limit)
{
    FittingScroll *self = g_object_new(fitting_scroll_get_type(), NULL);

    self->least = least;
    self->limit = limit;
    gtk_container_add(GTK_CONTAINER(self), child);
    /* Or lists that scroll in it would be as low as can be. */
    gtk_scrollable_set_vscroll_policy(GTK_SCROLLABLE(gtk_bin_get_child(GTK_BIN(self))),
                                      GTK_SCROLL_NATURAL);
    widgets_describe(GTK_WIDGET(self), name, NULL);
    return GTK_WIDGET(self);
}

int scroll_spare(GtkWidget *scroll, int width)
{
    FittingScroll *self = LITTERBOX_FITTING_SCROLL(scroll);
    return MAX(MIN(needed(scroll, width), self->limit) - self->least, 0);
}

void scroll_shrink(GtkWidget *scroll, int width, int excess)
{
    FittingScroll *self = LITTERBOX_FITTING_SCROLL(scroll);
    int height = MIN(needed(scroll, width), self->limit);

    self->limit = MAX(height - excess, self->least);
    gtk_widget_queue_resize(scroll);
}
