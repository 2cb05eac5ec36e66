/* The parts of `box agent`. */
#pragma once

#include "box/registry/registry.h"
#include "config/agent_preset.h"
#include "config/settings.h"
#include "proto/network_rules.h"

/* agent_doctor.c: the checks of `box agent doctor`: what helps an agent in its box, or is in its
 * way. */

/* Checks the agent NAME in SELF, and starts the program if it is installed: a report of
 * doctor/doctor.h. */
GPtrArray *agent_doctor_report(struct box *self, const char *name);

/* agent_needs.c: what an agent needs of its box. First, of a filtered network, and what of that its
 * box may not reach. */

typedef struct {
    char *entry;  /* of the preset, or the group that a rule is of: what would allow it */
    char *rule;   /* "api.example.com"; a group, when its rules are not known */
    char *denied; /* the rule that denies it, "deny *.example.com"; NULL: no rule has it */
    gboolean asked;
} network_lack;

/*
 * Of ENTRIES (NULL: none), rules and groups, what the network of SELF does not allow, of
 * network_lack; none when it is not filtered. KNOWN are the settings of its next start. NULL
 * with ERROR.
 */
GPtrArray *agent_network_lacks(const struct box *self, const settings *known, char *const *entries,
                               GError **error);

/* The rules of ENTRIES; those of groups that each box computes are left out. FALSE with ERROR. */
gboolean agent_network_rules(char *const *entries, struct network_rules *rules, GError **error);

/* The command that allows LACK, "box net allow shop @example"; a new string. */
char *agent_network_command(const struct box *self, const network_lack *lack);

/* Tells the user what allows that which PRESET needs and no rule has. Opens nothing. */
void agent_network_note(const struct box *self, const agent_preset *preset);

/* And what it logs in with that its box does not hold. */

/* "anthropic, other": the secrets of SELF for hosts that PRESET needs, a new string; "" for none.
 */
char *agent_secrets(const struct box *self, const agent_preset *preset);

/* Tells the user how a key can stay out of SELF, when the agent has neither such a secret nor a
 * login. */
void agent_secrets_note(const struct box *self, const agent_preset *preset);

/* agent_run.c: the start of an agent, by `box agent run` and the shim of its name. */

/* Installs the agent of PRESET for SELF where it is missing, as agents_install(), and says what its
 * first start in this box should know. */
gboolean preset_install(struct box *self, const agent_preset *preset, GError **error);

/*
 * Runs the agent of PRESET in SELF with the user's ARGUMENTS (may be NULL), as agents_run(): with a
 * snapshot before, and with notes on what its network lacks and, the first time, on its key.
 */
int preset_run(struct box *self, const agent_preset *preset, gboolean asks, char *const *arguments,
               GError **error);
