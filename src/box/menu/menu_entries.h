/*
 * Menu entries and icons of boxes on the host: written, found and removed.
 *
 *   $XDG_DATA_HOME/applications/litterbox-BOX+ID.desktop
 *   $XDG_DATA_HOME/icons/hicolor/SIDExSIDE/apps/litterbox-BOX+ID.png
 *
 * ("litterbox+INSTANCE+BOX+ID" for another instance. The name of a box contains no "+".) An entry
 * is Litterbox's when both its name and its keys (desktop_entry.h) say so; no other is replaced or
 * removed.
 */
#pragma once

#include "box/menu/desktop_entry.h"

typedef struct {
    char *box, *id;
    char *text;         /* the file's contents */
    gboolean is_broken; /* the `box` that it runs is missing */
    gboolean is_orphan; /* its box does not exist */
} menu_entry;

/* The entries of BOX in this instance, or of all boxes (NULL): of menu_entry, sorted; free with
 * g_ptr_array_unref(). */
GPtrArray *menu_entries_find(const char *box);
/* The entry ID in LIST, or NULL. */
const menu_entry *menu_entries_lookup(const GPtrArray *list, const char *id);

/* The name of the icon of ID of BOX, a new string. */
char *menu_entry_icon_name(const char *box, const char *id);

/*
 * Writes TEXT (desktop_entry_to_text()) as the entry ID of BOX, and ICON (NULL: none) of SIDE
 * pixels. BOX_ERROR_CONFLICT when another program's file has that name.
 */
gboolean menu_entry_write(const char *box, const char *id, const char *text, GByteArray *icon,
                          guint side, GError **error);
/* Removes the entry ID of BOX and its icons. A missing entry is success. */
gboolean menu_entry_remove(const char *box, const char *id, GError **error);
/* Removes all of BOX, with icons that a crash has left behind. */
void menu_entries_remove_all(const char *box);

/* Gives the entries of the box FROM, with their icons, to TO, the same box under its new name. It
 * may have been done before, in part. */
gboolean menu_entries_rename(const char *from, const char *to, GError **error);

/* Updates the host's cache of desktop entries (update-desktop-database(1)), if it is installed. */
void menu_entries_notify(void);

/*
 * The path of the program NAME, a new string, or NULL. Searches only the system's folders, because
 * boxes may be able to write folders in PATH.
 */
char *menu_find_system_program(const char *name);

/* Icons of a box: hostile pictures that the host's desktop will decode. */

/* Limits: bytes, and pixels in each direction. */
#define PNG_ICON_MAX (256 * 1024)
#define PNG_ICON_SIDE_MAX 512

/*
 * The PNG in LENGTH bytes of DATA with only the chunks that make its pixels: without profiles,
 * texts, compressed extras, whose decoders had most bugs, and bytes after its end. NULL when it is
 * not a square PNG in one of the sizes of icon themes; *SIDE is the size.
 */
GByteArray *png_icon_clean(const guint8 *data, gsize length, guint *side);
