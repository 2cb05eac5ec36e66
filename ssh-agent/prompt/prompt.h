/*
 * The parts of the prompt's window, and what they share:
 *
 *   window.c           the window: header bar, body, countdown, footer with the buttons, size
 *   body.c             what the question says (proto/question_view.h has order and words)
 *   choices.c          the buttons that allow, and the keys to choose from
 *   password_entry.c   the entry of a password or value
 *   paste.c            reads the clipboard and gives the picture on it
 *   click_guard.c      no approval by accident
 *   main.c             the question from stdin, the answer on stdout
 *   widgets.c          boxes, labels, a scrolled list; theme and colours
 *   picture.c          pictures
 *
 * The texts of a question are harmless (proto/question.h), and shown as they are.
 */
#pragma once

#include <gtk/gtk.h>

#include "proto/question.h"
#include "proto/question_answer.h"

/*
 * click_guard.c: protects the buttons that allow from accidental presses, and from programs that
 * draw and type.
 *
 * Protected widgets are insensitive for CLICK_GUARD_MS after the window appears, after it gets the
 * focus again, after each letter or arrow that no entry takes, after each press in such a time, and
 * while it has no focus: what the user was typing or clicking elsewhere is not an answer, though it
 * may have Tab and Space in it, or go on. They become sensitive after all input that has arrived so
 * far is handled. A press that began in that time never counts, however long it lasts, nor do its
 * key repeats. Events that an X11 client made with XSendEvent are dropped before any widget sees
 * them.
 */

/* Longer than the time between two clicks or keys of somebody who is typing. */
#define CLICK_GUARD_MS 1000

typedef struct click_guard click_guard;

/* Guards WINDOW, which must not be mapped yet. It replaces GDK's event handler, so there can be
 * only one, which lives as long as the process. */
click_guard *click_guard_new(GtkWidget *window);

/* The widget that has the focus at first, and whenever a protected one has to give it up. */
void click_guard_set_fallback(click_guard *self, GtkWidget *fallback);

/* Makes WIDGET, and all in it, insensitive in the times above. */
void click_guard_protect(click_guard *self, GtkWidget *widget);

/* TRUE when a press may count now. Every handler that allows something asks for it. */
gboolean click_guard_accepts(const click_guard *self);

/* Most buttons with a mnemonic, a letter that presses them together with Alt. */
#define PROMPT_MNEMONICS_MAX 32

struct prompt {
    const question *question;
    click_guard *guard;
    char mnemonics[PROMPT_MNEMONICS_MAX]; /* the letters in use */
    gsize mnemonic_count;
    gboolean small; /* the display is small: no ornaments, less space */
};

/* Builds the window for SELF's question, with its click guard, shows it, and starts the countdown.
 * The caller destroys it, which wipes a password. */
GtkWidget *window_show(struct prompt *self);

struct prompt_body {
    GtkWidget *all;      /* scrolls when the display is too low */
    GtkWidget *list;     /* the scrolled list in it that shrinks first; NULL: none */
    GtkWidget *password; /* the password entry; NULL for questions that need none */
};
/* The content between header bar and footer. YES: the button that allows; NULL: none. */
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

/*
 * password_entry.c: the entry of a password, or of the value that a question gives: without echo,
 * with its label and hint. A password is the answer; a value goes to the question's descriptor
 * before the answer is sent, and nowhere else.
 */

/* TRUE when ASKED has one. */
gboolean password_entry_is_wanted(const question *asked);
/* YES sends what was typed. */
GtkWidget *password_entry_new(struct prompt *self, GtkWidget *yes);
/* The widget that gets the focus. */
GtkWidget *password_entry_focus(GtkWidget *password);
/* Enter was pressed. TRUE when it sent what was typed, or would have if the click guard had
 * accepted it; FALSE when nothing was typed, so that Enter refuses as it does elsewhere. */
gboolean password_entry_submit(GtkWidget *password);

/*
 * paste.c: after a yes to a question that gives a picture, reads the clipboard, as PNG, and writes
 * the picture to the question's descriptor before the answer is sent. When there is none to give,
 * the window says why and stays, and nothing is answered: so whoever asks does not learn what is on
 * the clipboard. Only this window can read it on every desktop, as the focus is on it.
 */

/* The line that says what happens to the clipboard, or what is wrong with it. */
GtkWidget *paste_status_new(void);
/* CHOICE was clicked, and stays as long as the process. */
void paste_begin(const question_choice *choice);

/*
 * main.c: the answer, one JSON object, a line, on stdout (proto/question_answer.h). The first
 * answer counts and ends the main loop. The agent takes everything else (no line, another exit
 * status) for a refusal.
 */

/* Longest password in bytes. */
#define ANSWER_PASSWORD_MAX 1024
/* Longest value: a pipe takes it at once (PIPE_BUF), whole or not at all. */
#define ANSWER_VALUE_MAX 4096

/* Sends ANSWER, which is neither a password nor keys. */
void answer_send(enum question_answer answer);
/* Wipes the copy that it makes for writing. */
void answer_send_password(const char *password);
/* IDS: of char *, the chosen keys. */
void answer_send_keys(const GPtrArray *ids);

/* widgets.c: widgets that the parts of the window are made of: boxes, labels, a scrolled list. */

/* CLASS, here and below: of style.css; NULL: none. */
GtkWidget *widgets_box(GtkOrientation orientation, int spacing, const char *class);
void widgets_add_class(GtkWidget *widget, const char *class);
/* Adds CLASS to WIDGET, or removes it. */
void widgets_set_class(GtkWidget *widget, const char *class, gboolean has);
/* What a screen reader says: NAME, and unless NULL the longer DESCRIPTION. */
void widgets_describe(GtkWidget *widget, const char *name, const char *description);

/*
 * Labels: plain text, never markup, never hyphenated, always from the left.
 *
 * text_line() is one line, cut at its end where there is no room. text_block() wraps, on at most
 * LINES lines (0: all). A block takes what width there is and asks for none, so that no text can
 * make the window wider, and GTK does not lay it out for widths that it will never have.
 */
GtkWidget *text_line(const char *text, const char *class);
GtkWidget *text_block(const char *text, const char *class, int lines);

/*
 * A box that scrolls up and down and asks for the height that its content has at its width, within
 * limits. (A GtkScrolledWindow asks for the height at the least width, which is far too much for
 * text that wraps.)
 *
 * Heights are in pixels. CHILD gets at least LEAST, if it needs them, and at most LIMIT. NAME is
 * for screen readers.
 */
GtkWidget *scroll_new(GtkWidget *child, const char *name, int least, int limit);
/* How much scroll_shrink() can take from SCROLL at WIDTH. */
int scroll_spare(GtkWidget *scroll, int width);
/* Reduces the height that SCROLL asks for at WIDTH by EXCESS, down to LEAST. */
void scroll_shrink(GtkWidget *scroll, int width, int excess);

/* picture.c: pictures, drawn in the colour of their style. No icon theme is read, so none can
 * change them. */
enum picture {
    PICTURE_KEY,
    PICTURE_ROOT,
    PICTURE_LOCK,
    PICTURE_KEYS,
    PICTURE_GLOBE,
    PICTURE_CLIPBOARD,
    PICTURE_BOX,
    PICTURE_VERIFIED,
    PICTURE_UNVERIFIED,
    PICTURE_WARNING,
    PICTURE_TOUCH,
};

/* A square widget of SIZE pixels. */
GtkWidget *picture_new(enum picture which, int size, const char *class);

/* The program's icon on a tile of COLOUR (0xRRGGBB). */
GdkPixbuf *picture_icon(guint32 colour, int size);

/*
 * widgets.c: GTK's built-in Adwaita theme, light or dark like the user's theme, or one of the two
 * high contrast themes, with our own rules over it. Other themes and gtk.css are not used, so that
 * nothing can hide a part of the question, and no theme files need to be read.
 */

/* Reads from GTK_THEME whether it is dark. Call it before GTK's variables are removed. */
void style_read_environment(void);

/* Call it after gtk_init(). COLOUR (0xRRGGBB) is the box's. */
void style_apply(guint32 colour);
