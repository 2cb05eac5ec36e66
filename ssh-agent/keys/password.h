/* Passwords from the terminal, without echo, or from a descriptor; never from argv or environment.
 */
#pragma once

#include "ssh-agent/store/secret.h"

/* How often a wrong password may be typed. */
#define PASSWORD_TRIES 3

/*
 * One line: from the descriptor that FD names (the value of an option; NULL: the terminal, where
 * QUESTION is asked). With REPEAT a terminal is asked twice. Never empty.
 */
secret *password_get(const char *fd, const char *question, gboolean repeat, GError **error);
