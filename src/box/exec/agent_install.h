/*
 * Installs AI agents for all boxes of an image (box/registry/tools.h). npm, and what else a preset
 * calls, runs scripts of strangers, so each installation has a box of its own, with the image of
 * the box that asks, an empty home, nothing of the project but a package that the preset names
 * there, no keys, secrets, mounts or display, and a network that reaches what the preset names.
 * That box is removed before what it has written gets its place.
 */
#pragma once

#include "box/registry/registry.h"
#include "config/agent_preset.h"

/*
 * Installs an agent for boxes of KIND, that of SELF, and returns its ID, a new string; NULL with
 * ERROR, and then what was there stays. What npm says goes to standard error. The caller holds the
 * lock of tools_lock().
 */
char *agent_install(const struct box *self, const agent_preset *preset, const char *kind,
                    GError **error);
