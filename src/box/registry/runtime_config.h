/*
 * The runtime configuration: what the clients and helpers of a running box need to know. It is
 * written when the box starts, so that `box run` neither parses TOML nor asks Podman. It is in the
 * box's runtime folder on the host, which the box cannot see.
 *
 * Format: NUL-terminated strings, so that any path fits: the version, the settings that reach
 * clients as "section.key=VALUE" (config/settings.h), and the entries "appearance=K=V" and
 * "file=STAMP".
 */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"

struct runtime_config {
    settings *settings; /* only the keys whose row has REACHES_CLIENT; the others are zero */
    char **appearance;  /* "K=V": variables from the desktop's appearance */
    char **file_stamps; /* "SIZE MTIME INODE PATH" of each configuration file, even a missing one */
};
typedef struct runtime_config runtime_config;
void runtime_config_free(struct runtime_config *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(runtime_config, runtime_config_free)

/*
 * Writes the runtime configuration of SELF: the settings WANTED, APPEARANCE (may be NULL), and the
 * current stamps of the configuration files FILES.
 */
gboolean runtime_config_write(const struct box *self, const settings *wanted,
                              char *const *appearance, const char *const *files, GError **error);
/* NULL when it is missing, over 256 KiB, of another version, or malformed. */
struct runtime_config *runtime_config_read(const struct box *self);
/* What stands there, for runtime_config_restore(), in case that what replaces it does not start.
 * NULL: nothing that can be read. */
GBytes *runtime_config_save(const struct box *self);
/* SAVED may be NULL. On failure clients get no configuration, which allows them the least. */
void runtime_config_restore(const struct box *self, GBytes *saved);
/* The first configuration file that has changed since it was written, or NULL. Owned by SELF. */
const char *runtime_config_changed_file(const struct runtime_config *self);
