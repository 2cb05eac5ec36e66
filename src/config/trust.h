/*
 * The user's approval of the exact contents of a project's litterbox.toml (design.md, "Trust").
 *
 * Approved contents are kept whole, 0600, in $XDG_STATE_HOME/litterbox/trust/, one file a project
 * path, written atomically; so that a change can be shown as a difference, and so that a change
 * that opens nothing new (trust_widens) needs no new yes.
 */
#pragma once

#include "config/config.h"

typedef enum { TRUST_NO_FILE, TRUST_APPROVED, TRUST_NEW, TRUST_CHANGED } trust_state;

typedef struct {
    trust_state state;
    char *contents; /* of the file now; NULL when there is none */
    char *approved; /* contents of the last approval; NULL when there was none */
} trust;
void trust_free(trust *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(trust, trust_free)

/*
 * Reads PROJECT/litterbox.toml (file.h: no symlink, a ceiling, no NUL) and its approval. PROJECT is
 * a real path: trust belongs to a place, so a moved project asks again.
 */
trust *trust_check(const char *project, GError **error);

/* Remembers CONTENTS as approved for PROJECT; trust_revoke forgets. */
gboolean trust_approve(const char *project, const char *contents, GError **error);
gboolean trust_revoke(const char *project, GError **error);

/*
 * What WANTED opens beyond FROM, one plain sentence a line, such as "read and write access to
 * ~/data", each made safe to show. Empty when nothing. FROM is what the box would have without the
 * file (defaults and user config), or with the approved one.
 */
GPtrArray *trust_openings(const settings *from, const settings *wanted);
/*
 * TRUE when NOW opens anything that APPROVED did not; both over the same user's configuration. What
 * the user's defaults would give counts too where the approved file had less: a project that gave
 * up the network does not get it back without a yes.
 */
gboolean trust_widens(const settings *approved, const settings *now);

/*
 * Decides, as ASK says, whether the project file counts: see config_load. A new file always needs a
 * yes; a changed one only when it widens. A change that narrows counts at once and is *not*
 * remembered as approved, so that going back to what the user approved asks nothing; anything
 * else is held against the approval again.
 */
gboolean trust_decide(const char *project, const trust *state, trust_ask ask, gboolean *counts,
                      GError **error);

/*
 * What a person has to know before the yes: the difference to what was approved, then in words
 * everything that the file opens. Several lines, safe to show. NULL with BOX_ERROR_CONFIG when the
 * file is wrong, or BOX_ERROR_UNTRUSTED when it opens more than a person would read.
 */
char *trust_describe(const char *project, const trust *state, GError **error);

/*
 * Shows TEXT on the terminal (/dev/tty) and asks "Trust this? [y/N]". Only "y" or "yes" is a yes.
 * FALSE when there is no terminal to ask on (ask_can).
 */
gboolean trust_question(const char *text, gboolean *yes);
