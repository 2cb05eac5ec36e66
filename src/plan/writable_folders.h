/*
 * Folders and files of the host that a box could write by a mount of the user's ([[mount]],
 * home.share with mode "rw"). Once noted they stay, as what a box wrote there stays when the box
 * has gone: no program of the host is started from them by name (safe_path() of
 * box/registry/registry.h).
 */
#pragma once

#include "config/settings.h"
#include "plan/facts.h"

/* In the data folder: paths, each with its NUL. */
#define WRITABLE_FOLDERS_FILE "writable-folders"
#define WRITABLE_FOLDERS_LOCK WRITABLE_FOLDERS_FILE ".lock"

/* Calls EACH with the real path of every writable mount of WANTED, until it returns TRUE; then it
 * is TRUE. */
typedef gboolean (*writable_folder_func)(const char *real, gpointer data);
gboolean writable_folders_each(const settings *wanted, const plan_facts *facts,
                               writable_folder_func each, gpointer data);

/* Notes all of them, before a container has them. */
gboolean writable_folders_note(const settings *wanted, const plan_facts *facts, GError **error);

/* Appends what is noted to LIST: new strings. */
gboolean writable_folders_add(GPtrArray *list, GError **error);
