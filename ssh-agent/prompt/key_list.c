#include "ssh-agent/prompt/answer.h"
#include "ssh-agent/prompt/prompt.h"
#include "ssh-agent/prompt/widgets.h"

typedef struct {
    struct prompt *prompt;
    GtkWidget *yes;
    GPtrArray *checks;
} key_list;

static void key_list_free(gpointer data)
{
    key_list *self = data;
    g_ptr_array_unref(self->checks);
    g_free(self);
}

/* The ids of the checked keys, borrowed. */
static GPtrArray *chosen(const key_list *self)
{
    GPtrArray *ids = g_ptr_array_new();
    for (guint i = 0; i < self->checks->len; i++) {
        const question_key *key = g_ptr_array_index(self->prompt->question->keys, i);
        if (gtk_toggle_button_get_active(g_ptr_array_index(self->checks, i)))
            g_ptr_array_add(ids, key->id);
    }
    return ids;
}

static void on_yes(GtkButton *button, gpointer data)
{
    key_list *self = data;
    g_autoptr(GPtrArray) ids = chosen(self);

    if (ids->len && click_guard_accepts(self->prompt->guard))
        answer_send_keys(ids);
}

static void on_toggle(GtkToggleButton *check, gpointer data)
{
    key_list *self = data;
    g_autoptr(GPtrArray) ids = chosen(self);
    gtk_widget_set_sensitive(self->yes, ids->len > 0);
}

static GtkWidget *new_row(const question_key *key)
{
    GtkWidget *check = gtk_check_button_new();
    GtkWidget *text = widgets_box(GTK_ORIENTATION_VERTICAL, 1, NULL);
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, 8, NULL);
    g_autofree char *spoken = g_strdup_printf("%s, %s", key->label, key->type);

    gtk_container_add(GTK_CONTAINER(line), text_block(key->label, "key-name", 2));
    gtk_container_add(GTK_CONTAINER(line), text_line(key->type, "dim"));
    gtk_container_add(GTK_CONTAINER(text), line);
    gtk_container_add(GTK_CONTAINER(text), text_block(key->id, "detail", 2));
    gtk_container_add(GTK_CONTAINER(check), text);
    widgets_add_class(check, "key");
    widgets_describe(check, spoken, key->id);
    return check;
}

GtkWidget *key_list_new(struct prompt *shared, GtkWidget *yes)
{
    key_list *self = g_new0(key_list, 1);
    GtkWidget *list = widgets_box(GTK_ORIENTATION_VERTICAL, 0, NULL);
    const GPtrArray *all = shared->question->keys;

    self->prompt = shared;
    self->yes = yes;
    self->checks = g_ptr_array_new();
    for (guint i = 0; i < all->len; i++) {
        GtkWidget *row = new_row(g_ptr_array_index(all, i));
        g_ptr_array_add(self->checks, row);
        g_signal_connect(row, "toggled", G_CALLBACK(on_toggle), self);
        gtk_container_add(GTK_CONTAINER(list), row);
    }
    g_object_set_data_full(G_OBJECT(list), "keys", self, key_list_free);
    g_signal_connect(yes, "clicked", G_CALLBACK(on_yes), self);
    gtk_widget_set_sensitive(yes, FALSE);
    return list;
}
