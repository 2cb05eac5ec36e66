#include "password.h"

#include "answer.h"
#include "secret.h"
#include "text.h"
#include "widgets.h"

typedef struct {
    prompt *prompt;
    GtkWidget *yes;
    GtkEntry *entry;
    GtkLabel *hint;
} password;

static gboolean is_complete(const password *self)
{
    return *gtk_entry_get_text(self->entry);
}

static void submit(password *self)
{
    if (is_complete(self) && guard_accepts(self->prompt->guard))
        answer_password(gtk_entry_get_text(self->entry));
}

static void on_yes(GtkButton *button, gpointer data)
{
    submit(data);
}

static void refresh(password *self)
{
    GdkKeymap *keymap = gdk_keymap_get_for_display(gdk_display_get_default());
    gboolean wrong = gdk_keymap_get_caps_lock_state(keymap);

    gtk_label_set_text(self->hint, wrong ? "Caps Lock is on"
                                         : "They stay unlocked until you run 'box keys lock'");
    widgets_set_class(GTK_WIDGET(self->hint), "wrong", wrong);
    gtk_widget_set_sensitive(self->yes, is_complete(self));
}

static void on_change(GtkEditable *editable, gpointer data)
{
    refresh(data);
}

static void on_keymap(GdkKeymap *keymap, gpointer grid)
{
    refresh(g_object_get_data(G_OBJECT(grid), "password"));
}

static GtkEntry *add_entry(GtkWidget *grid, password *self)
{
    g_autoptr(GtkEntryBuffer) buffer = secret_new();
    GtkWidget *entry = gtk_entry_new_with_buffer(buffer);
    GtkWidget *label = gtk_label_new_with_mnemonic("_Password");

    gtk_entry_set_visibility(GTK_ENTRY(entry), FALSE);
    gtk_entry_set_input_purpose(GTK_ENTRY(entry), GTK_INPUT_PURPOSE_PASSWORD);
    g_object_set(entry, "caps-lock-warning", FALSE, NULL);
    gtk_widget_set_hexpand(entry, TRUE);
    gtk_label_set_mnemonic_widget(GTK_LABEL(label), entry);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    widgets_add_class(label, "fact-label");
    gtk_grid_attach(GTK_GRID(grid), label, 0, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), entry, 1, 0, 1, 1);
    widgets_describe(entry, "Password", NULL);
    g_signal_connect(entry, "changed", G_CALLBACK(on_change), self);
    return GTK_ENTRY(entry);
}

GtkWidget *password_new(prompt *shared, GtkWidget *yes)
{
    GdkKeymap *keymap = gdk_keymap_get_for_display(gdk_display_get_default());
    password *self = g_new0(password, 1);
    GtkWidget *grid = gtk_grid_new();

    gtk_grid_set_row_spacing(GTK_GRID(grid), 8);
    gtk_grid_set_column_spacing(GTK_GRID(grid), 16);
    self->prompt = shared;
    self->yes = yes;
    self->hint = GTK_LABEL(text_line("", "hint"));
    self->entry = add_entry(grid, self);
    gtk_grid_attach(GTK_GRID(grid), GTK_WIDGET(self->hint), 1, 1, 1, 1);
    g_object_set_data_full(G_OBJECT(grid), "password", self, g_free);
    g_signal_connect(yes, "clicked", G_CALLBACK(on_yes), self);
    g_signal_connect_object(keymap, "state-changed", G_CALLBACK(on_keymap), grid, 0);
    refresh(self);
    return grid;
}

GtkWidget *password_entry(GtkWidget *grid)
{
    password *self = g_object_get_data(G_OBJECT(grid), "password");
    return GTK_WIDGET(self->entry);
}

gboolean password_enter(GtkWidget *grid)
{
    password *self = g_object_get_data(G_OBJECT(grid), "password");

    if (!is_complete(self))
        return FALSE;
    submit(self);
    return TRUE;
}
