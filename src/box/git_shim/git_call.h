/*
 * A command line of git: what its options say about where git works.
 *
 * Follows handle_options() of git.c: options in front of the command, of which these count here:
 * -C, --git-dir, --work-tree and --bare. An option that is not known may take the next word, so all
 * behind it could mean anything: such a call is not understood.
 */
#pragma once

#include <glib.h>

typedef struct {
    GPtrArray *folders;              /* of the -C, in their order; changed to one by one */
    const char *git_dir, *work_tree; /* the last of each; NULL: not given */
    gboolean bare;
    GPtrArray *rest;     /* the command line without "git" and the options above, but with --bare */
    const char *command; /* the first word that is no option; NULL: none */
    char **arguments;    /* of the command; empty when there is none */
    const char *unknown; /* the option for which the call is not understood; NULL: it is */
} git_call;

/* Reads ARGV, with "git" as its first word. All of SELF but its arrays points into ARGV. */
void git_call_parse(git_call *self, char **argv);
void git_call_clear(git_call *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(git_call, git_call_clear)
