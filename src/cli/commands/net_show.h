/* What `box net` prints. */
#pragma once

#include "config/config.h"
#include "proto/network_rules.h"

/* The rules of a box. */
typedef struct {
    struct network_rules rules;
    char **lines;      /* the same as text, "allow RULE" */
    const char **from; /* of each: "user", "box net"; or "start" when its file has changed since */
    gboolean running;
} net_view;

/* LINES: all rules, of which `box net` keeps OWN. READ says where the others come from. */
net_view *net_view_new(char *const *lines, char *const *own, const config *read, gboolean running);
void net_view_free(net_view *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(net_view, net_view_free)

void net_show_rules(const net_view *self, gboolean json);

/* HOST: "NAME", "NAME:PORT" or "ADDRESS:PORT". FALSE with ERROR when it is none of them. */
gboolean net_show_why(const net_view *self, const char *host, gboolean json, gboolean *is_allowed,
                      GError **error);

/* The lines of the gate's log in FOLDER about connections; DENIED: those that were refused. */
void net_show_log(const char *folder, gboolean denied, gboolean json);
