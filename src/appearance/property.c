#include "appearance/property.h"

#include <math.h>
#include <string.h>

#include "common/text.h"

#define INTERFACE "/org/gnome/desktop/interface/"
#define NAME_MAX_BYTES 128
#define TEXT_MAX_BYTES 256

const look_row look_rows[N_LOOKS] = {
    [LOOK_THEME] = {INTERFACE "gtk-theme", "gtk-theme-name", LOOK_NAME},
    [LOOK_ICONS] = {INTERFACE "icon-theme", "gtk-icon-theme-name", LOOK_NAME},
    [LOOK_CURSOR] = {INTERFACE "cursor-theme", "gtk-cursor-theme-name", LOOK_NAME},
    [LOOK_CURSOR_SIZE] = {INTERFACE "cursor-size", "gtk-cursor-theme-size", LOOK_INT, 1, 512},
    [LOOK_FONT] = {INTERFACE "font-name", "gtk-font-name", LOOK_TEXT},
    [LOOK_DOCUMENT_FONT] = {INTERFACE "document-font-name", NULL, LOOK_TEXT},
    [LOOK_MONOSPACE_FONT] = {INTERFACE "monospace-font-name", NULL, LOOK_TEXT},
    [LOOK_TEXT_SCALE] = {INTERFACE "text-scaling-factor", NULL, LOOK_DOUBLE, 0.5, 3},
    [LOOK_SCHEME] = {INTERFACE "color-scheme", NULL, LOOK_WORD},
    [LOOK_ACCENT] = {INTERFACE "accent-color", NULL, LOOK_WORD},
    [LOOK_ANIMATIONS] = {INTERFACE "enable-animations", "gtk-enable-animations", LOOK_BOOL},
    [LOOK_KEYS] = {INTERFACE "gtk-key-theme", "gtk-key-theme-name", LOOK_NAME},
    [LOOK_ANTIALIASING] = {INTERFACE "font-antialiasing", NULL, LOOK_WORD},
    [LOOK_HINTING] = {INTERFACE "font-hinting", NULL, LOOK_WORD},
    [LOOK_RGBA_ORDER] = {INTERFACE "font-rgba-order", NULL, LOOK_WORD},
    [LOOK_BUTTONS] = {"/org/gnome/desktop/wm/preferences/button-layout", "gtk-decoration-layout",
                      LOOK_TEXT},
    [LOOK_CONTRAST] = {"/org/gnome/desktop/a11y/interface/high-contrast", NULL, LOOK_BOOL},
    [LOOK_DARK] = {NULL, "gtk-application-prefer-dark-theme", LOOK_BOOL},
    [LOOK_DARK_4] = {NULL, "gtk-application-prefer-dark-theme", LOOK_BOOL},
    [LOOK_XFT_ANTIALIAS] = {NULL, "gtk-xft-antialias", LOOK_INT, -1, 1},
    [LOOK_XFT_HINTING] = {NULL, "gtk-xft-hinting", LOOK_INT, -1, 1},
    [LOOK_XFT_HINTSTYLE] = {NULL, "gtk-xft-hintstyle", LOOK_WORD},
    [LOOK_XFT_RGBA] = {NULL, "gtk-xft-rgba", LOOK_WORD},
    [LOOK_XFT_DPI] = {NULL, "gtk-xft-dpi", LOOK_INT, -1, 1024 * 1024},
};

gboolean look_is_plain(const char *text, gsize max)
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

/* A theme is looked up as a folder of that name. */
static gboolean is_name(const char *text)
{
    return look_is_plain(text, NAME_MAX_BYTES) && !strchr(text, '/') && text[0] != '.';
}

static char *check_bool(const char *text)
{
    static const char *const yes[] = {"true", "1", "yes", "True", "TRUE", NULL};
    static const char *const no[] = {"false", "0", "no", "False", "FALSE", NULL};
    if (g_strv_contains(yes, text))
        return g_strdup("true");
    return g_strv_contains(no, text) ? g_strdup("false") : NULL;
}

static char *check_number(const look_row *row, const char *text)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    char *end;
    double number = g_ascii_strtod(text, &end);
    if (end == text || *end || !(number >= row->least && number <= row->most))
        return NULL;
    if (row->kind == LOOK_INT)
        return number == trunc(number) ? g_strdup_printf("%d", (int)number) : NULL;
    return g_strdup(g_ascii_dtostr(buffer, sizeof buffer, number));
}

char *look_check(look_property property, const char *value)
{
    const look_row *row = &look_rows[property];
    switch (row->kind) {
    case LOOK_NAME:
        return is_name(value) ? g_strdup(value) : NULL;
    case LOOK_TEXT:
        return look_is_plain(value, TEXT_MAX_BYTES) ? g_strdup(value) : NULL;
    case LOOK_WORD:
        return is_word(value) ? g_strdup(value) : NULL;
    case LOOK_INT:
    case LOOK_DOUBLE:
        return check_number(row, value);
    case LOOK_BOOL:
        return check_bool(value);
    }
    return NULL;
}

GVariant *look_to_variant(look_property property, const char *value)
{
    switch (look_rows[property].kind) {
    case LOOK_INT:
        return g_variant_new_int32((gint32)g_ascii_strtoll(value, NULL, 10));
    case LOOK_DOUBLE:
        return g_variant_new_double(g_ascii_strtod(value, NULL));
    case LOOK_BOOL:
        return g_variant_new_boolean(strcmp(value, "true") == 0);
    case LOOK_NAME:
    case LOOK_TEXT:
    case LOOK_WORD:
        break;
    }
    return g_variant_new_string(value);
}

char *look_from_variant(look_property property, GVariant *value)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    switch (look_rows[property].kind) {
    case LOOK_INT:
        return g_variant_is_of_type(value, G_VARIANT_TYPE_INT32)
                   ? g_strdup_printf("%d", g_variant_get_int32(value))
                   : NULL;
    case LOOK_DOUBLE:
        return g_variant_is_of_type(value, G_VARIANT_TYPE_DOUBLE)
                   ? g_strdup(g_ascii_dtostr(buffer, sizeof buffer, g_variant_get_double(value)))
                   : NULL;
    case LOOK_BOOL:
        return g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN)
                   ? g_strdup(g_variant_get_boolean(value) ? "true" : "false")
                   : NULL;
    case LOOK_NAME:
    case LOOK_TEXT:
    case LOOK_WORD:
        break;
    }
    return g_variant_is_of_type(value, G_VARIANT_TYPE_STRING) ? g_variant_dup_string(value, NULL)
                                                              : NULL;
}
