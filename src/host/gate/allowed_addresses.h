/* Which addresses of a name may be dialled. libc only. */
#pragma once

#include "host/gate/resolver.h"
#include "proto/network_rules.h"

/* Keeps the addresses of FOUND that may be dialled. *WHY: why the last other one may not. */
void allowed_addresses_keep(const struct network_rules *rules, struct resolved *found,
                            const char **why);
