/*
 * The parts of the prompt's window, and what they share:
 *
 *   window.c           the window: header bar, body, footer with the buttons, size
 *   body.c             what the question says (proto/question_view.h has order and words)
 *   choices.c          the buttons that allow
 *   key_list.c         the keys to choose from
 *   password_entry.c   the entry of a password
 *
 * The texts of a question are harmless (proto/question.h), and shown as they are.
 */
#pragma once

#include "proto/question.h"
#include "ssh-agent/prompt/click_guard.h"
#include "ssh-agent/prompt/countdown.h"

/* Most buttons with a mnemonic, a letter that presses them together with Alt. */
#define PROMPT_MNEMONICS_MAX 32

struct prompt {
    const question *question;
    click_guard *guard;
    char mnemonics[PROMPT_MNEMONICS_MAX]; /* the letters in use */
    gsize mnemonic_count;
    gboolean small; /* the display is: no ornaments, less space between things */
};

/* Builds the window for SELF's question, with its click guard, and shows it. The caller destroys
 * it, which wipes a password. */
GtkWidget *window_show(struct prompt *self, countdown *left);

struct prompt_body {
    GtkWidget *all;      /* scrolls when the display is too low */
    GtkWidget *list;     /* the scrolled list in it that shrinks first; NULL: none */
    GtkWidget *password; /* the password entry; NULL for questions that need none */
};
/* What stands between header bar and buttons. YES: the button that allows; NULL: none. */
struct prompt_body body_new(struct prompt *self, GtkWidget *yes);
/* Sets WINDOW's name and description for screen readers: the whole question. */
void body_describe(const question *asked, GtkWidget *window);

/* The button that allows once, not protected by the click guard yet; NULL when the question has
 * none. */
GtkWidget *choices_once(struct prompt *self);
/* The choices that last longer, protected, in groups of the same scope below its words; NULL when
 * there are none. */
GtkWidget *choices_longer(struct prompt *self);
/* A button TEXT with a mnemonic of its own. DESCRIPTION, for screen readers, may be NULL. */
GtkWidget *choices_button(struct prompt *self, const char *text, const char *description);

/* The list of keys to choose from. YES sends the choice. */
GtkWidget *key_list_new(struct prompt *self, GtkWidget *yes);

/* The password entry with its label and hint. YES sends the password. */
GtkWidget *password_entry_new(struct prompt *self, GtkWidget *yes);
/* The widget that gets the focus. */
GtkWidget *password_entry_focus(GtkWidget *password);
/* Enter was pressed. TRUE when it sent the password, or would have if the click guard had accepted
 * it; FALSE when nothing was typed, so that Enter refuses as it does elsewhere. */
gboolean password_entry_submit(GtkWidget *password);
