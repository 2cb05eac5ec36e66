#include "proto/question_view.h"
#include "ssh-agent/prompt/prompt.h"

/* Least and greatest heights of scrolled lists, in pixels. */
#define BODY_LEAST 120
#define CLAIMED_LEAST 72
#define CLAIMED_LIMIT 190
#define KEYS_LEAST 100
#define KEYS_LIMIT 300
/* Most lines of a headline or warning, and of a known fact. */
#define LINES_MAX 3
#define KNOWN_LINES 2

/* Between facts, in pixels. */
#define ROW_GAP 8
#define ROW_GAP_SMALL 4
#define ASIDE_GAP 8
#define COLUMN_GAP 16

/* An empty list of rows, whose labels get the same width. */
static GtkWidget *new_facts(gboolean small)
{
    GtkWidget *rows =
        widgets_box(GTK_ORIENTATION_VERTICAL, small ? ROW_GAP_SMALL : ROW_GAP, "facts");
    g_object_set_data_full(G_OBJECT(rows), "labels", gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL),
                           g_object_unref);
    return rows;
}

static GtkWidget *new_fact_text(const char *label, const char *value, const char *class, int lines)
{
    GtkWidget *widget = text_block(value, class, lines);
    g_autofree char *spoken = g_strdup_printf("%s: %s", label, value);

    widgets_describe(widget, spoken, NULL);
    return widget;
}

/* The value, with its aside at the end of the line. */
static GtkWidget *new_value(const question_fact *fact, const char *class, int lines)
{
    GtkWidget *value = new_fact_text(fact->label, fact->value, class, lines);
    if (!fact->aside)
        return value;
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, ASIDE_GAP, NULL);
    gtk_container_add(GTK_CONTAINER(line), value);
    gtk_container_add(GTK_CONTAINER(line), text_line(fact->aside, "dim"));
    return line;
}

/* Adds a row: the label, the value on LINES lines at most (0: all), the detail below it. */
static void add_fact(GtkWidget *rows, const question_fact *fact, const char *value_class, int lines)
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
                          new_fact_text(fact->label, fact->detail, "detail", lines ? 1 : 0));
    gtk_container_add(GTK_CONTAINER(row), name);
    gtk_container_add(GTK_CONTAINER(row), cell);
    gtk_container_add(GTK_CONTAINER(rows), row);
}

static void add_facts(GtkWidget *rows, const GPtrArray *list, const char *value_class, int lines)
{
    for (guint i = 0; i < list->len; i++)
        add_fact(rows, g_ptr_array_index(list, i), value_class, lines);
}

static void add_verdict(GtkWidget *words, const question *asked)
{
    gboolean good = asked->verdict == QUESTION_VERDICT_VERIFIED;
    const char *text = asked->verdict_text, *label = question_verdict_label(asked);

    if (!label) {
        if (text)
            gtk_container_add(GTK_CONTAINER(words), text_block(text, "dim", 2));
        return;
    }
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, 6, good ? "verified" : "unverified");
    GtkWidget *sign = picture_new(good ? PICTURE_VERIFIED : PICTURE_UNVERIFIED, 16, NULL);
    gtk_widget_set_margin_top(sign, 2); /* the middle of the first line */
    gtk_container_add(GTK_CONTAINER(line), sign);
    gtk_container_add(GTK_CONTAINER(line), text_block(text ? text : label, "verdict", 2));
    gtk_container_add(GTK_CONTAINER(words), line);
}

static GtkWidget *new_emblem(enum question_kind kind)
{
    static const enum picture emblems[] = {
        [QUESTION_EMBLEM_KEY] = PICTURE_KEY,     [QUESTION_EMBLEM_ROOT] = PICTURE_ROOT,
        [QUESTION_EMBLEM_LOCK] = PICTURE_LOCK,   [QUESTION_EMBLEM_KEYS] = PICTURE_KEYS,
        [QUESTION_EMBLEM_GLOBE] = PICTURE_GLOBE, [QUESTION_EMBLEM_CLIPBOARD] = PICTURE_CLIPBOARD,
    };
    G_STATIC_ASSERT(G_N_ELEMENTS(emblems) == QUESTION_EMBLEM_COUNT);
    return picture_new(emblems[question_kind_traits(kind)->emblem], 48, "emblem");
}

static GtkWidget *new_headline(const struct prompt *self)
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

/* A strip with a sign at its left and the facts' values, one below the other. */
static void add_strip(GtkWidget *column, enum picture sign, const question_section *section,
                      const char *class)
{
    GtkWidget *strip = widgets_box(GTK_ORIENTATION_HORIZONTAL, 10, class);
    GtkWidget *lines = widgets_box(GTK_ORIENTATION_VERTICAL, 4, NULL);

    for (guint i = 0; i < section->facts->len; i++) {
        const question_fact *fact = section->facts->pdata[i];
        GtkWidget *text = text_block(fact->value, NULL, LINES_MAX);
        g_autofree char *spoken = g_strdup_printf("%s: %s", fact->label, fact->value);
        widgets_describe(text, spoken, NULL);
        gtk_container_add(GTK_CONTAINER(lines), text);
    }
    gtk_container_add(GTK_CONTAINER(strip), picture_new(sign, 18, "sign"));
    gtk_container_add(GTK_CONTAINER(strip), lines);
    gtk_container_add(GTK_CONTAINER(column), strip);
}

/* CONTENT below its title, which a screen reader announces as a panel. */
static void add_section(GtkWidget *column, const question_section *section, GtkWidget *content)
{
    GtkWidget *panel = widgets_box(GTK_ORIENTATION_VERTICAL, 4, NULL);
    GtkWidget *line = widgets_box(GTK_ORIENTATION_HORIZONTAL, 8, NULL);

    gtk_container_add(GTK_CONTAINER(line), text_line(section->title, "section"));
    gtk_container_add(GTK_CONTAINER(line), text_line(section->hint, "section-hint"));
    gtk_container_add(GTK_CONTAINER(panel), line);
    gtk_container_add(GTK_CONTAINER(panel), content);
    widgets_describe(panel, section->title, section->hint);
    atk_object_set_role(gtk_widget_get_accessible(panel), ATK_ROLE_PANEL);
    gtk_container_add(GTK_CONTAINER(column), panel);
}

static void add_known(GtkWidget *column, const question_section *section, const struct prompt *self)
{
    GtkWidget *facts = new_facts(self->small);
    GtkWidget *card = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "known");
    add_facts(facts, section->facts, "value", KNOWN_LINES);
    gtk_container_add(GTK_CONTAINER(card), facts);
    add_section(column, section, card);
}

/* Returns the scrolled list. */
static GtkWidget *add_address(GtkWidget *column, const question_section *section)
{
    const question_fact *address = section->facts->pdata[0];
    GtkWidget *card = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "claimed");
    GtkWidget *text = text_block(address->value, "code", 0);
    g_autofree char *spoken = g_strdup_printf("%s: %s", address->label, address->value);
    GtkWidget *inside = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "facts");
    GtkWidget *scroll = scroll_new(inside, section->title, CLAIMED_LEAST, CLAIMED_LIMIT);

    gtk_container_add(GTK_CONTAINER(inside), text);
    widgets_describe(text, spoken, NULL);
    gtk_container_add(GTK_CONTAINER(card), scroll);
    add_section(column, section, card);
    return scroll;
}

/* Returns the scrolled list. */
static GtkWidget *add_claimed(GtkWidget *column, const question_section *section,
                              const struct prompt *self)
{
    GtkWidget *facts = new_facts(self->small);
    GtkWidget *card = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "claimed");
    add_facts(facts, section->facts, "code", 0);
    GtkWidget *scroll = scroll_new(facts, section->title, CLAIMED_LEAST, CLAIMED_LIMIT);
    gtk_container_add(GTK_CONTAINER(card), scroll);
    add_section(column, section, card);
    return scroll;
}

/* Returns the scrolled list. */
static GtkWidget *add_keys(GtkWidget *column, const question_section *section, struct prompt *self,
                           GtkWidget *yes)
{
    GtkWidget *card = widgets_box(GTK_ORIENTATION_VERTICAL, 0, "known-list");
    GtkWidget *scroll = scroll_new(key_list_new(self, yes), section->title, KEYS_LEAST, KEYS_LIMIT);

    gtk_container_add(GTK_CONTAINER(card), scroll);
    gtk_container_add(GTK_CONTAINER(column), card);
    return scroll;
}

/* Adds all sections. Returns the first scrolled list in them; NULL: none. */
static GtkWidget *add_sections(GtkWidget *column, struct prompt *self, GtkWidget *yes)
{
    g_autoptr(GPtrArray) sections = question_sections(self->question);
    GtkWidget *list = NULL;
    for (guint i = 0; i < sections->len; i++) {
        const question_section *section = sections->pdata[i];
        GtkWidget *scroll = NULL;
        switch (section->type) {
        case QUESTION_SECTION_KNOWN:
            add_known(column, section, self);
            break;
        case QUESTION_SECTION_WARNINGS:
            add_strip(column, PICTURE_WARNING, section, "warning");
            break;
        case QUESTION_SECTION_NOTE:
            add_strip(column, PICTURE_TOUCH, section, "note");
            break;
        case QUESTION_SECTION_KEYS:
            scroll = add_keys(column, section, self, yes);
            break;
        case QUESTION_SECTION_ADDRESS:
            scroll = add_address(column, section);
            break;
        case QUESTION_SECTION_CLAIMED:
            scroll = add_claimed(column, section, self);
            break;
        }
        list = list ? list : scroll;
    }
    return list;
}

struct prompt_body body_new(struct prompt *self, GtkWidget *yes)
{
    enum question_answer replies = question_kind_traits(self->question->kind)->replies;
    GtkWidget *column = widgets_box(GTK_ORIENTATION_VERTICAL, self->small ? 6 : 14, "question");
    struct prompt_body parts = {0};

    gtk_container_add(GTK_CONTAINER(column), new_headline(self));
    if (question_kind_traits(self->question->kind)->gives == QUESTION_GIVES_PICTURE)
        gtk_container_add(GTK_CONTAINER(column), paste_status_new());
    parts.list = add_sections(column, self, yes);
    if (password_entry_is_wanted(self->question)) {
        parts.password = password_entry_new(self, yes);
        gtk_container_add(GTK_CONTAINER(column), parts.password);
    }
    /* Without choices, or with an entry, the only way to allow is the button at the end. */
    GtkWidget *longer =
        replies == QUESTION_ANSWER_ONCE && !parts.password ? choices_longer(self) : NULL;
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
