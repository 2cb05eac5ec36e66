#include "fit.h"

#include "scroll.h"

#define WIDTH 600
#define HEIGHT_MAX 690
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
    int excess = 0;

    gtk_widget_show_all(bar);
    height -= height_of(bar, width);
    if (flexible) {
        excess = height_of(content, width) - height;
        scroll_shrink(flexible, width, MAX(excess, 0));
    }
    excess = height_of(content, width) - height;
    scroll_shrink(body, width, MAX(excess, 0));
    gtk_widget_set_size_request(content, width, height_of(content, width));
}
