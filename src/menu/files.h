/*
 * The menu entries and icons on the host that are of boxes: made, found and removed.
 *
 *   $XDG_DATA_HOME/applications/litterbox-BOX+ID.desktop
 *   $XDG_DATA_HOME/icons/hicolor/SIDExSIDE/apps/litterbox-BOX+ID.png
 *
 * ("litterbox+INSTANCE+BOX+ID" for another instance; no name of a box has a "+".) An entry is ours
 * when its name and the keys in it (entry.h) both say so; nothing else is replaced or removed.
 */
#pragma once

#include "menu/entry.h"

/* One of them. */
typedef struct {
    char *box, *id;
    char *text;       /* as it is on disk */
    gboolean in_vain; /* the `box` that it runs is not there any more */
    gboolean orphan;  /* its box is not there any more */
} app_file;

/* Of app_file, of this instance: those of BOX, or all (NULL). Sorted; free with g_ptr_array_unref.
 */
GPtrArray *app_files_find(const char *box);
const app_file *app_files_of(const GPtrArray *list, const char *id);

/* The name of the icon that belongs to ID of BOX. A new string. */
char *app_files_icon_name(const char *box, const char *id);

/*
 * Writes TEXT (entry_write()) as the entry ID of BOX, and ICON (NULL: none) of SIDE pixels. What is
 * there and not ours stays, with BOX_ERROR_CONFLICT.
 */
gboolean app_files_write(const char *box, const char *id, const char *text, GByteArray *icon,
                         guint side, GError **error);
/* Removes the entry ID of BOX and its icons. What is not there is success. */
gboolean app_files_remove(const char *box, const char *id, GError **error);
/* All of BOX, icons that a crash has left included. */
void app_files_forget(const char *box);

/* Tells the host's menu that something has changed, where it wants to be told. */
void app_files_announce(void);

/*
 * The program NAME of the system, or NULL: looked for in the system's folders alone, since PATH may
 * lead into folders that a box writes. A new string.
 */
char *app_files_tool(const char *name);
