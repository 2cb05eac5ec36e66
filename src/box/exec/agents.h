/*
 * AI agents in a box, as presets describe them (config/agent_preset.h). Each is installed once for
 * all boxes of an image, which see it read-only (box/registry/tools.h). Nothing of it is run or
 * believed on the host.
 */
#pragma once

#include "box/registry/registry.h"
#include "config/agent_preset.h"

/* The version of the agent NAME that SELF uses: hostile text of at most AGENT_PRESET_VERSION_MAX
 * bytes. NULL when it uses none. A new string. */
char *agents_version(const struct box *self, const char *name);

/*
 * Installs an agent for SELF, which is started if need be, and other boxes of its image; what npm
 * says goes to standard error. Where it is already, nothing is done unless ANEW. Other
 * installations of it are waited for. One that fails leaves what was there, and what runs goes on
 * with that.
 */
gboolean agents_install(struct box *self, const agent_preset *preset, gboolean anew,
                        GError **error);
/* SELF does not use it any more, and it is removed when no other box does; BOX_ERROR_NOT_FOUND when
 * SELF does not use it. Its settings in the home stay. */
gboolean agents_remove(struct box *self, const char *name, GError **error);

/* TRUE when the home of SELF has a file, not an empty one, where the agent keeps a login. */
gboolean agents_has_login(const struct box *self, const agent_preset *preset);
/* Whether "PROGRAM --version" ends well in SELF, which is started if need be. FALSE with ERROR. */
gboolean agents_try_start(struct box *self, const agent_preset *preset, GError **error);

/*
 * Keeps the agent that SELF has from being removed until the descriptor is closed, which is
 * returned, and says where its *PROGRAM is, a new string. SELF is started if need be, and the agent
 * installed where it is missing. -1 with ERROR.
 */
int agents_hold(struct box *self, const agent_preset *preset, char **program, GError **error);
/*
 * Runs PROGRAM, which is held, with the arguments of its preset and the user's ARGUMENTS (may be
 * NULL). ASKS: it keeps its own questions. The exit status is as of box_run_session().
 */
int agents_run(struct box *self, const agent_preset *preset, gboolean asks, const char *program,
               char *const *arguments, GError **error);

/*
 * agent_install.c: installs AI agents for all boxes of an image (box/registry/tools.h). npm, and
 * what else a preset calls, runs scripts of strangers, so each installation has a box of its own,
 * with the image of the box that asks, an empty home, nothing of the project but a package that the
 * preset names there, no keys, secrets, mounts or display, and a network that reaches what the
 * preset names. That box is removed before what it has written gets its place.
 */

/*
 * Installs an agent for boxes of KIND, that of SELF, and returns its ID, a new string; NULL with
 * ERROR, and then what was there stays. What npm says goes to standard error. The caller holds the
 * lock of tools_lock().
 */
char *agent_install(const struct box *self, const agent_preset *preset, const char *kind,
                    GError **error);
