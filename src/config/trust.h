/*
 * Trust: the user's approval of the exact contents of a project's litterbox.toml, and of the files
 * that it names and that are executed (config/named_files.h).
 *
 * The approved contents are kept in $XDG_STATE_HOME/litterbox/trust/, one file for each project
 * path, with mode 0600, written atomically. So a change can be shown as a difference, and a change
 * that opens nothing new (trust_widens) needs no new approval.
 */
#pragma once

#include "common/error.h"
#include "config/schema.h"
#include "config/settings.h"

/* What config_load() does with a project file that is not approved. */
typedef enum {
    TRUST_REQUIRE, /* fail with BOX_ERROR_UNTRUSTED (exit status 78), and say what to do */
    TRUST_ASK,     /* ask on the terminal; without one like TRUST_REQUIRE */
    TRUST_IGNORE,  /* use the file as if it were approved: for config show, plan, trust itself */
    TRUST_SKIP,    /* use what was approved last in its place, also of one that cannot be read */
} trust_policy;

typedef enum {
    TRUST_NO_FILE,
    TRUST_APPROVED,
    TRUST_NEW,
    TRUST_CHANGED,
    TRUST_GONE /* there is none, but one was approved */
} trust_state;

typedef struct {
    trust_state state;
    char *contents; /* of the file now; NULL when there is none */
    char *approved; /* contents of the last approval; NULL when there was none */
    /* What the files hold that those contents name, now and then; "" for none (named_files_text) */
    char *files, *approved_files;
} trust;
void trust_free(trust *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(trust, trust_free)

/*
 * Reads PROJECT/litterbox.toml (layer_read_project_file) and its approval. PROJECT is a real path:
 * trust belongs to a path, so that a project that was moved asks again.
 */
trust *trust_check(const char *project, GError **error);

/* The contents that were approved last for PROJECT, a new string; NULL when there are none, or they
 * do not fit this version. */
char *trust_last_approved(const char *project);

/* Stores SEEN, from trust_check(), as approved for PROJECT; a file that is gone as no approval. */
gboolean trust_approve_seen(const char *project, const trust *seen, GError **error);
/* Stores CONTENTS, and the files that they name, as approved; trust_revoke() takes that back. */
gboolean trust_approve(const char *project, const char *contents, GError **error);
gboolean trust_revoke(const char *project, GError **error);

/*
 * What NOW allows beyond BEFORE: phrases such as "read and write access to ~/data", safe to show.
 * BEFORE are the settings without the project's file, or with the approved one.
 */
GPtrArray *trust_openings(const settings *before, const settings *now);
/*
 * TRUE when NOW opens anything that APPROVED did not; both over the same configuration of the user.
 * What the user's own configuration gives counts as well where the approved file had less: a
 * project that gave up the network does not get it back without an approval.
 */
gboolean trust_widens(const settings *approved, const settings *now);

/*
 * Decides which contents of the project's file count, in *COUNTS; they belong to STATE, NULL: none.
 * A new file always needs an approval, a changed one only when it opens more, or when a file that
 * it names has changed. A change that opens nothing counts at once but is not stored as approved,
 * so that the user can go back to the approved contents without a question. A file that is gone is
 * like an empty one: where that opens more than was approved, somebody may have removed it for
 * that. Fails as config_load() does.
 */
gboolean trust_decide(const char *project, const trust *state, trust_policy untrusted,
                      const char **counts, GError **error);

/*
 * What the user must know before an approval: the difference to what was approved, and in words
 * everything that the file opens. Several lines, safe to show. NULL with BOX_ERROR_CONFIG when the
 * file is wrong, with BOX_ERROR_UNTRUSTED when it opens more than a person would read.
 */
char *trust_describe(const char *project, const trust *state, GError **error);

/*
 * What STATE allows beyond what was approved, for a question that has no room for both texts:
 * phrases, safe to show. NULL with ERROR when they would not say all of it, as a file that it names
 * has changed, too; or when there are more than a person would read.
 */
GPtrArray *trust_news(const char *project, const trust *state, GError **error);

/* Shows TEXT on the terminal and asks "Trust this? [y/N]" (ask_yes). FALSE without a terminal. */
gboolean trust_question(const char *text, gboolean *yes);

/*
 * trust_words.c: what a setting allows a box, in words for the question whether it is trusted. What
 * comes from the file is made harmless and cut. SAYS is the sentence of a row of the schema, with
 * %s for the value. Each returns a new string.
 */

char *trust_words_for(const char *says, const char *text);
/* Not cut: what stands in the middle may be what matters. */
char *trust_words_for_all(const char *says, const char *text);
/* "'@github': api.github.com, …": what a group stands for, by its RULES (NULL: it is not known). It
 * is the user's or Litterbox's own, so that a project chooses which one, and not what is in it. */
char *trust_words_for_group(const char *says, const char *group, char *const *rules);
/* For a rule of [network]: "'api.example.com'"; "port 5432 of this machine's loopback interface
 * ('host:5432')". */
char *trust_words_for_rule(const char *says, const char *text, gboolean denies);
/* With a warning where the mount holds keys, passwords or the like. */
char *trust_words_for_mount(const settings_mount *mount);
char *trust_words_for_port(const port_mapping *port);
/* The limit ROW in SELF. */
char *trust_words_for_limit(const schema_key *row, const settings *self);
/* What becomes of an image is not plain from its name alone. */
char *trust_words_for_image(const schema_key *row, const char *image);
