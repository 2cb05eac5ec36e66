/* What `box keys` does, a function a verb. OPERANDS: the words behind the verb, NULL-terminated. */
#pragma once

#include <glib.h>

gboolean keys_generate(char **operands, GError **error);
gboolean keys_import(char **operands, GError **error);
gboolean keys_list(char **operands, GError **error);
gboolean keys_show(char **operands, GError **error);
gboolean keys_rename(char **operands, GError **error);
gboolean keys_delete(char **operands, GError **error);
gboolean keys_export(char **operands, GError **error);
gboolean keys_passwd(char **operands, GError **error);
/* unlock.c: of the agent. */
gboolean keys_unlock(char **operands, GError **error);
gboolean keys_lock(char **operands, GError **error);
