#include "ssh-agent/prompt/prompt.h"

#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#define LEFT_TO_RIGHT_MARK "\xe2\x80\x8e"
/* Pixels that a block asks for. */
#define BLOCK_WIDTH 80

GtkWidget *widgets_box(GtkOrientation orientation, int spacing, const char *class)
{
    GtkWidget *box = gtk_box_new(orientation, spacing);
    widgets_add_class(box, class);
    return box;
}

void widgets_add_class(GtkWidget *widget, const char *class)
{
    if (class)
        gtk_style_context_add_class(gtk_widget_get_style_context(widget), class);
}

void widgets_set_class(GtkWidget *widget, const char *class, gboolean has)
{
    GtkStyleContext *style = gtk_widget_get_style_context(widget);
    if (has)
        gtk_style_context_add_class(style, class);
    else
        gtk_style_context_remove_class(style, class);
}

void widgets_describe(GtkWidget *widget, const char *name, const char *description)
{
    AtkObject *object = gtk_widget_get_accessible(widget);
    if (name)
        atk_object_set_name(object, name);
    if (description)
        atk_object_set_description(object, description);
}

G_DECLARE_FINAL_TYPE(TextBlock, text_block, LITTERBOX, TEXT_BLOCK, GtkLabel)

struct _TextBlock {
    GtkLabel parent;
};

G_DEFINE_TYPE(TextBlock, text_block, GTK_TYPE_LABEL)

static void get_preferred_width(GtkWidget *widget, int *minimum, int *natural)
{
    *minimum = *natural = BLOCK_WIDTH;
}

static void text_block_init(TextBlock *self)
{
}

static void text_block_class_init(TextBlockClass *class)
{
    GTK_WIDGET_CLASS(class)->get_preferred_width = get_preferred_width;
}

/* The blocks that Unicode reserves for scripts that run from right to left. */
static gboolean has_right_to_left(const char *text)
{
    for (; *text; text = g_utf8_next_char(text)) {
        gunichar c = g_utf8_get_char(text);
        if ((c >= 0x0590 && c <= 0x08FF) || (c >= 0xFB1D && c <= 0xFDFF) ||
            (c >= 0xFE70 && c <= 0xFEFF) || (c >= 0x10800 && c <= 0x10FFF) ||
            (c >= 0x1E800 && c <= 0x1EFFF))
            return TRUE;
    }
    return FALSE;
}

static GtkWidget *prepare(GtkWidget *widget, const char *text, const char *class)
{
    GtkLabel *label = GTK_LABEL(widget);
    PangoAttrList *attributes = pango_attr_list_new();
    /* Text that begins with Hebrew or Arabic would reverse its whole line. */
    const char *mark = has_right_to_left(text) ? LEFT_TO_RIGHT_MARK : "";
    g_autofree char *straight = g_strconcat(mark, text, NULL);

    gtk_label_set_text(label, straight);
    gtk_label_set_xalign(label, 0);
    gtk_label_set_yalign(label, 0);
    gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_END);
    /* A hyphen at the end of a line would look like part of the text. */
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(FALSE));
    gtk_label_set_attributes(label, attributes);
    pango_attr_list_unref(attributes);
    widgets_add_class(widget, class);
    return widget;
}

GtkWidget *text_line(const char *text, const char *class)
{
    return prepare(gtk_label_new(NULL), text, class);
}

GtkWidget *text_block(const char *text, const char *class, int lines)
{
    GtkWidget *block = prepare(g_object_new(text_block_get_type(), NULL), text, class);
    GtkLabel *label = GTK_LABEL(block);

    gtk_label_set_line_wrap(label, TRUE);
    gtk_label_set_line_wrap_mode(label, PANGO_WRAP_WORD_CHAR);
    gtk_widget_set_hexpand(block, TRUE);
    if (lines)
        gtk_label_set_lines(label, lines);
    else
        gtk_label_set_ellipsize(label, PANGO_ELLIPSIZE_NONE);
    return block;
}

G_DECLARE_FINAL_TYPE(FittingScroll, fitting_scroll, LITTERBOX, FITTING_SCROLL, GtkScrolledWindow)

struct _FittingScroll {
    GtkScrolledWindow parent;
    int least, limit;
};

G_DEFINE_TYPE(FittingScroll, fitting_scroll, GTK_TYPE_SCROLLED_WINDOW)

static GtkSizeRequestMode get_request_mode(GtkWidget *widget)
{
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static int needed(GtkWidget *widget, int width)
{
    GtkWidget *viewport = gtk_bin_get_child(GTK_BIN(widget));
    int natural;

    gtk_widget_get_preferred_height_for_width(gtk_bin_get_child(GTK_BIN(viewport)), width, NULL,
                                              &natural);
    return natural;
}

static void get_preferred_height_for_width(GtkWidget *widget, int width, int *minimum, int *natural)
{
    FittingScroll *self = LITTERBOX_FITTING_SCROLL(widget);
    int height = needed(widget, width);

    *minimum = MIN(height, self->least);
    *natural = MAX(MIN(height, self->limit), *minimum);
}

static void fitting_scroll_init(FittingScroll *self)
{
    GtkScrolledWindow *window = GTK_SCROLLED_WINDOW(self);

    /* GTK_POLICY_EXTERNAL cuts a word that cannot be wrapped, instead of widening the window. */
    gtk_scrolled_window_set_policy(window, GTK_POLICY_EXTERNAL, GTK_POLICY_AUTOMATIC);
    /* A bar that is always visible tells that there is more. */
    gtk_scrolled_window_set_overlay_scrolling(window, FALSE);
}

static void fitting_scroll_class_init(FittingScrollClass *class)
{
    GTK_WIDGET_CLASS(class)->get_request_mode = get_request_mode;
    GTK_WIDGET_CLASS(class)->get_preferred_height_for_width = get_preferred_height_for_width;
}

GtkWidget *scroll_new(GtkWidget *child, const char *name, int least, int limit)
{
    FittingScroll *self = g_object_new(fitting_scroll_get_type(), NULL);

    self->least = least;
    self->limit = limit;
    gtk_container_add(GTK_CONTAINER(self), child);
    /* Without this, lists that scroll inside it would get their least height. */
    gtk_scrollable_set_vscroll_policy(GTK_SCROLLABLE(gtk_bin_get_child(GTK_BIN(self))),
                                      GTK_SCROLL_NATURAL);
    widgets_describe(GTK_WIDGET(self), name, NULL);
    return GTK_WIDGET(self);
}

int scroll_spare(GtkWidget *scroll, int width)
{
    FittingScroll *self = LITTERBOX_FITTING_SCROLL(scroll);
    return MAX(MIN(needed(scroll, width), self->limit) - self->least, 0);
}

void scroll_shrink(GtkWidget *scroll, int width, int excess)
{
    FittingScroll *self = LITTERBOX_FITTING_SCROLL(scroll);
    int height = MIN(needed(scroll, width), self->limit);

    self->limit = MAX(height - excess, self->least);
    gtk_widget_queue_resize(scroll);
}

/* Overrides the user's own gtk.css. */
#define PRIORITY (GTK_STYLE_PROVIDER_PRIORITY_USER + 1)

static gboolean wants_dark;

static gboolean is_dark_name(const char *theme)
{
    g_autofree char *lower = g_ascii_strdown(theme, -1);
    return g_str_has_suffix(lower, "dark") || g_str_has_suffix(lower, "inverse");
}

void style_read_environment(void)
{
    const char *theme = g_getenv("GTK_THEME");
    wants_dark = theme && is_dark_name(theme);
}

static gboolean is_contrast_name(const char *theme)
{
    return g_str_has_prefix(theme, "HighContrast");
}

/* Returns TRUE for a dark theme. */
static gboolean set_theme(void)
{
    GtkSettings *settings = gtk_settings_get_default();
    g_autofree char *theme = NULL;
    gboolean dark = FALSE;

    g_object_get(settings, "gtk-theme-name", &theme, "gtk-application-prefer-dark-theme", &dark,
                 NULL);
    dark = dark || wants_dark || (theme && is_dark_name(theme));
    gboolean contrast = theme && is_contrast_name(theme);
    g_object_set(settings,
                 /* clang-format off */
                 "gtk-theme-name", !contrast ? "Adwaita" : dark ? "HighContrastInverse" : "HighContrast",
                 "gtk-application-prefer-dark-theme", dark && !contrast,
                 /* Another input method would see each key of a password. */
                 "gtk-im-module", "gtk-im-context-simple",
                 "gtk-recent-files-enabled", FALSE,
                 "gtk-enable-event-sounds", FALSE,
                 "gtk-enable-input-feedback-sounds", FALSE,
                 "gtk-enable-animations", FALSE,
                 "gtk-dialogs-use-header", FALSE,
                 /* clang-format on */
                 NULL);
    return dark;
}

/* The linear value of one of COLOUR's channels (WCAG 2, relative luminance). */
static double light_of(guint32 colour, int shift)
{
    double value = ((colour >> shift) & 255) / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Black or white, whichever contrasts more with COLOUR: at least 4.58 to 1. */
static const char *text_colour(guint32 colour)
{
    double light =
        0.2126 * light_of(colour, 16) + 0.7152 * light_of(colour, 8) + 0.0722 * light_of(colour, 0);
    return light > 0.179 ? "#000000" : "#ffffff";
}

static void add_provider(GtkCssProvider *provider)
{
    gtk_style_context_add_provider_for_screen(gdk_screen_get_default(),
                                              GTK_STYLE_PROVIDER(provider), PRIORITY);
}

void style_apply(guint32 colour)
{
    g_autoptr(GtkCssProvider) rules = gtk_css_provider_new(), box = gtk_css_provider_new();
    gboolean dark = set_theme();
    g_autofree char *defined = g_strdup_printf(
        "@define-color box_bg #%06x;\n@define-color box_fg %s;\n"
        "@define-color good_fg %s;\n@define-color doubt_fg %s;\n@define-color urgent_fg %s;\n",
        colour, text_colour(colour), dark ? "#57e389" : "#1b7d43", dark ? "#f8c555" : "#9c4a00",
        dark ? "#ff938c" : "#c01c28");

    gtk_css_provider_load_from_data(box, defined, -1, NULL);
    add_provider(box);
    gtk_css_provider_load_from_resource(rules, "/litterbox/prompt/style.css");
    add_provider(rules);
}
