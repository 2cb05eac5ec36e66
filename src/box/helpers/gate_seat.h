/* One gate of a box: that of the box itself, or that of a build of its image. */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"
#include "proto/network_rules.h"

typedef struct {
    const struct box *box;
    char *folder; /* with its rules, lock, socket and log */
    char *names;  /* its file of the names that were asked for */
    pid_t pid;    /* a process in the network, with which it ends */
    gboolean is_build;
} gate_seat;
/* Frees what is in it. */
void gate_seat_clear(gate_seat *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(gate_seat, gate_seat_clear)

/* Makes sure that it serves. FALSE with ERROR. */
gboolean gate_seat_start(const gate_seat *self, GError **error);
/* Its supervisor is there. Four system calls. */
gboolean gate_seat_is_supervised(const gate_seat *self);
/* The process for which a gate in FOLDER works; 0: there is none. */
pid_t gate_seat_holder_run(const char *folder);

char *gate_seat_rules_path(const gate_seat *self);
/* Writes the file of rules, with KNOWN. */
gboolean gate_seat_write_rules(const gate_seat *self, const settings *known, GError **error);
/* Keeps KNOWN for gate_seat_update(). A box has them by its start. */
gboolean gate_seat_write_config(const gate_seat *self, const settings *known, GError **error);
/* The rules have changed: writes the file again if it is there. */
void gate_seat_renew_rules(const gate_seat *self);
/* The rules have changed: makes the gate obey them now. */
gboolean gate_seat_update(const gate_seat *self, GError **error);

/* What the gate, which may be starting, answers to REQUEST with a text; a new string. */
char *gate_seat_ask_for_text(const gate_seat *self, enum gate_request request, gsize max,
                             GError **error);
