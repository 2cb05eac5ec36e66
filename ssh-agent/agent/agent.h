/*
 * litterbox-ssh-agent: what its modules share. One agent serves all boxes of the user.
 *
 *   main              start in stages, confinement, the clock, the end
 *   prompt_launcher   a process forked before the confinement: starts prompts, opens known_hosts
 * files socket_paths      the folder with sockets, lock and records boxes, agent_box  the open
 * boxes: socket, PID 1, attached keys client            a connection from a box, its requests, the
 * keys that it may see sign              a sign request: grants, the question, the signature
 *   upstream          a connection to the real agent, one for each client
 *   keystore_backend  the keys of the encrypted store, while it is unlocked
 *   key_offer         offers the user's keys to a box that has none
 *   prompt_client     shows questions; the phrase and the colours of prompts
 *   control           the control socket: `box`, `box agent`, `box keys`
 *   logind            screen lock and sleep
 *   audit             the log; nothing is signed without an entry
 *   pending_questions, rate_limit, grants, attached_keys   policy, without a socket or a clock
 *
 * Everything runs in one thread, in one GLib main loop. A client can disconnect at any moment:
 * client_close() cancels whatever works for it.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "ssh-agent/agent/audit.h"
#include "ssh-agent/agent/grants.h"
#include "ssh-agent/agent/keystore_backend.h"
#include "ssh-agent/agent/pending_questions.h"
#include "ssh-agent/agent/prompt_launcher.h"

/* The first member of each waiter that is given to pending_questions_ask(). */
typedef struct {
    question_answered answered;
} question_waiter;

typedef struct agent {
    GMainLoop *loop;
    grants *grants;
    pending_questions *questions;
    audit *log;
    prompt_launcher *launcher;
    keystore_backend *keystore;
    GHashTable *boxes;   /* name -> agent_box */
    GHashTable *prompts; /* question ID -> prompt, of prompt_client.c */
    char **display;      /* environment for prompts, "K=V"; NULL: no display is known */
    guint8 secret[32];   /* what phrase and colours are derived from; no box can read it */
    gboolean locked;     /* by `box agent lock` */
    gboolean held;       /* the screen is locked: questions wait */
    gboolean has_failed; /* it ends because of an error */
    gint64 idle_after;   /* ends after so many seconds without use; 0: never */
    guint idle;          /* source: the end */
    guint ticker;        /* source: the questions' clock */
} agent;

/* CLOCK_BOOTTIME in microseconds, which also runs while the machine sleeps. */
gint64 agent_now(void);

/* Ends all grants and withdraws all questions, as a lock of any kind does. WHY is for the log. */
void agent_forget_grants(agent *self, const char *why);

/* Ends all grants when the machine has slept, also where logind has not told, or not yet. */
void agent_check_sleep(agent *self);

/* Checks for timeouts from now on, as long as there are questions. */
void agent_tick(agent *self);

/* Starts or stops the idle timer, after anything that may change whether the agent is needed. */
void agent_check_idle(agent *self);

/*
 * logind.c: ends grants when a screen is locked or the machine goes to sleep, and holds questions
 * while a screen is locked, where logind tells. Nothing that comes from the bus, or does not,
 * allows anything. Does nothing without a system bus or logind.
 */
void logind_watch(agent *self);
