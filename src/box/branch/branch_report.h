/* What the user is told at the end of a session on a branch. */
#pragma once

#include "box/registry/box.h"
#include "config/settings.h"

/*
 * Says what SELF has changed, and what comes next. On a terminal it is one screen, which also has
 * what the session since SINCE (microseconds since 1970) did: hosts that it has reached or was
 * refused, and signatures. Nothing happened: nothing is said.
 */
void branch_report(const struct box *self, const settings *wanted, gint64 since);
