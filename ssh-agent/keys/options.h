/* The command line of `box keys`: box knows it for help and completion, litterbox-keys acts on it.
 */
#pragma once

#include "box/options.h"

typedef struct {
    gboolean json, verify, public, yes, no_passphrase;
    const char *password_fd, *new_password_fd, *passphrase_fd;
} keys_options;

extern keys_options keys_given;
extern const option keys_option_table[];

/* What the first operand may be, and how many there are at most. */
#define KEYS_VERBS "generate import list show rename delete export passwd unlock lock attach detach"
#define KEYS_OPERANDS_MAX 3
