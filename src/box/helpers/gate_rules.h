/*
 * The rules that `box net` keeps for a box, besides those of its configuration: lines "allow RULE"
 * and "deny RULE" in its data folder, which no box can write. They are removed with the box.
 */
#pragma once

#include "box/registry/registry.h"

/* The lines, NULL-terminated; none when there is no file. NULL with ERROR when it is broken. */
char **gate_rules_read(const struct box *self, GError **error);

/* What was there before a line was kept. */
enum gate_rules_before { GATE_RULES_NOTHING, GATE_RULES_SAME, GATE_RULES_OPPOSITE };

/* Keeps LINE ("allow RULE"), normalised, in place of its opposite. FALSE with ERROR. */
gboolean gate_rules_add(const struct box *self, const char *line, enum gate_rules_before *before,
                        GError **error);
/* Undoes the last gate_rules_add() of LINE, which gave BEFORE. FALSE with ERROR. */
gboolean gate_rules_take_back(const struct box *self, const char *line,
                              enum gate_rules_before before, GError **error);
/* Forgets what "allow RULE" or "deny RULE" keeps. *FOUND: there was such a line. */
gboolean gate_rules_forget(const struct box *self, const char *rule, gboolean *found,
                           GError **error);
