/*
 * The appearance of the user's desktop, for programs in a box.
 *
 * It is read from dconf's database (GNOME and related desktops), GTK's settings.ini and KDE's
 * kdeglobals, as files: without a bus or a desktop's library. A box may have been able to write
 * these files, so only the properties of one table are read and each value is checked. Boxes get
 * files of the same formats.
 */
#pragma once

#include <glib.h>

/* The properties, and which values they may have (property.c). */
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

typedef struct {
    char *values[APPEARANCE_N_PROPERTIES]; /* NULL: unknown */
    GString *kde;                          /* the groups and keys of kdeglobals about appearance */
} appearance;

appearance *appearance_new(void);
void appearance_free(appearance *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(appearance, appearance_free)

/* Parse a file's contents. A property that is known already keeps its value. */
void appearance_parse_dconf(appearance *self, const char *data, gsize length);
void appearance_parse_gtk(appearance *self, const char *text, gsize length, gboolean gtk4);
void appearance_parse_kde(appearance *self, const char *text, gsize length);

/* Contents of settings.ini, of a dconf database, and of index.theme of the cursor theme "default"
 * (NULL: no cursor theme is known). All are new; the caller frees them. */
char *appearance_gtk(const appearance *self, gboolean gtk4);
GByteArray *appearance_dconf(const appearance *self);
char *appearance_cursor(const appearance *self);
/* "K=V" for properties that programs read from the environment. */
char **appearance_environment(const appearance *self);

/* What the files of this user and this machine say. */
appearance *appearance_read_host(void);
/* TRUE for an entry "K=V" of the user's environment that is about appearance and safe in a box. */
gboolean appearance_passes_variable(const char *entry);
