#include "widgets.h"

GtkWidget *widgets_box(GtkOrientation orientation, int spacing, const char *class)
{
    GtkWidget *box = gtk_box_new(orientation, spacing);
    widgets_add_class(box, class);
    return box;
}

void widgets_add_class(GtkWidget *widget, const char *class)
{
    if (class)
        gtk_style_context_add_class(gtk_widget_get_style_context(widget), class);
}

void widgets_set_class(GtkWidget *widget, const char *class, gboolean has)
{
    GtkStyleContext *style = gtk_widget_get_style_context(widget);
    if (has)
        gtk_style_context_add_class(style, class);
    else
        gtk_style_context_remove_class(style, class);
}

void widgets_describe(GtkWidget *widget, const char *name, const char *description)
{
    AtkObject *object = gtk_widget_get_accessible(widget);
    if (name)
        atk_object_set_name(object, name);
    if (description)
        atk_object_set_description(object, description);
}
