/*
 * What a box wanted to reach and no rule allows, by the log of its gate (network_log.h), and rules
 * of [network] allow for that. Plain functions: records go in, a list comes out.
 *
 * The box has chosen the names, and the log may be that of a gate that it has taken over; what
 * comes out is pasted into a configuration. So an entry is a rule for one full name, written anew
 * (network_rule_text), or a group of the user's: no quote or control character, no pattern or
 * address that the box has put there. Nor is the host itself suggested: a box that dials a service
 * of its loopback should not find it allowed.
 */
#pragma once

#include <glib.h>

#include "proto/network_record.h"

/* Most names of a log; a box has no more rules. Further ones are counted. */
#define NETWORK_UNMATCHED_MAX NETWORK_RULES_MAX

struct network_unmatched;
typedef struct network_unmatched network_unmatched;
network_unmatched *network_unmatched_new(void);
void network_unmatched_free(network_unmatched *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(network_unmatched, network_unmatched_free)

/* Counts RECORD, if it is of something that a rule would allow. */
void network_unmatched_add(network_unmatched *self, const struct network_record *record);
/* Connections and queries that are in no list, as the names are lost or too many. */
guint64 network_unmatched_lost(const network_unmatched *self);

/* "@github" and its rules. */
typedef struct {
    char *name, **rules;
} network_rule_group;

typedef struct {
    char *entry;       /* of allow: a rule, or "@GROUP" */
    guint64 count;     /* of connections and queries that it would have allowed */
    const char *group; /* of a rule: one that has it; or NULL. Of the caller's GROUPS */
    char **covers;     /* of a group: the rules that it stands for; else NULL */
    guint more;        /* of a group: its rules that allow something else, too */
} network_suggestion;

/*
 * Entries that would allow all of it, in the order of their texts: of network_suggestion, a new
 * array. Left out is what NOW, which may be NULL, decides about. A group of GROUPS (of
 * network_rule_group) takes the place of two rules or more; that with the least MORE first, so
 * that little is allowed that was not wanted. To be called once.
 */
GPtrArray *network_unmatched_suggest(network_unmatched *self, const struct network_rules *now,
                                     const GPtrArray *groups);
