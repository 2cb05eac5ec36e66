/* What `box net` prints. */
#pragma once

#include "config/config.h"
#include "proto/network_rules.h"

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
