/*
 * The appearance of the user's desktop, for programs in a box.
 *
 * It is read from dconf's database (GNOME and related desktops), GTK's settings.ini and KDE's
 * kdeglobals, as files: without a bus or a desktop's library. A box may have been able to write
 * these files, so only the properties of one table are read and each value is checked. Boxes get
 * files of the same formats.
 */
#pragma once

#include "appearance/property.h"

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

/* host.c: what the files of this user and this machine say. */
appearance *appearance_read_host(void);
/* TRUE for an entry "K=V" of the user's environment that is about appearance and safe in a box. */
gboolean appearance_passes_variable(const char *entry);
