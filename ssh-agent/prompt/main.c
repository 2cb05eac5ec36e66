/*
 * litterbox-prompt: asks the user one question in a window of its own. The question comes on stdin,
 * the answer goes to stdout (question.h, answer.h). It holds no key and parses no wire format.
 *
 * Exit status: 0 with an answer; 3 when there is no display; 1 when it could not ask or answer.
 */
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <stdio.h>
#include <unistd.h>

#include "answer.h"
#include "countdown.h"
#include "question.h"
#include "style.h"
#include "surroundings.h"
#include "window.h"

#define NO_DISPLAY 3
/* Seconds beyond a question's timeout after which a window that hangs is ended. */
#define PATIENCE 10

/* Nobody reads the answer any more. */
static gboolean on_asker_gone(int fd, GIOCondition condition, gpointer data)
{
    gtk_main_quit();
    return G_SOURCE_REMOVE;
}

static gboolean start_gtk(void)
{
    style_remember();
    surroundings_clean();
    g_set_prgname("litterbox-prompt");
    g_set_application_name("Litterbox");
    gdk_set_program_class("litterbox-prompt");
    if (!gtk_init_check(NULL, NULL))
        return FALSE;
    /* All our words are English: a window that is turned around would only mix directions. */
    gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR);
    return TRUE;
}

int main(void)
{
    g_autoptr(GError) error = NULL;

    surroundings_harden();
    g_autoptr(question) asked = question_read(STDIN_FILENO, &error);
    if (!asked) {
        fprintf(stderr, "litterbox-prompt: %s\n", error->message);
        return 1;
    }
    alarm(asked->timeout + PATIENCE);
    if (!start_gtk()) {
        fprintf(stderr, "litterbox-prompt: no display that can be reached\n");
        return NO_DISPLAY;
    }
    style_apply(asked->colour);
    prompt self = {.question = asked};
    g_autoptr(countdown) left = countdown_new(asked->timeout);
    GtkWidget *window = window_show(&self, left);
    g_unix_fd_add(STDOUT_FILENO, G_IO_ERR | G_IO_HUP, on_asker_gone, NULL);
    gtk_main();
    gtk_widget_destroy(window);
    return answer_written() ? 0 : 1;
}
