/* What a short command in a box prints. */
#pragma once

#include "box/registry/registry.h"

/* Enough for a few names. */
#define CAPTURE_MAX 65536

/*
 * Runs COMMAND in the box SELF, which runs, without a terminal or input, and gives what it has
 * printed: hostile bytes, NUL-terminated behind LENGTH of them (may be NULL). NULL with ERROR when
 * it could not be run, failed, took longer than half a minute, or printed MAX bytes or more.
 */
char *capture(box *self, const char *const *command, gsize max, gsize *length, GError **error);
