/*
 * The list of all rules of a box: of its configuration, of `box net` (gate_rules.h) and of the
 * user's answers (gate_answers.h), with their groups expanded. It is the file that the gate reads
 * (proto/network_rules.h); a line is "allow RULE TAB SOURCE", or "allow RULE TAB SOURCE TAB GROUP".
 * What is shown is made from the same lines.
 */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"

enum gate_source {
    GATE_FROM_CONFIG,
    GATE_FROM_NET,    /* `box net` keeps it, or its group */
    GATE_FROM_ANSWER, /* of the user's, until the box stops */
    GATE_FROM_SECRET, /* a secret of the box needs it */
};

struct gate_line {
    char *rule; /* "allow RULE", "deny RULE" */
    enum gate_source source;
    char *group; /* that it is from, "@github"; or NULL */
};

/* When the list holds. */
enum gate_list_when {
    GATE_LIST_NEXT,    /* from the next start of the box on */
    GATE_LIST_RUNNING, /* now: with the answers until the box stops */
    GATE_LIST_BUILD,   /* in a build of its image: with these, and without its secrets */
};

/*
 * The text of the file, a new string: with KNOWN, the settings of SELF at its start, or those that
 * the next start will have. A group that cannot be
 * known is an error; with MISSING, which is empty, "@apt" and "@npm" are added to it where the box
 * has no container yet. SELF NULL: of no box.
 */
char *gate_list_text(const struct box *self, const settings *known, enum gate_list_when when,
                     GPtrArray *missing, GError **error);

/* The rules in TEXT, of struct gate_line. */
GPtrArray *gate_list_parse(const char *text);
