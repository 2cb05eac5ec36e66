/* Settings out of layers: what config_load and trust have in common. */
#pragma once

#include "config/layer.h"

/* The user's config.toml, absolute. */
char *build_user_path(void);

/*
 * Defaults, the user's config.toml, and CONTENTS (NULL: none) as PROJECT's file. NULL and
 * BOX_ERROR_CONFIG with all problems of both.
 */
settings *build_over_user(const char *project, const char *contents, GError **error);
