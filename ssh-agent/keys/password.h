/* Passwords from the terminal, without echo, or from a descriptor. Other processes can read
 * arguments and environment, so passwords are never taken from there. */
#pragma once

#include "ssh-agent/store/secret.h"

/* How often the user is asked again after a wrong password. */
#define PASSWORD_TRIES 3

/*
 * Reads one line from descriptor FD (the number as text, the value of an option) or, if that is
 * NULL, from the terminal after printing QUESTION. With REPEAT the user must type it twice. Fails
 * if it is empty.
 */
secret *password_get(const char *fd, const char *question, gboolean repeat, GError **error);
