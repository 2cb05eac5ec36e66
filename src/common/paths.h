/*
 * Where Litterbox keeps things on the host (design.md, "On disk"). All results are absolute, new
 * strings. The folders are made when they are first used (fs_make_folder), not here.
 *
 * $LITTERBOX_INSTANCE (a-z, 0-9, -) sets a second Litterbox beside the user's own: its folders are
 * called litterbox-INSTANCE, its containers litterbox-INSTANCE-NAME. Tests live in one each.
 */
#pragma once

#include <glib.h>

/* FALSE with ERROR when $LITTERBOX_INSTANCE is no name: then nothing may be done, for the folders
 * would be the user's own. */
gboolean paths_check_instance(GError **error);
/* The instance's name, "" for the user's own. */
const char *paths_instance(void);

/* $XDG_CONFIG_HOME/litterbox/TAIL; TAIL may be NULL in all of these. */
char *paths_config(const char *tail);
/* $XDG_DATA_HOME/litterbox/TAIL */
char *paths_data(const char *tail);
/* $XDG_STATE_HOME/litterbox/TAIL */
char *paths_state(const char *tail);
/*
 * $XDG_RUNTIME_DIR/litterbox/TAIL; without XDG_RUNTIME_DIR /run/user/UID when that is the user's.
 * NULL with ERROR when there is neither: sockets in /tmp could be squatted by another user.
 */
char *paths_runtime(const char *tail, GError **error);

/* The folder of our helper programs (box-init, sudo): found beside the running binary, so that an
 * installed tree can be moved; the build's libexecdir otherwise. */
char *paths_libexec(const char *tail);
/* The folder of our read-only data (templates, presets), found the same way. */
char *paths_share(const char *tail);

/* The user's home: $HOME when absolute, else from passwd. */
const char *paths_home(void);
