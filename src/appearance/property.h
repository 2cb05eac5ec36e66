/* The properties of a desktop's appearance, and which values they may have. */
#pragma once

#include <glib.h>

typedef enum {
    APPEARANCE_THEME,
    APPEARANCE_ICONS,
    APPEARANCE_CURSOR,
    APPEARANCE_CURSOR_SIZE,
    APPEARANCE_FONT,
    APPEARANCE_DOCUMENT_FONT,
    APPEARANCE_MONOSPACE_FONT,
    APPEARANCE_TEXT_SCALE,
    APPEARANCE_SCHEME,
    APPEARANCE_ACCENT,
    APPEARANCE_ANIMATIONS,
    APPEARANCE_KEYS,
    APPEARANCE_ANTIALIASING,
    APPEARANCE_HINTING,
    APPEARANCE_RGBA_ORDER,
    APPEARANCE_BUTTONS,
    APPEARANCE_CONTRAST,
    APPEARANCE_DARK,
    APPEARANCE_DARK_GTK4, /* separate, because newer GTK 4 programs complain about it */
    APPEARANCE_XFT_ANTIALIAS,
    APPEARANCE_XFT_HINTING,
    APPEARANCE_XFT_HINTSTYLE,
    APPEARANCE_XFT_RGBA,
    APPEARANCE_XFT_DPI,
    APPEARANCE_N_PROPERTIES,
} appearance_property;

typedef enum {
    VALUE_NAME, /* of a theme, which programs look up as a folder */
    VALUE_TEXT,
    VALUE_WORD, /* ASCII letters, digits, "-" and "_" */
    VALUE_INT,
    VALUE_DOUBLE,
    VALUE_BOOL, /* "true" or "false" */
} appearance_value_type;

typedef struct {
    const char *dconf; /* path in GSettings; NULL: none */
    const char *gtk;   /* key in GTK's settings.ini; NULL: none */
    appearance_value_type type;
    double least, most; /* of numbers */
} appearance_property_row;

extern const appearance_property_row appearance_properties[APPEARANCE_N_PROPERTIES];

/* The canonical form of VALUE as a new string; NULL when PROPERTY may not have it. */
char *appearance_property_check(appearance_property property, const char *value);

/* VALUE as GSettings stores it, a floating reference. */
GVariant *appearance_property_to_variant(appearance_property property, const char *value);
/* The reverse; NULL when VALUE has another type. */
char *appearance_property_from_variant(appearance_property property, GVariant *value);

/* TRUE when TEXT has 1 to MAX bytes, all printable, and needs no quotes in any file format. */
gboolean appearance_is_plain_text(const char *text, gsize max);
