#include "window.h"

#include <gdk/gdkkeysyms.h>

#include "answer.h"
#include "body.h"
#include "choices.h"
#include "fit.h"
#include "header.h"
#include "keys.h"
#include "password.h"
#include "picture.h"
#include "widgets.h"

static void on_deny(GtkButton *button, gpointer data)
{
    answer_word("deny");
}

static void on_mute(GtkButton *button, gpointer data)
{
    prompt *self = data;
    if (guard_accepts(self->guard))
        answer_word("mute");
}

static gboolean on_close(GtkWidget *window, GdkEvent *event, gpointer data)
{
    answer_word("deny");
    return GDK_EVENT_STOP;
}

/* Somebody else has destroyed it, if it was not the program's own end. */
static void on_destroy(GtkWidget *window, gpointer data)
{
    if (gtk_main_level() > 0)
        answer_word("deny");
}

/* Before any widget gets the key: Enter on a button that allows is a no as well. */
static gboolean on_key(GtkWidget *window, GdkEventKey *event, gpointer data)
{
    GtkWidget *password = g_object_get_data(G_OBJECT(window), "password");

    switch (event->keyval) {
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_ISO_Enter:
        if (password && password_enter(password))
            return GDK_EVENT_STOP;
        break;
    case GDK_KEY_Escape:
        break;
    default:
        return GDK_EVENT_PROPAGATE;
    }
    answer_word("deny");
    return GDK_EVENT_STOP;
}

static GtkWidget *new_deny(prompt *self)
{
    static const char *const words[] = {[QUESTION_SIGN] = "Deny",
                                        [QUESTION_SUDO] = "Deny",
                                        [QUESTION_PASSWORD] = "Cancel",
                                        [QUESTION_KEYS] = "No keys",
                                        [QUESTION_OPEN] = "Deny"};
    GtkWidget *deny =
        choices_button(self, words[self->question->kind], "Enter and Escape do the same");

    /* What stands out is what Enter does. */
    if (self->question->kind != QUESTION_PASSWORD)
        widgets_add_class(deny, "deny");
    g_signal_connect(deny, "clicked", G_CALLBACK(on_deny), self);
    return deny;
}

static GtkWidget *new_mute(prompt *self)
{
    GtkWidget *mute = choices_button(self, "Deny and mute",
                                     "Also answers this box's next questions with no, for a while");

    widgets_add_class(mute, "flat");
    guard_fence(self->guard, mute);
    g_signal_connect(mute, "clicked", G_CALLBACK(on_mute), self);
    return mute;
}

/* The button at the end of the footer; NULL when nothing is allowed once. */
static GtkWidget *new_yes(prompt *self)
{
    const question *asked = self->question;
    const question_choice *first = asked->choices->len ? asked->choices->pdata[0] : NULL;

    if (asked->kind == QUESTION_KEYS)
        return choices_button(self, first ? first->text : "Attach", NULL);
    if (asked->kind == QUESTION_PASSWORD)
        return choices_button(self, first ? first->text : "Unlock", NULL);
    return choices_once(self);
}

static GtkWidget *new_footer(prompt *self, countdown *left, GtkWidget *deny, GtkWidget *yes)
{
    GtkWidget *footer = widgets_box(GTK_ORIENTATION_HORIZONTAL, 8, "footer");
    GtkWidget *text = countdown_text(left);

    gtk_widget_set_hexpand(text, TRUE);
    gtk_widget_set_valign(text, GTK_ALIGN_CENTER);
    gtk_container_add(GTK_CONTAINER(footer), text);
    if (self->question->mute)
        gtk_container_add(GTK_CONTAINER(footer), new_mute(self));
    gtk_container_add(GTK_CONTAINER(footer), deny);
    if (yes) {
        /* A box around it is fenced, as the button may be insensitive for reasons of its own. */
        GtkWidget *fenced = widgets_box(GTK_ORIENTATION_HORIZONTAL, 0, NULL);
        gtk_container_add(GTK_CONTAINER(fenced), yes);
        gtk_container_add(GTK_CONTAINER(footer), fenced);
        guard_fence(self->guard, fenced);
    }
    return footer;
}

static GtkWidget *new_window(const question *asked)
{
    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    g_autofree char *title = asked->box ? g_strdup_printf("Box %s: %s", asked->box, asked->headline)
                                        : g_strdup(asked->headline);
    g_autoptr(GdkPixbuf) icon = picture_icon(asked->colour, 64);

    gtk_window_set_title(GTK_WINDOW(window), title);
    gtk_window_set_icon(GTK_WINDOW(window), icon);
    gtk_window_set_titlebar(GTK_WINDOW(window), header_new(asked));
    gtk_window_set_resizable(GTK_WINDOW(window), FALSE);
    gtk_window_set_position(GTK_WINDOW(window), GTK_WIN_POS_CENTER);
    gtk_window_set_type_hint(GTK_WINDOW(window), GDK_WINDOW_TYPE_HINT_DIALOG);
    gtk_window_set_keep_above(GTK_WINDOW(window), TRUE);
    gtk_window_stick(GTK_WINDOW(window));
    gtk_window_set_urgency_hint(GTK_WINDOW(window), TRUE);
    g_signal_connect(window, "delete-event", G_CALLBACK(on_close), NULL);
    g_signal_connect(window, "destroy", G_CALLBACK(on_destroy), NULL);
    g_signal_connect(window, "key-press-event", G_CALLBACK(on_key), NULL);
    return window;
}

GtkWidget *window_show(prompt *self, countdown *left)
{
    GtkWidget *window = new_window(self->question);
    GtkWidget *all = widgets_box(GTK_ORIENTATION_VERTICAL, 0, NULL);

    self->small = fit_is_small();
    widgets_set_class(window, "small", self->small);
    self->guard = guard_new(window);
    GtkWidget *deny = new_deny(self), *yes = new_yes(self);
    body parts = body_new(self, yes);
    gtk_container_add(GTK_CONTAINER(all), parts.all);
    gtk_container_add(GTK_CONTAINER(all), countdown_bar(left));
    gtk_container_add(GTK_CONTAINER(all), new_footer(self, left, deny, yes));
    gtk_container_add(GTK_CONTAINER(window), all);
    g_object_set_data(G_OBJECT(window), "password", parts.password);
    body_describe(self->question, window);
    GtkWidget *first = parts.password ? password_entry(parts.password) : deny;
    guard_set_retreat(self->guard, first);
    gtk_widget_set_can_default(deny, TRUE);
    gtk_window_set_default(GTK_WINDOW(window), deny);
    gtk_widget_show_all(all);
    fit(window, all, parts.all, parts.flexible);
    gtk_widget_grab_focus(first);
    gtk_window_present(GTK_WINDOW(window));
    return window;
}
