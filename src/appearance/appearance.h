/*
 * How the user's desktop looks: what programs in a box are told of it.
 *
 * Taken from dconf's database (GNOME and what follows it), from GTK's settings.ini and from KDE's
 * kdeglobals, in files alone: no bus, no library of a desktop. Only the properties of one table are
 * looked for, and each value is checked for what it may be, since files of the user's may have been
 * in the hands of a box. Written are files of the same kinds, for the programs of a box.
 */
#pragma once

#include <glib.h>

typedef enum {
    LOOK_THEME,
    LOOK_ICONS,
    LOOK_CURSOR,
    LOOK_CURSOR_SIZE,
    LOOK_FONT,
    LOOK_DOCUMENT_FONT,
    LOOK_MONOSPACE_FONT,
    LOOK_TEXT_SCALE,
    LOOK_SCHEME,
    LOOK_ACCENT,
    LOOK_ANIMATIONS,
    LOOK_KEYS,
    LOOK_ANTIALIASING,
    LOOK_HINTING,
    LOOK_RGBA_ORDER,
    LOOK_BUTTONS,
    LOOK_CONTRAST,
    LOOK_DARK,
    LOOK_DARK_4, /* GTK 4's own; its newer programs complain about it */
    LOOK_XFT_ANTIALIAS,
    LOOK_XFT_HINTING,
    LOOK_XFT_HINTSTYLE,
    LOOK_XFT_RGBA,
    LOOK_XFT_DPI,
    N_LOOKS,
} look_property;

typedef struct {
    char *values[N_LOOKS]; /* NULL: not known */
    GString *kde;          /* those groups and keys of kdeglobals that say how things look */
} appearance;

appearance *appearance_new(void);
void appearance_free(appearance *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(appearance, appearance_free)

/* Takes what the bytes of such a file say, where nothing that was taken earlier says it. */
void appearance_take_dconf(appearance *self, const char *data, gsize length);
void appearance_take_gtk(appearance *self, const char *text, gsize length, gboolean gtk4);
void appearance_take_kde(appearance *self, const char *text, gsize length);

/* host.c: what this machine's files say for this user. */
appearance *appearance_read(void);

/* What a box's programs read: settings.ini, a database for dconf, and the theme "default" of
 * cursors (NULL: nothing is known of it). */
char *appearance_gtk(const appearance *self, gboolean gtk4);
GByteArray *appearance_dconf(const appearance *self);
char *appearance_cursor(const appearance *self);
/* "K=V" of what is known and has no file. */
char **appearance_environment(const appearance *self);

/* TRUE for an entry "K=V" of the user's environment that says how things look, and can be passed on
 * as it is. */
gboolean appearance_passes(const char *entry);
