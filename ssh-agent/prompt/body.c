#include "body.h"

#include "chain.h"
#include "choices.h"
#include "facts.h"
#include "keys.h"
#include "password.h"
#include "picture.h"
#include "scroll.h"
#include "text.h"
#include "widgets.h"

/* Heights in pixels of what scrolls: never less, and not more even if there is room. */
#define BODY_LEAST 120
#define CLAIMED_LEAST 72
#define CLAIMED_LIMIT 190
#define KEYS_LEAST 100
#define KEYS_LIMIT 300
#define LINES_MAX 3
#define KNOWN_LINES 2

static void add_verdict(GtkWidget *words, const question *asked)
{
    gboolean good = asked->verdict == VERDICT_VERIFIED;
    const char *text = asked->verdict_text, *otherwise = good ? "Verified" : "Not verified";

    if (asked->verdict == VERDICT_NONE) {
        if (text)
            gtk_container_add(GTK_CONTAINER(words), text_block(text, "dim", 2));
        return;
    }
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, 6, good ? "verified" : "unverified");
    GtkWidget *sign = picture_new(good ? PICTURE_GOOD : PICTURE_DOUBT, 16, NULL);
    gtk_widget_set_margin_top(sign, 2); /* the middle of the first line */
    gtk_container_add(GTK_CONTAINER(line), sign);
    gtk_container_add(GTK_CONTAINER(line), text_block(text ? text : otherwise, "verdict", 2));
    gtk_container_add(GTK_CONTAINER(words), line);
}

static GtkWidget *new_emblem(question_kind kind)
{
    static const picture emblems[] = {[QUESTION_SIGN] = PICTURE_KEY,
                                      [QUESTION_SUDO] = PICTURE_ROOT,
                                      [QUESTION_PASSWORD] = PICTURE_LOCK,
                                      [QUESTION_KEYS] = PICTURE_KEYS,
                                      [QUESTION_OPEN] = PICTURE_GLOBE};
    return picture_new(emblems[kind], 48, "emblem");
}

static GtkWidget *new_headline(const prompt *self)
{
    const question *asked = self->question;
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, 14, NULL);
    GtkWidget *words = widgets_box(GTK_ORIENTATION_VERTICAL, 4, NULL);
    GtkWidget *headline = text_block(asked->headline, "headline", LINES_MAX);

    gtk_widget_set_hexpand(words, TRUE);
    gtk_widget_set_valign(words, GTK_ALIGN_CENTER);
    if (!self->small)
        gtk_container_add(GTK_CONTAINER(line), new_emblem(asked->kind));
    gtk_container_add(GTK_CONTAINER(words), headline);
    add_verdict(words, asked);
    gtk_container_add(GTK_CONTAINER(line), words);
    return line;
}

/* A strip with a sign at its left and TEXTS, one below the other. */
static void add_strip(GtkWidget *column, picture sign, const GPtrArray *texts, const char *class,
                      const char *spoken)
{
    GtkWidget *strip = widgets_box(GTK_ORIENTATION_HORIZONTAL, 10, class);
    GtkWidget *lines = widgets_box(GTK_ORIENTATION_VERTICAL, 4, NULL);

    for (guint i = 0; i < texts->len; i++) {
        const char *text = g_ptr_array_index(texts, i);
        GtkWidget *label = text_block(text, NULL, LINES_MAX);
        g_autofree char *name = g_strdup_printf("%s: %s", spoken, text);
        widgets_describe(label, name, NULL);
        gtk_container_add(GTK_CONTAINER(lines), label);
    }
    gtk_container_add(GTK_CONTAINER(strip), picture_new(sign, 18, "sign"));
    gtk_container_add(GTK_CONTAINER(strip), lines);
    gtk_container_add(GTK_CONTAINER(column), strip);
}

static void add_strips(GtkWidget *column, const question *asked)
{
    if (asked->warnings->len)
        add_strip(column, PICTURE_WARNING, asked->warnings, "warning", "Warning");
    if (asked->note) {
        g_autoptr(GPtrArray) notes = g_ptr_array_new();
        g_ptr_array_add(notes, asked->note);
        add_strip(column, PICTURE_HAND, notes, "note", "Note");
    }
}

static GtkWidget *new_section(const char *title, const char *hint, GtkWidget *content)
{
    GtkWidget *section = widgets_box(GTK_ORIENTATION_VERTICAL, 4, NULL);
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, 8, NULL);

    gtk_container_add(GTK_CONTAINER(line), text_line(title, "section"));
    gtk_container_add(GTK_CONTAINER(line), text_line(hint, "section-hint"));
    gtk_container_add(GTK_CONTAINER(section), line);
    gtk_container_add(GTK_CONTAINER(section), content);
    widgets_describe(section, title, hint);
    atk_object_set_role(gtk_widget_get_accessible(section), ATK_ROLE_PANEL);
    return section;
}

static void add_known(GtkWidget *column, const prompt *self)
{
    const question *asked = self->question;
    if (!asked->known->len)
        return;
    GtkWidget *facts = facts_new(self->small),
              *card = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "known");
    facts_add_all(facts, asked->known, "value", KNOWN_LINES);
    gtk_container_add(GTK_CONTAINER(card), facts);
    gtk_container_add(GTK_CONTAINER(column),
                      new_section("Known", "Litterbox has checked this", card));
}

/* What a page's address is, to its last letter. */
static GtkWidget *add_address(GtkWidget *column, const prompt *self)
{
    GtkWidget *card = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "claimed");
    GtkWidget *text = text_block(self->question->address, "code", 0);
    g_autofree char *spoken = g_strdup_printf("Address: %s", self->question->address);
    GtkWidget *inside = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "facts");
    GtkWidget *scroll = scroll_new(inside, "Address", CLAIMED_LEAST, CLAIMED_LIMIT);

    gtk_container_add(GTK_CONTAINER(inside), text);
    widgets_describe(text, spoken, NULL);
    gtk_container_add(GTK_CONTAINER(card), scroll);
    gtk_container_add(GTK_CONTAINER(column),
                      new_section("Address", "Opened exactly as it stands here", card));
    return scroll;
}

/* Returns what scrolls. */
static GtkWidget *add_claimed(GtkWidget *column, const prompt *self)
{
    const question *asked = self->question;
    if (!asked->chain->len && !asked->claimed->len)
        return NULL;
    GtkWidget *facts = facts_new(self->small),
              *card = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "claimed");
    chain_add(facts, asked->chain);
    facts_add_all(facts, asked->claimed, "code", 0);
    GtkWidget *scroll = scroll_new(facts, "Claimed by the box", CLAIMED_LEAST, CLAIMED_LIMIT);
    gtk_container_add(GTK_CONTAINER(card), scroll);
    gtk_container_add(GTK_CONTAINER(column),
                      new_section("Claimed by the box", "It may have made this up", card));
    return scroll;
}

static GtkWidget *add_keys(GtkWidget *column, prompt *self, GtkWidget *yes)
{
    GtkWidget *card = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "known-list");
    GtkWidget *scroll = scroll_new(keys_new(self, yes), "Keys", KEYS_LEAST, KEYS_LIMIT);

    gtk_container_add(GTK_CONTAINER(card), scroll);
    gtk_container_add(GTK_CONTAINER(column), card);
    return scroll;
}

/* The others' only choice is the button at the end. */
static gboolean has_choices(const question *asked)
{
    return asked->kind != QUESTION_PASSWORD && asked->kind != QUESTION_KEYS;
}

body body_new(prompt *self, GtkWidget *yes)
{
    const question *asked = self->question;
    GtkWidget *column = widgets_box(GTK_ORIENTATION_VERTICAL, self->small ? 6 : 14, "question");
    body parts = {0};

    gtk_container_add(GTK_CONTAINER(column), new_headline(self));
    /* First, so that nothing can push it out of sight. */
    add_known(column, self);
    add_strips(column, asked);
    if (asked->kind == QUESTION_KEYS) {
        parts.flexible = add_keys(column, self, yes);
        add_claimed(column, self);
    } else if (asked->kind == QUESTION_OPEN) {
        parts.flexible = add_address(column, self);
        add_claimed(column, self);
    } else {
        parts.flexible = add_claimed(column, self);
    }
    if (asked->kind == QUESTION_PASSWORD) {
        parts.password = password_new(self, yes);
        gtk_container_add(GTK_CONTAINER(column), parts.password);
    }
    GtkWidget *longer = has_choices(asked) ? choices_longer(self) : NULL;
    if (longer)
        gtk_container_add(GTK_CONTAINER(column), longer);
    parts.all = scroll_new(column, "Question", BODY_LEAST, G_MAXINT);
    widgets_add_class(parts.all, "plain-scroll");
    return parts;
}

void body_describe(const question *asked, GtkWidget *window)
{
    GString *text = g_string_new(asked->verdict_text);

    for (guint i = 0; i < asked->warnings->len; i++)
        g_string_append_printf(text, "%sWarning: %s", text->len ? ". " : "",
                               (char *)g_ptr_array_index(asked->warnings, i));
    for (guint i = 0; i < asked->known->len; i++) {
        const question_fact *fact = g_ptr_array_index(asked->known, i);
        g_string_append_printf(text, "%s%s: %s", text->len ? ". " : "", fact->label, fact->value);
    }
    atk_object_set_role(gtk_widget_get_accessible(window), ATK_ROLE_DIALOG);
    widgets_describe(window, gtk_window_get_title(GTK_WINDOW(window)), text->str);
    g_string_free(text, TRUE);
}
