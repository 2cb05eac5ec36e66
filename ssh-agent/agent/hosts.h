/* The names that the user knows a host key by: from files of the host alone. */
#pragma once

#include "ssh-agent/agent/client.h"
#include "ssh-agent/wire/key.h"

typedef struct {
    gboolean revoked;
    GPtrArray *names; /* of char *, safe, the most telling first */
    gboolean more;
} hosts_answer;
void hosts_answer_clear(hosts_answer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(hosts_answer, hosts_answer_clear)

/* Names that the asking program, PID, has on its command line are tried against hashed entries. */
void hosts_look(hosts_answer *self, launcher *files, const struct ssh_key *host, pid_t pid);
