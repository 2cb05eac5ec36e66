/* The verbs of `box keys`, one function each. OPERANDS: the words after the verb, NULL-terminated;
 * the caller has checked their number. */
#pragma once

#include "ssh-agent/store/key_store.h"

gboolean keys_generate(char **operands, GError **error);
gboolean keys_import(char **operands, GError **error);
gboolean keys_list(char **operands, GError **error);
gboolean keys_show(char **operands, GError **error);
gboolean keys_rename(char **operands, GError **error);
gboolean keys_delete(char **operands, GError **error);
gboolean keys_export(char **operands, GError **error);
gboolean keys_passwd(char **operands, GError **error);
/* Unlock and lock the store in the running agent. */
gboolean keys_unlock(char **operands, GError **error);
gboolean keys_lock(char **operands, GError **error);

/* The public key as authorized_keys has it: "ssh-ed25519 AAAA… NAME". A new string. */
char *keys_public_line(const key_store_entry *entry);
