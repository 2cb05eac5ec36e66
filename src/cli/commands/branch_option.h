/* The options --branch and --isolated of run, enter, edit and agent run. */
#pragma once

#include "box/registry/registry.h"

extern const char *branch_option_name; /* NULL: not given */
extern gboolean branch_option_isolated;

/* Rows for the tables of these commands; VERBS as in option.summary. */
#define BRANCH_OPTIONS(VERBS)                                                               \
    {"branch",    'b',                                                                      \
     OPTION_TEXT, &branch_option_name,                                                      \
     "NAME",      VERBS "work on a copy of the project, which is made if it is not there"}, \
    {                                                                                       \
        "isolated", 0, OPTION_FLAG, &branch_option_isolated, NULL,                          \
            VERBS "with --branch: on a copy of the home, too"                               \
    }

/* OF, which it takes, or the branch of it that was asked for. NULL with ERROR, also for OF NULL. */
struct box *branch_option_apply(struct box *of, GError **error);
