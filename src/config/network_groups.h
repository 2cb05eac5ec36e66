/*
 * Groups of [network] allow and deny: "@github" stands for the rules of network/github.toml. The
 * user's own file, in $XDG_CONFIG_HOME/litterbox, takes the place of the installed one. A project
 * can name groups and has none of its own.
 *
 * A file has one key, `hosts`, a list of rules, and of groups without groups of their own. "@apt"
 * and "@npm" are computed for each box (box/helpers/package_hosts.h), unless the user has a file
 * for them.
 */
#pragma once

#include "common/error.h"

/* TRUE for "@NAME", whether there is such a group or not. */
gboolean network_group_is(const char *entry);
/* TRUE when nobody knows the rules of ENTRY but a box. */
gboolean network_group_is_computed(const char *entry);

/*
 * The rules of the group ENTRY, as an entry of deny when DENIES; those of a computed one are not
 * known, and it stands for itself. NULL-terminated; NULL with BOX_ERROR_CONFIG when there is no
 * such group, or its file is wrong.
 */
char **network_group_read(const char *entry, gboolean denies, GError **error);

/* All groups, "@NAME", sorted; free with g_strfreev(). */
char **network_group_names(void);

/* Parses LENGTH bytes of TEXT as FILE; for the tests as well. */
char **network_group_parse(const char *file, const char *text, gsize length, gboolean denies,
                           GError **error);
