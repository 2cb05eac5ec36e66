/*
 * What the user has answered to questions of a box's gate (host/gate-asker), and when: files with
 * lines "SECONDS allow RULE" and "SECONDS deny RULE".
 *
 * An answer for good is a rule that `box net` keeps (gate_rules.h); its line, in the box's data
 * folder, says when it was given, and means nothing without the rule. An answer until the box stops
 * is a line in its runtime folder alone.
 */
#pragma once

#include "box/registry/registry.h"

typedef struct {
    gint64 time; /* seconds since 1970 */
    char *line;  /* "allow RULE", normalised */
    gboolean until_stop;
} gate_answer;

/* The box, or a build of its image while it does not run, starts: forgets the answers until it
 * stops. */
gboolean gate_answers_begin(const struct box *self, GError **error);

/* The answers that hold, in the order of their files: of gate_answer, a new array. NULL with ERROR
 * when a file is broken. RUNNING: SELF runs, or starts. */
GPtrArray *gate_answers_read(const struct box *self, gboolean running, GError **error);

/* Keeps LINE as an answer that is given now. */
gboolean gate_answers_add(const struct box *self, const char *line, gboolean until_stop,
                          GError **error);
/* Forgets the answers for RULE, in normal form. *FOUND: there was one until the box stops, which no
 * rule of `box net` stands for. */
gboolean gate_answers_forget(const struct box *self, const char *rule, gboolean *found,
                             GError **error);
