/*
 * One file (or one flag) applied to settings: from bytes to typed values, by the schema. All
 * problems of the file are noted; values that are right are set even so, and the caller drops the
 * settings when there was any problem. Also what the fuzzer calls.
 */
#pragma once

#include "config/config.h"
#include "config/problems.h"
#include "config/schema.h"

typedef struct {
    const char *file; /* for messages */
    config_origin origin;
    problems *problems;
    settings *into;
    gboolean *set; /* of schema_count: set to TRUE for each row that this layer has; or NULL */
} layer;

/* FALSE when there was a problem. */
gboolean layer_apply(const layer *self, const char *text, gsize length);

/*
 * FLAG is "section.key=VALUE": TOML, or a bare word where the key takes a string
 * ("box.image=host").
 */
gboolean layer_apply_flag(const layer *self, const char *flag);
