/* Single openings in plain words; new strings, safe to show. */
#pragma once

#include "config/schema.h"

/* SAYS (from the schema, one %s or none) with TEXT in quotes. */
char *words_for(const char *says, const char *text);
/* "read and write access to ~/data", with a warning where the source holds more than it seems. */
char *words_for_mount(const settings_mount *mount);
char *words_for_port(const port_mapping *port);
/* "memory limit: 8 GiB". */
char *words_for_limit(const schema_key *row, const settings *self);
