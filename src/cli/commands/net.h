/* The parts of `box net`. */
#pragma once

#include "box/registry/registry.h"
#include "common/error.h"
#include "config/config.h"
#include "proto/network_rules.h"

/* net_check.c: `box net check`: what a list would allow, without a box. */

typedef struct {
    const char *const *allow, *const *deny; /* rules, beside those of the file; or NULL */
    const char *file;                       /* like litterbox.toml; or NULL */
} net_check_rules;

/* Prints how RULES decide about each of HOSTS. Returns the exit status, 0 when all are allowed. -1
 * with ERROR. */
int net_check(const net_check_rules *rules, char *const *hosts, gboolean json, GError **error);

/* TEXT as a rule of [network] allow, or DENIES, normalised; a new string. NULL with ERROR. */
char *net_check_rule(const char *text, gboolean denies, GError **error);

/* net_log.c: what `box net log` and `box net suggest` print. */

/* The records of SELF's gate; DENIED: those that were refused, or would have been. FOLLOW: waits
 * for more. FALSE with ERROR. */
gboolean net_log_show(const struct box *self, gboolean follow, gboolean denied, gboolean json,
                      GError **error);

/* Rules for what SELF wanted and no rule allows; but for what NOW, which may be NULL, decides
 * about. FALSE with ERROR. */
gboolean net_log_suggest(const struct box *self, const struct network_rules *now, gboolean json,
                         GError **error);

/* net_show.c: what `box net` prints. */

/* The rules of a box, and where each comes from. */
typedef struct {
    struct network_rules rules;
    GPtrArray *lines; /* the same, of struct gate_line (box/helpers/gate_list.h) */
    const char *
        *from; /* of each: "box net", a file, "flag"; or "start": its file has changed since */
    gboolean running;
} net_view;

/* TEXT: the file of all rules. READ says where those of the configuration come from; or NULL. */
net_view *net_view_new(const char *text, const config *read, gboolean running);
void net_view_free(net_view *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(net_view, net_view_free)

void net_show_rules(const net_view *self, gboolean json);
/* ANSWERS: of gate_answer (box/helpers/gate_answers.h). */
void net_show_answers(const GPtrArray *answers, gboolean json);

/* HOST: "NAME", "NAME:PORT" or "ADDRESS:PORT". FALSE with ERROR when it is none of them. */
gboolean net_show_why(const net_view *self, const char *host, gboolean json, gboolean *is_allowed,
                      GError **error);

/* How SELF decides about each of HOSTS, as above. *ARE_ALLOWED: all of them. FALSE with ERROR. */
gboolean net_show_check(const net_view *self, char *const *hosts, gboolean json,
                        gboolean *are_allowed, GError **error);

/* net_top.c: what `box net top` prints. */

/* The open connections of SELF, whose PID 1 is INIT, with what they moved in the last second; on a
 * terminal again and again. FALSE with ERROR. */
gboolean net_top(const struct box *self, pid_t init, gboolean json, GError **error);
