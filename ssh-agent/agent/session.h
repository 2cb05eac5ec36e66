/*
 * The user's sessions, where logind tells of them: a locked screen and "about to sleep" take the
 * grants away; while a screen is locked, questions wait. Nothing that the bus says, or fails to
 * say, allows anything.
 */
#pragma once

#include "ssh-agent/agent/agent.h"

/* Does nothing where there is no system bus or no logind. */
void session_watch(agent *self);
