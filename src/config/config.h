/*
 * The configuration of a box: reads all files, checks trust, and merges them into one settings.
 *
 * Later ones win: built-in defaults, the user's config.toml, the project's litterbox.toml (only in
 * the contents that the user approved), the user's boxes/NAME.toml, flags of the command line.
 */
#pragma once

#include "common/error.h"
#include "config/schema.h"
#include "config/trust.h"

typedef struct config config;
void config_free(config *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(config, config_free)

/*
 * Loads the configuration of the project folder PROJECT (absolute) and the box NAME. NAME may be
 * NULL while only box.name is wanted: boxes/NAME.toml and the devices of the box are left out then.
 * FLAGS: NULL-terminated "section.key=TOML-value" from the command line, or NULL.
 *
 * The project's file is used only if the user has approved it; UNTRUSTED says what happens
 * otherwise. Fails with BOX_ERROR_UNTRUSTED; or with BOX_ERROR_CONFIG and every error of all files
 * in the message, a line each: "file:line:column: [section] key: what is wrong".
 */
config *config_load(const char *project, const char *name, const char *const *flags,
                    trust_policy untrusted, GError **error);

/* Where the user's own configuration of the box NAME is, boxes/NAME.toml; a new string. */
char *config_box_path(const char *name);

/*
 * The configuration of a box that installs a program into a folder that other boxes see
 * (box/registry/tools.h), with IMAGE: as little as that needs. Nothing of the user's is in it but
 * programs (home.share_toolchains), and it reaches ALLOW (NULL: nothing) alone. WANTED are the
 * settings of the box that asks; what it has by them and is not named here it does not have.
 */
config *config_for_installation(const settings *wanted, const char *image, char *const *allow);

/* The merged result. Owned by SELF. */
const settings *config_settings(const config *self);

/*
 * The files that were looked for, whether they exist or not, as absolute paths; NULL-terminated.
 * The runtime configuration has their stat data, so that `box run` sees a change without parsing
 * them. Owned by SELF.
 */
const char *const *config_files(const config *self);

/* Makes of NETWORK_ASK what it stands for, so that nothing else has to know it: NETWORK_FILTERED
 * with ask, unless something else is said about that (SAYS_ASK), and with some groups in allow.
 * config_settings() has that. */
void config_complete_network(settings *into, gboolean says_ask);
/* network.mode = "ask" allows the group ENTRY. */
gboolean config_asking_allows(const char *entry);
/* The mode is "ask", and no file says so. */
gboolean config_asks_by_default(const config *self);

/*
 * Calls EACH for every key in the schema's order, with where its value came from and the file (NULL
 * for defaults and flags). config/value.h prints FIELD, the value, as it is written: mode "ask"
 * stays.
 */
typedef void (*config_each_func)(const schema_key *row, const void *field, settings_origin origin,
                                 const char *file, gpointer user_data);
void config_each(const config *self, config_each_func each, gpointer user_data);

const char *config_origin_name(settings_origin origin);
