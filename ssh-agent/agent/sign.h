/*
 * One sign request, from its parts to the answer:
 *
 *   parse -> attached? -> grant? -> ask -> attached still? -> log -> the real agent -> answer
 *
 * What is approved is exactly the bytes that came; they stay in the client's framer all the while.
 */
#pragma once

#include "ssh-agent/agent/client.h"
#include "ssh-agent/wire/classify.h"

struct sign_job {
    asking asking; /* first: what questions.c hands back */
    client *of;
    struct ssh_span message; /* the whole request */
    struct ssh_facts facts;
    char *fingerprint, *label; /* of the key, the host's; NULL until it is found */
    char *digest;              /* SHA256(key ‖ data ‖ flags), in hex */
    enum ssh_host_verdict verdict;
    const struct ssh_binding *binding; /* of a verified login; owned by the client's bindings */
    char *host;                        /* fingerprint of the proven host key; NULL */
    gboolean forwarded;
    grant_scope scope;  /* whole only when grantable; its name is known once it was asked about */
    gboolean grantable; /* a longer approval may be offered */
    char *words;        /* "git signatures with work from box shop"; safe */
    gboolean own;       /* the key is of our store */
    guint64 granted;    /* the grant that the yes has made; 0 */
    guint tries;        /* passwords for it that were wrong */
    const char *how;    /* the yes came: "approved" or "grant" */
    const char *lasts;  /* how long the yes does: "5m", "15m" or "box"; NULL: once */
    guint64 grant_id, grant_use, grant_most; /* which use of which grant this is; 0: of none */
    gboolean asked;                          /* a question is open */
};

void sign_begin(client *of, const struct ssh_request *request, struct ssh_span message);
/* OF goes away: its question is void. */
void sign_forget(client *of);

/* Notes in the log that WHAT was refused, without asking. */
void sign_log_refusal(client *of, const char *what, const char *why);

/* sign_log.c: says no, and why in the log; SELF is gone then. */
void sign_refuse(sign_job *self, const char *how);
/* FALSE when the log cannot be written. */
gboolean sign_log_signed(const sign_job *self);

/* Time has passed since the key was found attached: looks again, and performs or refuses. */
void sign_check_again(sign_job *self);
/* sign_do.c: the user has said yes, now or before (its HOW); SELF is done for. */
void sign_perform(sign_job *self);
void sign_job_free(sign_job *self);

/* describe.c: sets scope, all but its name, and grantable: what a grant would have to cover. */
void describe_scope(sign_job *self);
/* After that: sets words and the scope's name, takes grantable back where the host is not known,
 * and returns the question (the prompt's contract). */
json_t *describe_question(sign_job *self);
