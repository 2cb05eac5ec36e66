/*
 * Programs that boxes share: AI agents. One is installed once for all boxes with the same image, in
 * a box that nothing else runs in (box/exec/agent_install.c), and every box sees it read-only, so
 * that none can change what another one, or its own next session, runs.
 *
 *   data/tools/shared/               mounted at PLAN_TOOLS in each box
 *   data/tools/shared/NAME/ID/       a program; never changed. ID is made anew for each
 *   data/tools/shared/NAME/for-KIND  the ID that boxes of this kind run
 *   data/tools/work/NAME.ID/         is being installed or removed
 *   data/tools/locks/NAME            held while one changes NAME
 *   data/tools/locks/NAME.ID         held, with others, while one runs it
 *   data/boxes/BOX/tools/NAME        KIND: the box uses it
 *   runtime/BOX/tools-kind           KIND of the running box
 *
 * KIND is what a program that was built for one box must have in common with another: the id of the
 * image, with which go libc, architecture and versions of libraries. And the image decides which
 * npm runs: a hostile one gets no program to boxes of another. With the host image it is the
 * system's name and version.
 */
#pragma once

#include "box/registry/box.h"

/* The folder that is mounted; a new string. */
char *tools_folder(void);
/* Where NAME with ID is in boxes; a new string. */
char *tools_path(const char *name, const char *id);

/* SELF starts with IMAGE, Podman's id ("" or NULL: the host image). SEES_TOOLS: with the mount. */
void tools_note_kind(const struct box *self, const char *image, gboolean sees_tools);
/* The kind of SELF, which runs, a new string. NULL with ERROR when it has no shared programs. */
char *tools_kind(const struct box *self, GError **error);
/* The id of the image of KIND, in KIND itself; NULL: the host image. */
const char *tools_kind_image(const char *kind);

/* Records that SELF uses NAME, in its KIND. */
gboolean tools_use(const struct box *self, const char *name, const char *kind, GError **error);
/* The kind in which SELF uses NAME, a new string; NULL when it does not. */
char *tools_used_kind(const struct box *self, const char *name);
/* SELF does not use it any more. Needs the lock. */
gboolean tools_disuse(const struct box *self, const char *name, GError **error);

/* The lock of NAME, a descriptor; -1 with ERROR. WAITED is as of fs_lock(). */
int tools_lock(const char *name, void (*waited)(const char *lock), GError **error);
/* The ID that boxes of KIND run, a new string; NULL when there is none. */
char *tools_current(const char *name, const char *kind);
/* Keeps that from being removed until the descriptor is closed. -1 when there is none. */
int tools_hold(const char *name, const char *kind, char **id);
/* Opens PATH in NAME with ID, following no link; -1 with errno. What is there is hostile. */
int tools_open(const char *name, const char *id, const char *path);

/* Makes the empty folder in which NAME with ID (text_new_id()) gets installed, a new string; NULL
 * with ERROR. Needs the lock, as do the next ones. */
char *tools_make_work(const char *name, const char *id, GError **error);
/* Puts that folder, in which nobody writes any more, into its place for boxes of KIND. */
gboolean tools_publish(const char *name, const char *id, const char *kind, GError **error);
/* The names of which something is there that no box uses: installed, or left by a killed
 * installation. Sorted, without those that are being changed; free with g_strfreev(). */
char **tools_unused(void);
/* Bytes on the disk that the removal of NAME would free, all of it, with what is in work/. */
gint64 tools_disk_freed(const char *name);
/* Removes of NAME what no box uses and nobody runs, and what killed installations have left. */
void tools_sweep(const char *name);
