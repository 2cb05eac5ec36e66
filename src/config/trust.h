/*
 * The user's approval of the exact contents of a project's litterbox.toml (design.md, "Trust").
 *
 * Approved contents are kept whole, 0600, in $XDG_STATE_HOME/litterbox/trust/, one file a project
 * path, written atomically; so that a change can be shown as a difference, and so that a change
 * that opens nothing new (trust_widens) needs no new yes.
 */
#pragma once

#include "common/error.h"
#include "config/settings.h"

typedef enum { TRUST_NO_FILE, TRUST_APPROVED, TRUST_NEW, TRUST_CHANGED } trust_state;

typedef struct {
    trust_state state;
    char *contents; /* of the file now; NULL when there is none */
    char *approved; /* contents of the last approval; NULL when there was none */
} trust;
void trust_free(trust *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(trust, trust_free)

/* Reads PROJECT/litterbox.toml (no symlink, a ceiling) and its approval. */
trust *trust_check(const char *project, GError **error);

/* Remembers CONTENTS as approved for PROJECT; trust_revoke forgets. */
gboolean trust_approve(const char *project, const char *contents, GError **error);
gboolean trust_revoke(const char *project, GError **error);

/*
 * What WANTED opens beyond BASE (defaults and user config), one plain sentence a line, such as
 * "read and write /home/me/data", each made safe to show. Empty when nothing.
 */
GPtrArray *trust_openings(const settings *base, const settings *wanted);
/* TRUE when NOW opens anything that APPROVED, over the same BASE, did not. */
gboolean trust_widens(const settings *base, const settings *approved, const settings *now);
