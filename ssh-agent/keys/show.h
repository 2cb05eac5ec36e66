/* Public keys as text. */
#pragma once

#include <jansson.h>

#include "ssh-agent/store/store.h"

/* "ssh-ed25519 AAAA… NAME", as authorized_keys has it. */
char *show_line(const store_entry *entry);
json_t *show_json(const store_entry *entry);
