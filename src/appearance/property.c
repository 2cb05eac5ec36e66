#include "appearance/appearance.h"

#include <math.h>
#include <string.h>

#include "common/text.h"

#define INTERFACE "/org/gnome/desktop/interface/"
#define NAME_MAX_BYTES 128
#define TEXT_MAX_BYTES 256

const appearance_property_row appearance_properties[APPEARANCE_N_PROPERTIES] = {
    [APPEARANCE_THEME] = {INTERFACE "gtk-theme", "gtk-theme-name", VALUE_NAME},
    [APPEARANCE_ICONS] = {INTERFACE "icon-theme", "gtk-icon-theme-name", VALUE_NAME},
    [APPEARANCE_CURSOR] = {INTERFACE "cursor-theme", "gtk-cursor-theme-name", VALUE_NAME},
    [APPEARANCE_CURSOR_SIZE] = {INTERFACE "cursor-size", "gtk-cursor-theme-size", VALUE_INT, 1,
                                512},
    [APPEARANCE_FONT] = {INTERFACE "font-name", "gtk-font-name", VALUE_TEXT},
    [APPEARANCE_DOCUMENT_FONT] = {INTERFACE "document-font-name", NULL, VALUE_TEXT},
    [APPEARANCE_MONOSPACE_FONT] = {INTERFACE "monospace-font-name", NULL, VALUE_TEXT},
    [APPEARANCE_TEXT_SCALE] = {INTERFACE "text-scaling-factor", NULL, VALUE_DOUBLE, 0.5, 3},
    [APPEARANCE_SCHEME] = {INTERFACE "color-scheme", NULL, VALUE_WORD},
    [APPEARANCE_ACCENT] = {INTERFACE "accent-color", NULL, VALUE_WORD},
    [APPEARANCE_ANIMATIONS] = {INTERFACE "enable-animations", "gtk-enable-animations", VALUE_BOOL},
    [APPEARANCE_KEYS] = {INTERFACE "gtk-key-theme", "gtk-key-theme-name", VALUE_NAME},
    [APPEARANCE_ANTIALIASING] = {INTERFACE "font-antialiasing", NULL, VALUE_WORD},
    [APPEARANCE_HINTING] = {INTERFACE "font-hinting", NULL, VALUE_WORD},
    [APPEARANCE_RGBA_ORDER] = {INTERFACE "font-rgba-order", NULL, VALUE_WORD},
    [APPEARANCE_BUTTONS] = {"/org/gnome/desktop/wm/preferences/button-layout",
                            "gtk-decoration-layout", VALUE_TEXT},
    [APPEARANCE_CONTRAST] = {"/org/gnome/desktop/a11y/interface/high-contrast", NULL, VALUE_BOOL},
    [APPEARANCE_DARK] = {NULL, "gtk-application-prefer-dark-theme", VALUE_BOOL},
    [APPEARANCE_DARK_GTK4] = {NULL, "gtk-application-prefer-dark-theme", VALUE_BOOL},
    [APPEARANCE_XFT_ANTIALIAS] = {NULL, "gtk-xft-antialias", VALUE_INT, -1, 1},
    [APPEARANCE_XFT_HINTING] = {NULL, "gtk-xft-hinting", VALUE_INT, -1, 1},
    [APPEARANCE_XFT_HINTSTYLE] = {NULL, "gtk-xft-hintstyle", VALUE_WORD},
    [APPEARANCE_XFT_RGBA] = {NULL, "gtk-xft-rgba", VALUE_WORD},
    [APPEARANCE_XFT_DPI] = {NULL, "gtk-xft-dpi", VALUE_INT, -1, 1024 * 1024},
};

gboolean appearance_is_plain_text(const char *text, gsize max)
{
    gsize length = strlen(text);
    if (length == 0 || length > max || !g_utf8_validate(text, (gssize)length, NULL))
        return FALSE;
    for (const char *at = text; *at; at = g_utf8_next_char(at))
        if (!text_safe_char(g_utf8_get_char(at)) || strchr("\\\"'`$<>&|", *at))
            return FALSE;
    return text[0] != ' ' && text[length - 1] != ' ';
}

static gboolean is_word(const char *text)
{
    return *text && strlen(text) <= NAME_MAX_BYTES &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
               strlen(text);
}

/* Programs use the name of a theme as the name of a folder. */
static gboolean is_name(const char *text)
{
    return appearance_is_plain_text(text, NAME_MAX_BYTES) && !strchr(text, '/') && text[0] != '.';
}

static char *check_bool(const char *text)
{
    static const char *const yes[] = {"true", "1", "yes", "True", "TRUE", NULL};
    static const char *const no[] = {"false", "0", "no", "False", "FALSE", NULL};
    if (g_strv_contains(yes, text))
        return g_strdup("true");
    return g_strv_contains(no, text) ? g_strdup("false") : NULL;
}

static char *check_number(const appearance_property_row *row, const char *text)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    char *end;
    double number = g_ascii_strtod(text, &end);
    if (end == text || *end || !(number >= row->least && number <= row->most))
        return NULL;
    if (row->type == VALUE_INT)
        return number == trunc(number) ? g_strdup_printf("%d", (int)number) : NULL;
    return g_strdup(g_ascii_dtostr(buffer, sizeof buffer, number));
}

char *appearance_property_check(appearance_property property, const char *value)
{
    const appearance_property_row *row = &appearance_properties[property];
    switch (row->type) {
    case VALUE_NAME:
        return is_name(value) ? g_strdup(value) : NULL;
    case VALUE_TEXT:
        return appearance_is_plain_text(value, TEXT_MAX_BYTES) ? g_strdup(value) : NULL;
    case VALUE_WORD:
        return is_word(value) ? g_strdup(value) : NULL;
    case VALUE_INT:
    case VALUE_DOUBLE:
        return check_number(row, value);
    case VALUE_BOOL:
        return check_bool(value);
    }
    return NULL;
}

GVariant *appearance_property_to_variant(appearance_property property, const char *value)
{
    switch (appearance_properties[property].type) {
    case VALUE_INT:
        return g_variant_new_int32((gint32)g_ascii_strtoll(value, NULL, 10));
    case VALUE_DOUBLE:
        return g_variant_new_double(g_ascii_strtod(value, NULL));
    case VALUE_BOOL:
        return g_variant_new_boolean(strcmp(value, "true") == 0);
    case VALUE_NAME:
    case VALUE_TEXT:
    case VALUE_WORD:
        break;
    }
    return g_variant_new_string(value);
}

char *appearance_property_from_variant(appearance_property property, GVariant *value)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    switch (appearance_properties[property].type) {
    case VALUE_INT:
        return g_variant_is_of_type(value, G_VARIANT_TYPE_INT32)
                   ? g_strdup_printf("%d", g_variant_get_int32(value))
                   : NULL;
    case VALUE_DOUBLE:
        return g_variant_is_of_type(value, G_VARIANT_TYPE_DOUBLE)
                   ? g_strdup(g_ascii_dtostr(buffer, sizeof buffer, g_variant_get_double(value)))
                   : NULL;
    case VALUE_BOOL:
        return g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN)
                   ? g_strdup(g_variant_get_boolean(value) ? "true" : "false")
                   : NULL;
    case VALUE_NAME:
    case VALUE_TEXT:
    case VALUE_WORD:
        break;
    }
    return g_variant_is_of_type(value, G_VARIANT_TYPE_STRING) ? g_variant_dup_string(value, NULL)
                                                              : NULL;
}
