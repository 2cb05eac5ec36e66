/*
 * Reads every configuration file of a project, checks trust, and merges them into one settings.
 *
 * Order, later wins: built-in defaults, the user's config.toml, the project's litterbox.toml (only
 * in the contents the user approved), the user's boxes/NAME.toml, flags ("section.key=value").
 */
#pragma once

#include "common/error.h"
#include "config/settings.h"

typedef enum {
    ORIGIN_DEFAULT,
    ORIGIN_USER,
    ORIGIN_PROJECT,
    ORIGIN_BOX,
    ORIGIN_FLAG,
    N_ORIGINS,
} config_origin;

/* Largest configuration file that is read. */
#define CONFIG_FILE_MAX (1 << 20)

typedef struct config config;
void config_free(config *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(config, config_free)

/*
 * Loads for the project folder PROJECT (absolute) and the box NAME (NULL: not known yet, so that
 * box.name can be read; boxes/NAME.toml is then left out). FLAGS: NULL-terminated
 * "section.key=TOML-value" from the command line, or NULL.
 *
 * The project file counts only as far as trust allows (trust.h); trust_ask decides what happens
 * otherwise. Fails with BOX_ERROR_CONFIG, every error of all files in the message, a line each:
 * "file:line:column: [section] key: what is wrong"; or with BOX_ERROR_UNTRUSTED.
 */
typedef enum {
    TRUST_REQUIRE, /* an unapproved project file is an error (exit 78) that says what to do */
    TRUST_ASK,     /* ask on the terminal; without one as TRUST_REQUIRE */
    TRUST_IGNORE,  /* read the project file as if approved: for config show, plan, trust itself */
    TRUST_SKIP,    /* leave an unapproved or unreadable project file out, without an error */
} trust_ask;
config *config_load(const char *project, const char *name, const char *const *flags, trust_ask ask,
                    GError **error);

/* The merged result. Owned by SELF. */
const settings *config_settings(const config *self);
/* TRUE when the project has a litterbox.toml that counts in the result. */
gboolean config_has_project_file(const config *self);

/*
 * The files that were looked for, whether they exist or not, as absolute paths: the running box's
 * record holds their stat data, so that `box run` sees a change without a parse. Owned by SELF.
 */
const char *const *config_files(const config *self);

/*
 * Calls EACH for every key in the schema's order: "section.key", its value as TOML text, where it
 * came from, and the file (NULL for defaults and flags).
 */
typedef void (*config_each_func)(const char *key, const char *toml_value, config_origin origin,
                                 const char *file, gpointer user_data);
void config_each(const config *self, config_each_func each, gpointer user_data);

const char *config_origin_name(config_origin origin);
