/*
 * The command line of `box keys`. `box` has it for help and completion and passes most verbs on to
 * litterbox-keys, which parses the same words by the same table.
 */
#pragma once

#include "cli/commands/command.h"

enum keys_verb {
    KEYS_GENERATE,
    KEYS_IMPORT,
    KEYS_LIST,
    KEYS_SHOW,
    KEYS_RENAME,
    KEYS_DELETE,
    KEYS_EXPORT,
    KEYS_PASSWD,
    KEYS_UNLOCK,
    KEYS_LOCK,
    KEYS_ATTACH, /* this one and the next: of a box, which litterbox-keys knows nothing about */
    KEYS_DETACH,
    N_KEYS_VERBS,
};
/* By enum keys_verb; without run(). */
extern const struct command_verb keys_verbs[];

typedef struct {
    gboolean json, verify, public, yes, no_passphrase;
    const char *password_fd, *new_password_fd, *passphrase_fd;
} keys_options;

/* The options as they were given. json is set by the caller of command_parse(). */
extern keys_options keys_given;
extern const option keys_option_table[];
