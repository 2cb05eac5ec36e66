/*
 * A layer of the configuration: one file or one flag, read and applied to settings by the schema.
 * All its problems are gathered. Values that are right are set all the same, and the caller
 * discards the settings when there was a problem. The fuzzer calls layer_apply() as well.
 */
#pragma once

#include "common/error.h"
#include "config/problems.h"
#include "config/schema.h"

typedef struct {
    const char *file; /* for messages */
    settings_origin origin;
    problems *problems;
    settings *into;
    gboolean *set; /* of schema_count: set to TRUE for each row that this layer has; or NULL */
} layer;

/* FALSE when there was a problem. */
gboolean layer_apply(const layer *self, const char *text, gsize length);

/*
 * Applies a flag of the command line, "section.key=VALUE". VALUE is TOML; what is not is taken as a
 * string ("box.image=host").
 */
gboolean layer_apply_flag(const layer *self, const char *flag);

#define PROJECT_FILE "litterbox.toml"
/* Bytes of the largest configuration file that is read; real ones have some kilobytes. */
#define CONFIG_FILE_MAX (1 << 20)

/*
 * Reads the user's own file PATH, at most CONFIG_FILE_MAX bytes. It may be a symlink, as dotfiles
 * often are. *DATA is NULL when it does not exist. Fails with BOX_ERROR_CONFIG.
 */
gboolean layer_read_own_file(const char *path, char **data, gsize *length, GError **error);

/*
 * Reads PROJECT/litterbox.toml, which a box may have written: no symlink is followed, and only a
 * regular file without NUL is read. *DATA is NULL when it does not exist. A folder of that name and
 * an empty file count as missing: they are the placeholders that a running box without the file
 * has there.
 */
gboolean layer_read_project_file(const char *project, char **data, gsize *length, GError **error);

/* The absolute path of the user's config.toml. A new string. */
char *layer_user_file_path(void);

/* Mode "ask" asks, unless a file or flag has said something about ask (IS_SAID). */
void layer_complete_ask(settings *into, gboolean is_said);

/*
 * Merges the defaults, the user's config.toml and CONTENTS (or NULL) as PROJECT's file. Fails with
 * BOX_ERROR_CONFIG and all problems of both files.
 */
settings *layer_merge_project(const char *project, const char *contents, GError **error);
