/* `box secret add` and `box secret test`, which run this program so that no other has a value. */
#pragma once

#include <glib.h>

/*
 * litterbox-secrets --keep NAME [FD]: asks for the value of the secret NAME on the terminal, or
 * reads it from the descriptor FD, and keeps it (secret_value_path()). --keep-access-key, where
 * IS_ACCESS_KEY, is for one that signs requests (aws_credentials.h).
 */
int value_keep(const char *name, const char *fd, gboolean is_access_key);
/* litterbox-secrets --test NAME: says whether the value of NAME can be had and used. Both return an
 * exit status, and print what is wrong. */
int value_test(const char *name);
