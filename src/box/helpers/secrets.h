/*
 * The secrets that a box may use (config/secret_file.h), and litterbox-secrets, which puts them
 * into its requests: only a box with [network] mode "filtered" can use one.
 */
#pragma once

#include "box/registry/registry.h"

/* In the data folder of a box, which no box can write: names, a line each. Its branches have the
 * same. */
#define SECRETS_ATTACHED "secrets"
/* There, too (box_shared_file()): placeholders are made of it, so they are the same at every start,
 * and in branches. */
#define SECRETS_KEY "secrets.key"
/* A mark of a home (box_home_mark()): lines as in SECRETS_FILES, of the files that `box` has
 * written there. */
#define SECRETS_WRITTEN "secret-files"
/* In the runtime folder of a box: what SECRETS_FILES had when its home got these files. Missing
 * until a session after each start or change. */
#define SECRETS_FILES_DONE "secrets.files.done"
/* An empty file there: the home has files of secrets, or is to have some. */
#define SECRETS_IN_HOME "secrets.home"

/* The mark SECRETS_IN_HOME. Each `box run` asks: one access(2). */
gboolean secrets_are_in_home(const struct box *self);

/* The names of the secrets that are attached to SELF, sorted and NULL-terminated. NULL with ERROR
 * when the file is broken. */
char **secrets_attached(const struct box *self, GError **error);
/* Attaches the secret NAME, or detaches it. *CHANGED: it was not so before. */
gboolean secrets_set_attached(const struct box *self, const char *name, gboolean attached,
                              gboolean *changed, GError **error);

/* Appends what the gate of SELF must allow for its secrets: lines "allow RULE". */
void secrets_add_rules(const struct box *self, GPtrArray *lines);

/*
 * Makes what SELF's secrets, and rules with methods or paths, need, before the gate is asked to use
 * it; the rules are written before. That is the files for gate and
 * helper, the helper itself, and the certificates that the box trusts. PID is the box's PID 1,
 * whose root has those of the image. What does not work is told to the user: the hosts of the
 * secrets are refused then.
 */
void secrets_open(const struct box *self, pid_t pid);
/* Removes these files: SELF has no filtered network, and so no secrets. */
void secrets_close(const struct box *self);
/* As secrets_open() after a change; connections to hosts of secrets end. */
void secrets_reopen(const struct box *self, pid_t pid);
/* The same when the rules of SELF, in its runtime folder, have got or lost a host whose requests
 * are read. */
void secrets_check_rules(const struct box *self, pid_t pid);
/* Restarts the helper if it and its supervisor have died. */
void secrets_ensure_running(const struct box *self, pid_t pid);

/* The certificate authority of a box. */
typedef struct {
    char *certificate;    /* as PEM */
    char hashed_name[16]; /* of it in a folder of OpenSSL (openssl-rehash(1)) */
} secrets_authority;
void secrets_authority_free(secrets_authority *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(secrets_authority, secrets_authority_free)
/* That by which the helper of SELF, which secrets_open() has started, signs; NULL: there is none.
 */
secrets_authority *secrets_read_authority(const struct box *self);

/* Adds the variables with placeholders, and those by which programs find the certificates. */
void secrets_add_environment(const struct box *self, GPtrArray *env);
