/*
 * The list of all rules of a box: of its configuration and of `box net` (gate_rules.h), with their
 * groups expanded. It is the file that the gate reads (proto/network_rules.h); a line is
 * "allow RULE TAB SOURCE", or "allow RULE TAB SOURCE TAB GROUP". What is shown is made from the
 * same lines.
 */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"

struct gate_line {
    char *rule;      /* "allow RULE", "deny RULE" */
    gboolean is_own; /* `box net` keeps it, or its group */
    char *group;     /* that it is from, "@github"; or NULL */
};

/*
 * The text of the file, a new string: with KNOWN, the settings of SELF at its start, or those that
 * the next start will have. A group that cannot be known is an error; with MISSING, which is empty,
 * "@apt" and "@npm" are added to it where the box has no container yet.
 */
char *gate_list_text(const struct box *self, const settings *known, GPtrArray *missing,
                     GError **error);

/* The rules in TEXT, of struct gate_line. */
GPtrArray *gate_list_parse(const char *text);
