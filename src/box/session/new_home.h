/*
 * What a box's home gets before its first session: the files of /etc/skel, the user's dotfiles, and
 * what the project's setup script does. All of it is done in the box, by its programs: the host
 * reads no link in a home or in the dotfiles.
 */
#pragma once

#include "box/registry/registry.h"
#include "box/registry/runtime_config.h"

/* For what runs before a session: its environment, and a terminal (session/client.h). */
typedef struct {
    const struct box *box; /* it runs */
    char **env;
    unsigned terminal;
} home_session;

/* For a program that writes a file: it takes some milliseconds, unless the box stops it. */
#define NEW_HOME_FILE_MS 10000
/* The program did not run. */
#define NEW_HOME_NOT_RUN (-1)
/* It ran longer than TIMEOUT_MS, and was ended. */
#define NEW_HOME_TIMED_OUT (-2)
/*
 * The exit status of ARGV in FOLDER. Nothing is read of standard input, and what it says goes to
 * standard error. TIMEOUT_MS: 0 for none, where the user waits for a script of their own.
 */
int new_home_run(const home_session *self, char **argv, const char *folder, guint64 timeout_ms);

/* TRUE when new_home_prepare() has something to do. Each `box run` asks: one or two access(2). */
gboolean new_home_is_pending(const struct box *self, const struct runtime_config *known);

/* Does what is left to do for the home. What fails is a warning, and is tried again by the next
 * session. */
void new_home_prepare(const home_session *self, const struct runtime_config *known);
