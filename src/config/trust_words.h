/*
 * What a setting allows a box, in words for the question whether it is trusted. What comes from the
 * file is made harmless and cut. SAYS is the sentence of a row of the schema, with %s for the
 * value. Each returns a new string.
 */
#pragma once

#include "config/schema.h"
#include "config/settings.h"

char *trust_words_for(const char *says, const char *text);
/* Not cut: what stands in the middle may be what matters. */
char *trust_words_for_all(const char *says, const char *text);
/* "'@github': api.github.com, …": what a group stands for, by its RULES (NULL: it is not known). It
 * is the user's or Litterbox's own, so that a project chooses which one, and not what is in it. */
char *trust_words_for_group(const char *says, const char *group, char *const *rules);
/* With a warning where the mount holds keys, passwords or the like. */
char *trust_words_for_mount(const settings_mount *mount);
char *trust_words_for_port(const port_mapping *port);
/* The limit ROW in SELF. */
char *trust_words_for_limit(const schema_key *row, const settings *self);
/* What becomes of an image is not plain from its name alone. */
char *trust_words_for_image(const schema_key *row, const char *image);
