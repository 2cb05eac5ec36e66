/* `box secret add` and `box secret test`, which run this program so that no other has a value. */
#pragma once

#include <glib.h>

/*
 * litterbox-secrets --keep NAME [FD]: asks for the value of the secret NAME on the terminal, or
 * reads it from the descriptor FD, and keeps it (secret_value_path()). --keep-access-key, where
 * IS_ACCESS_KEY, is for one that signs requests (aws_credentials.h).
 */
gboolean value_keep(const char *name, const char *fd, gboolean is_access_key, GError **error);
/* litterbox-secrets --test NAME: says whether the value of NAME can be had and used. */
gboolean value_test(const char *name, GError **error);
