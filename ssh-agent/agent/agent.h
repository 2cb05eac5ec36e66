/*
 * litterbox-ssh-agent: the pieces of the daemon and what they share.
 *
 *   main        start-up, in stages: lock, launcher, sockets, sandbox, loop
 *   launcher    a helper forked before the sandbox: starts the prompt, opens known_hosts files
 *   boxes       the open boxes: listening socket, PID 1 as a pidfd, a record for the next agent
 *   client      one connection from a box: bytes to requests, one at a time, answers in order
 *   upstream    one connection to the real agent for each client
 *   own         keys of the encrypted store, while it is unlocked
 *   keyring     which of the real agent's keys a client may see
 *   sign        a sign request from its parts to the answer; describe makes the question of it
 *   frame       what all questions say
 *   questions, manners, grants   policy, without a socket or a clock of their own
 *   asker       questions to the prompt; control: `box agent` and `box keys`
 *   audit       the log; without it nothing is signed
 *   session     logind: locked, going to sleep
 *   sandbox     what the process gives up
 *
 * Everything runs in one thread, in one GLib main loop. A client can go away at any moment: whoever
 * works for it forgets it in client_close().
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "ssh-agent/agent/audit.h"
#include "ssh-agent/agent/grants.h"
#include "ssh-agent/agent/launcher.h"
#include "ssh-agent/agent/own.h"
#include "ssh-agent/agent/questions.h"

/* Who waits for an answer: the first member of each waiter that is given to questions_ask(). */
typedef struct {
    question_answered answered;
} asking;

typedef struct agent {
    GMainLoop *loop;
    grants *grants;
    questions *questions;
    audit *log;
    launcher *launcher;
    own *own;
    GHashTable *boxes;   /* name -> agent_box */
    GHashTable *prompts; /* question id -> prompt, of asker.c */
    char **display;      /* "K=V" for the prompt; NULL: no display known */
    guint8 secret[32];   /* what phrase and colours are made of; no box can know it */
    gboolean locked;     /* by `box agent lock` */
    gboolean held;       /* screen locked: questions wait */
    gint64 idle_after;   /* seconds; 0: never ends by itself */
    guint idle;          /* source of the end */
    guint ticker;        /* source of the questions' clock */
} agent;

/* CLOCK_BOOTTIME in microseconds: goes on while the machine sleeps. */
gint64 agent_now(void);

/* What a lock of any kind does: grants go, questions are answered with no. */
void agent_forget_grants(agent *self, const char *why);

/* Grants end with sleep, also where no logind told of it, or has not yet. */
void agent_check_sleep(agent *self);

/* Has the questions looked at every now and then, as long as there are any. */
void agent_tick(agent *self);

/* Looks whether there is still something to be here for. */
void agent_check_idle(agent *self);

/* identity.c: the secret's file, made when missing. */
gboolean identity_load(agent *self, GError **error);
/* "amber otter", and "#rrggbb" of a box; new strings. */
char *identity_phrase(const agent *self);
char *identity_colour(const agent *self, const char *box);
