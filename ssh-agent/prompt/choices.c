#include <string.h>

#include "ssh-agent/prompt/prompt.h"

/* Visible characters of a button's text. The rest is cut; a screen reader says all of it. */
#define BUTTON_CHARS 22
#define BUTTONS_IN_ROW 3

static gboolean is_free(const struct prompt *self, char c)
{
    return g_ascii_isalnum(c) && !memchr(self->mnemonics, g_ascii_tolower(c), self->mnemonic_count);
}

/* The first letters of words are what users look for, so they come first. */
static const char *find_mnemonic(const struct prompt *self, const char *text)
{
    for (const char *p = text; *p; p++) {
        if ((p == text || p[-1] == ' ') && is_free(self, *p))
            return p;
    }
    for (const char *p = text; *p; p++) {
        if (is_free(self, *p))
            return p;
    }
    return NULL;
}

/* A copy of TEXT with "_" before a letter or digit that is not in use yet, if there is one. */
static char *mark_mnemonic(struct prompt *self, const char *text)
{
    const char *at = self->mnemonic_count < PROMPT_MNEMONICS_MAX ? find_mnemonic(self, text) : NULL;
    GString *out = g_string_new(NULL);

    for (const char *p = text; *p; p++) {
        if (p == at)
            g_string_append_c(out, '_');
        g_string_append_c(out, *p);
        if (*p == '_')
            g_string_append_c(out, '_');
    }
    if (at)
        self->mnemonics[self->mnemonic_count++] = g_ascii_tolower(*at);
    return g_string_free(out, FALSE);
}

static void on_click(GtkButton *button, gpointer data)
{
    struct prompt *self = data;
    const question_choice *choice = g_object_get_data(G_OBJECT(button), "choice");

    if (!click_guard_accepts(self->guard))
        return;
    if (question_kind_traits(self->question->kind)->gives == QUESTION_GIVES_PICTURE)
        paste_begin(choice);
    else
        answer_send(choice->answer);
}

GtkWidget *choices_button(struct prompt *self, const char *text, const char *description)
{
    g_autofree char *marked = mark_mnemonic(self, text);
    GtkWidget *button = gtk_button_new_with_mnemonic(marked);
    GtkWidget *label = gtk_bin_get_child(GTK_BIN(button));

    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_label_set_max_width_chars(GTK_LABEL(label), BUTTON_CHARS);
    widgets_describe(button, text, description);
    return button;
}

static GtkWidget *button_for(struct prompt *self, question_choice *choice)
{
    g_autofree char *scope = choice->scope ? g_strdup_printf("Allows: %s", choice->scope) : NULL;
    GtkWidget *button = choices_button(self, choice->text, scope ? scope : "Allows only this");

    g_object_set_data(G_OBJECT(button), "choice", choice);
    g_signal_connect(button, "clicked", G_CALLBACK(on_click), self);
    return button;
}

static const question_choice *find_once(const question *asked)
{
    for (guint i = 0; i < asked->choices->len; i++) {
        const question_choice *choice = g_ptr_array_index(asked->choices, i);
        if (!choice->scope)
            return choice;
    }
    return NULL;
}

GtkWidget *choices_once(struct prompt *self)
{
    const question_choice *once = find_once(self->question);
    return once ? button_for(self, (question_choice *)once) : NULL;
}

static GtkWidget *new_group(const char *scope)
{
    GtkWidget *group = widgets_box(GTK_ORIENTATION_VERTICAL, 6, NULL);
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, 5, NULL);
    GtkWidget *what = text_block(scope ? scope : "this", "scope", 3);

    gtk_widget_set_hexpand(what, TRUE);
    gtk_container_add(GTK_CONTAINER(line), text_line("Or allow", "scope-begin"));
    gtk_container_add(GTK_CONTAINER(line), what);
    gtk_container_add(GTK_CONTAINER(group), line);
    return group;
}

/* Puts BUTTON into the last row of GROUP, or a new one. */
static void add_button(struct prompt *self, GtkWidget *group, GtkWidget *button)
{
    GtkWidget *row = g_object_get_data(G_OBJECT(group), "row");
    g_autoptr(GList) there = row ? gtk_container_get_children(GTK_CONTAINER(row)) : NULL;

    if (!row || g_list_length(there) == BUTTONS_IN_ROW) {
        row = widgets_box(GTK_ORIENTATION_HORIZONTAL, 6, NULL);
        gtk_box_set_homogeneous(GTK_BOX(row), TRUE);
        gtk_container_add(GTK_CONTAINER(group), row);
        g_object_set_data(G_OBJECT(group), "row", row);
        click_guard_protect(self->guard, row);
    }
    gtk_box_pack_start(GTK_BOX(row), button, TRUE, TRUE, 0);
}

GtkWidget *choices_longer(struct prompt *self)
{
    const GPtrArray *all = self->question->choices;
    const question_choice *once = find_once(self->question), *last = NULL;
    GtkWidget *box = NULL, *group = NULL;

    for (guint i = 0; i < all->len; i++) {
        question_choice *choice = g_ptr_array_index(all, i);
        if (choice == once)
            continue;
        if (!box)
            box = widgets_box(GTK_ORIENTATION_VERTICAL, 10, "grants");
        if (!last || g_strcmp0(last->scope, choice->scope) != 0) {
            group = new_group(choice->scope);
            gtk_container_add(GTK_CONTAINER(box), group);
        }
        add_button(self, group, button_for(self, choice));
        last = choice;
    }
    return box;
}

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
