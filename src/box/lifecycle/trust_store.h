/* The certificates that a box trusts, in files that programs read without being told to. */
#pragma once

#include "box/registry/box.h"

/*
 * Puts the authority of SELF, if hosts need it (box/helpers/secrets.h), among the certificates that
 * the system of the box trusts, and removes those of earlier starts. PID is prepared ("init") and
 * verified, nothing of the box has run in it, and secrets_open() was called. What does not work is
 * told to the user. Does nothing in a box that has and had no such hosts.
 */
void trust_store_update(const struct box *self, pid_t pid);

/* TRUE when trust_store_update() may be why the file PATH of SELF's container is not the image's.
 */
gboolean trust_store_may_have_changed(const struct box *self, const char *path);
