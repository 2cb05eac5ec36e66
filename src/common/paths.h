/*
 * Where Litterbox keeps its files on the host (docs/architecture.md, "On disk"), by the XDG Base
 * Directory Specification. All results are absolute paths in new strings. These functions do not
 * create the folders; their users do (fs_make_folder).
 *
 * $LITTERBOX_INSTANCE (a-z, 0-9, -) names an instance that is separate from the user's usual one:
 * its folders are called litterbox-INSTANCE, its containers litterbox.INSTANCE.NAME. Every test
 * runs in an instance of its own.
 */
#pragma once

#include <glib.h>

/* FALSE with ERROR if $LITTERBOX_INSTANCE is not a valid name. Every main checks this first. */
gboolean paths_check_instance(GError **error);
/* The instance's name; "" for the user's usual instance. */
const char *paths_instance(void);

/* The name in Podman of the container of BOX, a new string. No other box, of whichever instance,
 * has it: an instance has no '.', and the usual one's names begin with "litterbox-". */
char *paths_container(const char *box);
/* CONTAINER, such a name of INSTANCE, as Litterbox 0.3 made it: litterbox-INSTANCE-NAME, which
 * could be that of another box. A new string; NULL when it was the same. */
char *paths_former_container(const char *container, const char *instance);

/* $XDG_CONFIG_HOME/litterbox/TAIL; TAIL may be NULL in all of these. */
char *paths_config(const char *tail);
/* $XDG_DATA_HOME/litterbox/TAIL */
char *paths_data(const char *tail);
/* $XDG_STATE_HOME/litterbox/TAIL */
char *paths_state(const char *tail);
/*
 * $XDG_RUNTIME_DIR. Without it, /run/user/UID is used if the user owns it. Fails if there is
 * neither: in /tmp another user could create our sockets before us.
 */
char *paths_users_runtime(GError **error);
/* litterbox/TAIL in there. */
char *paths_runtime(const char *tail, GError **error);

/* libexec/litterbox/TAIL (box-init, the helpers) in the prefix of the running program, so that an
 * installed tree can be moved; if it is not there, in the prefix that was configured at build time.
 */
char *paths_libexec(const char *tail);
/* bin/NAME in the same prefix or, if it is not there, where it was configured. */
char *paths_program(const char *name);
/* share/litterbox/TAIL (templates, presets), in the same prefix. */
char *paths_share(const char *tail);

/* The user's home: $HOME, or if that is not set the one in the password database. Not to be freed.
 */
const char *paths_home(void);
/* PATH, "~/x" as the absolute path below that home; a new string. */
char *paths_expand(const char *path);
