/*
 * Logins that boxes share (config/login_services.h): a box in which nobody has logged in yet gets
 * the file of the client, with phantoms, once somebody has in another box. It is written in the
 * box, by its programs, where none is: the host follows no link there. Once for each home, so that
 * who logs out in a box stays so.
 */
#pragma once

#include "box/registry/registry.h"
#include "box/session/new_home.h"

/* TRUE when login_files_write() may have something to do; without secrets_are_in_home() never. */
gboolean login_files_are_pending(const struct box *self);
void login_files_write(const home_session *self);
/* The login NAME is attached to SELF again: the file is written if it is missing. */
void login_files_forget(const struct box *self, const char *name);
