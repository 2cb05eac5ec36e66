#include "facts.h"

#include "text.h"
#include "widgets.h"

#define ROW_GAP 8
#define ROW_GAP_SMALL 4
#define ASIDE_GAP 8
#define COLUMN_GAP 16

GtkWidget *facts_new(gboolean small)
{
    GtkWidget *rows =
        widgets_box(GTK_ORIENTATION_VERTICAL, small ? ROW_GAP_SMALL : ROW_GAP, "facts");
    g_object_set_data_full(G_OBJECT(rows), "labels", gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL),
                           g_object_unref);
    return rows;
}

static GtkWidget *new_text(const char *label, const char *value, const char *class, int lines)
{
    GtkWidget *widget = text_block(value, class, lines);
    g_autofree char *spoken = g_strdup_printf("%s: %s", label, value);

    widgets_describe(widget, spoken, NULL);
    return widget;
}

/* The value, with its aside at the end of the line. */
static GtkWidget *new_value(const question_fact *fact, const char *class, int lines)
{
    GtkWidget *value = new_text(fact->label, fact->value, class, lines);
    if (!fact->aside)
        return value;
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, ASIDE_GAP, NULL);
    gtk_container_add(GTK_CONTAINER(line), value);
    gtk_container_add(GTK_CONTAINER(line), text_line(fact->aside, "dim"));
    return line;
}

void facts_add(GtkWidget *rows, const question_fact *fact, const char *value_class, int lines)
{
    GtkWidget *row = widgets_box(GTK_ORIENTATION_HORIZONTAL, COLUMN_GAP, NULL);
    GtkWidget *name = text_line(fact->label, "fact-label");
    GtkWidget *cell = widgets_box(GTK_ORIENTATION_VERTICAL, 1, NULL);

    gtk_label_set_width_chars(GTK_LABEL(name), 9);
    gtk_label_set_max_width_chars(GTK_LABEL(name), 14);
    gtk_size_group_add_widget(g_object_get_data(G_OBJECT(rows), "labels"), name);
    gtk_container_add(GTK_CONTAINER(cell), new_value(fact, value_class, lines));
    if (fact->detail)
        gtk_container_add(GTK_CONTAINER(cell),
                          new_text(fact->label, fact->detail, "detail", lines ? 1 : 0));
    gtk_container_add(GTK_CONTAINER(row), name);
    gtk_container_add(GTK_CONTAINER(row), cell);
    gtk_container_add(GTK_CONTAINER(rows), row);
}

void facts_add_all(GtkWidget *rows, const GPtrArray *list, const char *value_class, int lines)
{
    for (guint i = 0; i < list->len; i++)
        facts_add(rows, g_ptr_array_index(list, i), value_class, lines);
}
