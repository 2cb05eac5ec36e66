#include "ssh-agent/prompt/prompt.h"

#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

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
