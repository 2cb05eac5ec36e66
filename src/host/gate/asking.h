/*
 * The questions to the user about names that no rule has (ask_table.h says which are asked): each
 * by a litterbox-gate-asker, which a launcher starts that was forked before the gate gave up its
 * rights. An answer that lasts comes as a rule, when the gate reads its rules again. libc only.
 */
#pragma once

#include "proto/network_rules.h"

/* Forks the launcher. The askers get the box's runtime FOLDER, its PROJECT and its PID 1, RUN, all
 * of which are kept. Returns the socket to it, or -1 with errno. */
int asking_fork_launcher(const char *folder, const char *project, const char *run);

/* Asks through LAUNCHER; -1: never. RULES are kept. */
void asking_start(const struct network_rules *rules, int launcher);

/* The contents of RULES have changed: withdraws the questions that they answer. Call it after the
 * connections were told. */
void asking_check_rules(void);
