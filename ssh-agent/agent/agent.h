/*
 * litterbox-ssh-agent: what its modules share. One agent serves all boxes of the user.
 *
 *   main               start in stages, confinement, timers, end
 *   socket_paths       the runtime folder: sockets, lock, records of open boxes
 *   boxes              the open boxes: socket, PID 1, attached keys
 *   client             a connection from a box, and its requests
 *   keyring            the keys that a connection may see and use
 *   sign               a sign request: grants, the question, the signature
 *   upstream           a connection to the real agent, one for each client
 *   keystore_backend   the keys of the encrypted store
 *   key_offer          offers the user's keys to a box that has none
 *   prompt_client      shows questions; the phrase and the colours of prompts
 *   prompt_launcher    a process forked before the confinement: starts prompts, opens known_hosts
 *   notice             tells the terminal of a session what its program waits for
 *   control_socket     the control socket: `box`, `box consent`, `box keys`
 *   logind             screen lock and sleep
 *   audit              the log; nothing is signed without an entry
 *   pending_questions, grants, attached_keys   policy, without a socket or a clock
 *
 * Everything runs in one thread, in one GLib main loop. A client can disconnect at any moment:
 * client_close() cancels whatever works for it.
 */
#pragma once

#include <glib-unix.h>
#include <jansson.h>
#include <sys/types.h>

#include "proto/peer_process.h"
#include "ssh-agent/agent/audit.h"
#include "ssh-agent/agent/grants.h"
#include "ssh-agent/agent/pending_questions.h"
#include "ssh-agent/store/key_store.h"

/* The first member of each waiter that is given to pending_questions_ask(). */
typedef struct {
    question_answered answered;
} question_waiter;

typedef struct prompt_launcher prompt_launcher;
typedef struct keystore_backend keystore_backend;

typedef struct agent {
    GMainLoop *loop;
    grants *grants;
    pending_questions *questions;
    audit *log;
    prompt_launcher *launcher;
    keystore_backend *keystore;
    GHashTable *boxes;      /* name -> agent_box */
    GHashTable *prompts;    /* question ID -> prompt, of prompt_client.c */
    GHashTable *windowless; /* IDs of questions whose prompt has found no display; NULL: none */
    GArray *untold;         /* IDs of questions that no session was told of; NULL */
    gint64 windows_after;   /* no prompt is tried before: the display did not answer */
    char **display;         /* environment for prompts, "K=V"; NULL: no display is known */
    guint8 secret[32];      /* what phrase and colours are derived from; no box can read it */
    gboolean locked;        /* by `box consent lock` */
    gboolean held;          /* the screen is locked: questions wait */
    gboolean has_failed;    /* it ends because of an error */
    gint64 idle_after;      /* ends after so many seconds without use; 0: never */
    guint idle;             /* source of the idle timer */
    guint ticker;           /* source that checks questions for timeouts */
} agent;

/*
 * A running box as the agent sees it: the keys that its programs may use, and the limits.
 */
typedef struct agent_box {
    agent *agent;
    char *name, *project;
    char *attached_name; /* the box whose attached keys count: the name, or a throw-away box's model
                          */
    char *upstream;      /* socket of the real agent; NULL: none */
    gboolean upstream_fixed; /* it is the configuration's, not a session's */
    GPtrArray *keys;         /* of attached_key: from the configuration */
    GPtrArray *attached;     /* of attached_key: by `box keys attach` */
    guint keys_version;      /* increases whenever keys or attached are read again */
    gboolean forward_ask; /* requests that another machine forwards are asked about, not refused */
    int grants;           /* enum grant_limit: how long an approval may last */
    guint64 grant_uses;   /* signatures of one grant */
    pid_t pid;            /* of its PID 1 */
    int pidfd, listener;  /* -1: none */
    guint pid_source, listener_source;
    GPtrArray *clients;   /* of client */
    gsize buffered;       /* bytes of memory for the clients' messages and session binds */
    gsize remembered;     /* bytes of memory for the lists of keys that clients have just got */
    guint upstream_count; /* connections to the real agent */
    /* Session binds: the start of the current second, and the processor time that they have taken
     * in it, both in microseconds. */
    gint64 bind_second, bind_time;
    struct key_offer *offer; /* the user is choosing keys for it (key_offer.c); NULL */
    gboolean offered;        /* keys were offered in this run of the box */
    json_t *opened;          /* the request that opened it */
} agent_box;

/* main.c */

/* CLOCK_BOOTTIME in microseconds, which also runs while the machine sleeps. */
gint64 agent_now(void);

/* Ends all grants and withdraws all questions, as a lock of any kind does. WHY is for the log. */
void agent_forget_grants(agent *self, const char *why);

/* Ends all grants if the machine has slept since the last call, even if logind did not report it.
 */
void agent_check_sleep(agent *self);

/* Checks for timeouts from now on, as long as there are questions. */
void agent_tick(agent *self);

/* Starts or stops the idle timer, after anything that may change whether the agent is needed. */
void agent_check_idle(agent *self);

/*
 * boxes.c: the open boxes. An open box has a folder that is mounted into it, with the socket for
 * its programs. It closes when its PID 1 ends.
 */

/* Connections of one box at a time; further ones are closed at once. */
#define BOX_CLIENTS_MAX 1024
/* Bytes of memory for their messages and session binds: the box's own limit does not count them. A
 * usual message has less than a kilobyte. A connection that needs more is closed. */
#define BOX_BUFFERED_MAX (16 << 20)
/* Bytes of memory for lists of keys; without room a list is fetched again. */
#define BOX_REMEMBERED_MAX (4 << 20)

/*
 * Opens a box, or changes an open one, as REQUEST (op "box-open" of the control socket) says.
 * Returns the indices of the request's keys that are no keys, a new array; NULL with ERROR.
 */
json_t *boxes_open(agent *self, const json_t *request, GError **error);
/* A session of the box NAME has begun, with the real agent at PATH in its environment; either may
 * be NULL. Where the box's own one has gone, as after a new login by ssh, it has this one now. */
void boxes_offer_upstream(agent *self, const char *name, const char *path);
/* Closes its connections, withdraws its questions and ends its grants. FALSE: it is not open. */
gboolean boxes_close(agent *self, const char *name);
/* Opens the boxes that an earlier agent has left open and that still run. */
void boxes_restore(agent *self);
/* Frees a box at the agent's end: its socket goes, its record stays for the next agent. */
void boxes_free(gpointer box);

/* TRUE when NAME (may be NULL) can be the name of a box. */
gboolean agent_box_is_name(const char *name);

/* The same for all open boxes. */
void agent_box_reload_all(agent *owner);

/* The label under which SELF may see the key, harmless, a new string; NULL: it may not see it.
 * COMMENT (LENGTH bytes) is the key's comment in the real agent. */
char *agent_box_label(const agent_box *self, const char *fingerprint, const char *comment,
                      gsize length);

/* A new question about SELF, with the user's phrase and the box's colour. HEADLINE may be NULL. */
question *agent_box_question(const agent_box *self, enum question_kind kind, const char *headline);

/*
 * prompt_client.c: shows questions to the user, in a litterbox-prompt each, where there is a
 * display. `box consent approve` can answer them as well.
 *
 * Users recognise a genuine prompt by a phrase, which every prompt shows, and by the colour of each
 * box. Both come from a secret in the state folder, which no box can read.
 */

/* Hooks for pending_questions_new(); DATA is the agent. */
void prompt_client_show(const pending_question *which, gpointer data);
void prompt_client_hide(const pending_question *which, gpointer data);
/* TRUE when it has not failed a moment ago either. */
gboolean prompt_client_can_show(const agent *self);
/* Prompts use DISPLAY, "K=V" each, from now on. Takes it. */
void prompt_client_set_display(agent *self, char **display);
/* FALSE: WHICH has no window, and gets none. */
gboolean prompt_client_in_window(const pending_question *which, gpointer data);
/* Tells sessions again of questions of which nobody could be told. */
void prompt_client_tick(agent *self);

/* TRUE when a display for prompts is known. */
gboolean prompt_client_has_display(const agent *self);

/* Reads the secret from its file, which is created when it is missing. */
gboolean prompt_client_load_secret(agent *self, GError **error);
/* "amber otter", a new string. */
char *prompt_client_phrase(const agent *self);
/* Sets the phrase, and the colour of ASKED's box. */
void prompt_client_identify(const agent *self, question *asked);

/*
 * prompt_launcher.c: a process that is forked before the agent confines itself. It starts prompts,
 * which need a desktop's files, and opens the known_hosts files, which are beside the user's keys.
 * It holds no secret, and takes no path and no program name from the agent.
 */

/* Forks the launcher, which will start the program PROMPT. Call it first, as it inherits what is
 * open. NULL with errno. */
prompt_launcher *prompt_launcher_new(const char *prompt);
/* Ends it and its prompts. SELF may be NULL. */
void prompt_launcher_free(prompt_launcher *self);
/* Calls LOST when it has ended, or does not answer. It cannot be started again. */
void prompt_launcher_on_lost(prompt_launcher *self, GUnixFDSourceFunc lost, gpointer data);

/*
 * Starts a prompt with ENVIRONMENT ("K=V"). *TO and *FROM are the other ends of its stdin and
 * stdout; when it has ended, a NUL and its exit status, a byte, follow its output. WITH (-1: none)
 * becomes its QUESTION_PROMPT_DESCRIPTOR. Returns its number; 0: it could not be started.
 */
guint32 prompt_launcher_start(prompt_launcher *self, char *const *environment, int with, int *to,
                              int *from);
/* Kills that prompt: it has nothing to clean up, and one that hangs takes no other signal. */
void prompt_launcher_stop(prompt_launcher *self, guint32 number);

/* known_hosts files of the user and the system. */
#define KNOWN_HOSTS_FILES 4
/* A descriptor of the file with that INDEX, which the caller closes; -1: it is missing, or not
 * trustworthy. */
int prompt_launcher_open_known_hosts(prompt_launcher *self, guint index);

/*
 * keystore_backend.c: the keys of Litterbox's own key store. Its file lists them without a
 * password. They can sign while the store is unlocked: until it is locked, or its file changes.
 * Their private parts are in locked memory for that time.
 */

keystore_backend *keystore_backend_new(void);
void keystore_backend_free(keystore_backend *self);

/* Reads the list again when the file has changed, which also locks the store. */
void keystore_backend_refresh(keystore_backend *self);

guint keystore_backend_count(const keystore_backend *self);
/* Valid until the next refresh. */
key_store_entry keystore_backend_entry(const keystore_backend *self, guint index);

gboolean keystore_backend_is_locked(const keystore_backend *self);
gboolean keystore_backend_unlock(keystore_backend *self, const secret *password, GError **error);
void keystore_backend_lock(keystore_backend *self);

/* Appends the signature of DATA by the key with that BLOB to SIGNATURE. */
gboolean keystore_backend_sign(const keystore_backend *self, struct ssh_span blob,
                               struct ssh_span data, guint32 flags, struct ssh_writer *signature,
                               GError **error);

/*
 * key_offer.c: offers the user's keys to a box. When a box to which no key was ever attached asks
 * for its list of keys, the user may choose some in a window, once. The box gets an empty list at
 * that time; the choice counts from its next request.
 */

/* Asks the user which keys BOX may see, unless that was decided before, or there is no display.
 * PID: the program that has asked for the list. */
void key_offer_begin(agent_box *box, pid_t pid);
/* Withdraws the question, as BOX closes. */
void key_offer_cancel(agent_box *box);

/*
 * A search for all keys that could be attached to a box: those of our key store and of the real
 * agent at the socket UPSTREAM (NULL: none). DONE gets [{"fingerprint", "label", "type"}, …], owned
 * by the caller. It is called once, from the main loop, unless key_search_free() ends the search
 * before; the search frees itself after it.
 */
typedef struct key_search key_search;
typedef void (*key_search_done)(const json_t *keys, gpointer data);
key_search *key_search_new(agent *owner, const char *upstream, key_search_done done, gpointer data);
/* SELF may be NULL. */
void key_search_free(key_search *self);

/*
 * logind.c: ends grants when a screen is locked or the machine goes to sleep, and holds questions
 * while a screen is locked, if logind reports it. No message from the bus, nor the lack of one,
 * allows anything. Does nothing without a system bus or logind.
 */
void logind_watch(agent *self);

/* notice.c: tells the person at a session of a box what its programs wait for
 * (proto/session_notice.h). */

/* Tells of a question that waits: what is asked, and the commands that answer it. FALSE: nobody
 * listens. */
gboolean notice_question(const pending_question *which, gint64 now);
/* For a request of ASKER that was refused, WHY as in the log: tells what can be done about it,
 * where something can. */
void notice_refusal(const char *box, pid_t asker, const char *why);
