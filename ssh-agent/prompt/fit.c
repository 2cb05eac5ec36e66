#include "fit.h"

#include "scroll.h"

#define WIDTH 600
#define HEIGHT_MAX 800
/* A display that is lower is a small one: half of 1280x720, say, at twice the scale. */
#define SMALL_HEIGHT 480
/* For shadows, a window manager's frame and the last bit of desktop. */
#define MARGIN 20

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

gboolean fit_is_small(void)
{
    return area().height < SMALL_HEIGHT;
}

static int height_of(GtkWidget *widget, int width)
{
    int natural;
    gtk_widget_get_preferred_height_for_width(widget, width, NULL, &natural);
    return natural;
}

void fit(GtkWidget *window, GtkWidget *content, GtkWidget *body, GtkWidget *flexible)
{
    GdkRectangle all = area();
    GtkWidget *bar = gtk_window_get_titlebar(GTK_WINDOW(window));
    int width = MIN(WIDTH, all.width - MARGIN), height = MIN(HEIGHT_MAX, all.height - MARGIN);

    gtk_widget_show_all(bar);
    height -= height_of(bar, width);
    int excess = MAX(height_of(content, width) - height, 0);
    /* Where all has to scroll anyway, a list that scrolls by itself would only be in the way. */
    gboolean suffices = flexible && excess <= scroll_spare(flexible, width);
    scroll_shrink(suffices ? flexible : body, width, excess);
    gtk_widget_set_size_request(content, width, height_of(content, width));
}
