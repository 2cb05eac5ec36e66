/* What the files of `box secret` share. */
#pragma once

#include "config/secret_file.h"

/* "api.example.com, other.example.com:8443": the hosts of SELF, a new string. */
char *secret_host_texts(const secret_definition *self);

/* Runs litterbox-secrets, which has the values, with this process's terminal and descriptors
 * (host/secrets/value_source.h); FD may be NULL. Returns its exit status; -1 with ERROR. */
int secret_program_run(const char *what, const char *name, const char *fd, GError **error);

/*
 * Gets the value of SELF and keeps it: from the descriptor FD, else (NULL) from the terminal, else,
 * or with IN_WINDOW, from a window that asks the user. This process never has it: what is typed in
 * the window goes through a pipe to litterbox-secrets. Returns as secret_program_run() does.
 */
int secret_value_get(const secret_definition *self, const char *fd, gboolean in_window,
                     GError **error);
