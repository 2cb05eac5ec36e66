/*
 * The user's session, where logind tells of it: "lock" and "about to sleep" take the grants away;
 * while the screen is locked, questions wait.
 */
#pragma once

#include "ssh-agent/agent/agent.h"

/* Does nothing where there is no system bus or no logind. */
void session_watch(agent *self);
