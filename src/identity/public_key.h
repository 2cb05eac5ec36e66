/* The public half of what a setting says about a key. */
#pragma once

#include <glib.h>

/*
 * "TYPE BASE64" of the line TEXT, as a new string: what ssh-keygen writes to a .pub file and sshd
 * sends as its host key, without the comment. NULL unless the key is of the type that it says.
 */
char *public_key_from_line(const char *text);
