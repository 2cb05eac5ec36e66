/*
 * What a box's home gets before its first session: the files of /etc/skel, the user's dotfiles, and
 * what the project's setup script does. All of it is done in the box, by its programs: the host
 * reads no link in a home or in the dotfiles.
 */
#pragma once

#include "box/registry/registry.h"
#include "box/registry/runtime_config.h"

/*
 * The exit status of ARGV in FOLDER of SELF, before a session with ENV and TERMINAL (as below); -1
 * when it did not run. Nothing is read of standard input, and what it says goes to standard error.
 */
int new_home_run(const struct box *self, char **env, unsigned terminal, char **argv,
                 const char *folder);

/* TRUE when new_home_prepare() has something to do. Each `box run` asks: one or two access(2). */
gboolean new_home_is_pending(const struct box *self, const struct runtime_config *known);

/*
 * Does what is left to do for the home of SELF, which runs. Scripts get the
 * environment ENV, and a terminal as TERMINAL says (session/client.h). What fails is a warning, and
 * is tried again by the next session.
 */
void new_home_prepare(const struct box *self, const struct runtime_config *known, char **env,
                      unsigned terminal);
