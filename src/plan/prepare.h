/* Writing what a plan mounts: the pieces of plan_prepare(). */
#pragma once

#include "plan/draft.h"

/* Everything that one of them needs. */
typedef struct {
    const plan_box *box;
    const settings *wanted;
    const plan_facts *facts;
    const json_t *request;
} plan_prepared;

/* Always FALSE, with ERROR: what errno says of it. */
gboolean plan_cannot(const char *verb, const char *path, GError **error);
/*
 * Writes TEXT to PATH through a temporary file and a rename, unless it holds that already. Not
 * synced: all of it can be made again, and is looked at before each start.
 */
gboolean plan_write(const char *path, const char *text, gssize length, mode_t mode, GError **error);

/* prepare_root.c: the host image's empty root. */
gboolean plan_prepare_root(const plan_prepared *self, GError **error);
/* prepare_look.c: what programs in the box are told of how the user's desktop looks. */
gboolean plan_prepare_look(const plan_prepared *self, GError **error);
/* prepare_points.c: a place to mount on, for each mount that stands on a folder of the host. */
gboolean plan_prepare_points(const plan_prepared *self, GError **error);

/* prepare_names.c: texts of hosts, resolv.conf and profile. */
char *plan_hosts_text(const plan_box *box, const settings *wanted);
char *plan_resolv_text(const settings *wanted);
/* Shell code that puts the folders of PATH in front again; /etc/profile sets it anew. */
char *plan_profile_text(const json_t *request);
