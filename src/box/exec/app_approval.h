/* What a project's litterbox.toml asks for, in a window: a program of the menu has no terminal. */
#pragma once

#include "box/registry/registry.h"

/*
 * Call it before SELF is started for a program of the menu. When the project's file is not
 * approved, and all that it asks for fits into a window, asks the user, and approves it after a
 * yes. Does nothing when SELF is running, when there is a terminal, or without a display: the start
 * itself then says what is wrong.
 */
void app_approval_ask(const struct box *self);
