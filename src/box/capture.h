/* What a short command in a box prints. */
#pragma once

#include "box/registry.h"

/* Most that is read of it. */
#define CAPTURE_MAX 65536

/*
 * Runs COMMAND in the box SELF, without a terminal or input, and gives what it has printed: hostile
 * text of at most CAPTURE_MAX bytes. NULL with ERROR when it could not be run, or failed.
 */
char *capture(box *self, const char *const *command, GError **error);
