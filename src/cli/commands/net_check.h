/* `box net check`: what a list would allow, without a box. */
#pragma once

#include "common/error.h"

typedef struct {
    const char *const *allow, *const *deny; /* rules, beside those of the file; or NULL */
    const char *file;                       /* like litterbox.toml; or NULL */
} net_check_rules;

/* Prints how RULES decide about each of HOSTS. Returns the exit status, 0 when all are allowed. -1
 * with ERROR. */
int net_check(const net_check_rules *rules, char *const *hosts, gboolean json, GError **error);

/* TEXT as a rule of [network] allow, or DENIES, normalised; a new string. NULL with ERROR. */
char *net_check_rule(const char *text, gboolean denies, GError **error);
