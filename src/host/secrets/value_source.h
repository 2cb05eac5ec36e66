/* Where the value of a secret comes from. */
#pragma once

#include <glib.h>

#include "config/secret_file.h"
#include "ssh-agent/store/secret.h"

/* Most bytes of a value with what stands around it, such as a line break. */
#define VALUE_SOURCE_MAX (16 * 1024)

/*
 * Reads the value of DEFINITION: of a variable of this process, a file, the output of a command
 * (without a shell), or what `box secret add` keeps; without blanks and line breaks around it. NULL
 * with ERROR, whose message has nothing of the value.
 */
secret *value_source_read(const secret_definition *definition, GError **error);

/* `box secret add` and `box secret test`, which run this program so that no other has a value. */

/*
 * litterbox-secrets --keep NAME [FD]: asks for the value of the secret NAME on the terminal, or
 * reads it from the descriptor FD, and keeps it (secret_value_path()). --keep-access-key, where
 * IS_ACCESS_KEY, is for one that signs requests (aws_credentials.h).
 */
gboolean value_keep(const char *name, const char *fd, gboolean is_access_key, GError **error);
/* litterbox-secrets --test NAME: says whether the value of NAME can be had and used. */
gboolean value_test(const char *name, GError **error);
