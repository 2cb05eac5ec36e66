/*
 * One sign request, from its bytes to the answer:
 *
 *   parse → attached? → grant? → ask → still attached? → log → key store or real agent → answer
 *
 * client.h declares sign_begin(), where it starts. What the user approves is exactly the bytes that
 * came: they stay in the client's message stream until the answer.
 *
 *   sign.c            the decision: grants, the question, the answer
 *   sign_question.c   what the question says, and what a grant would cover
 *   sign_perform.c    the log and the signature
 */
#pragma once

#include "ssh-agent/agent/client.h"
#include "ssh-agent/wire/signed_data.h"

/* An answer that allows. */
typedef struct sign_approval {
    enum question_answer answer;
    int least;      /* enum grant_limit: offered to boxes whose limit is at least this */
    gint64 minutes; /* how long it lasts; 0: once, or until the box stops */
} sign_approval;
#define SIGN_APPROVALS 4
extern const sign_approval sign_approvals[SIGN_APPROVALS];

typedef struct sign_job {
    question_waiter waiter; /* first, as pending_questions.h wants it */
    client *client;
    struct ssh_span message; /* the whole request */
    struct ssh_signed_data data;
    char *fingerprint, *label; /* of the key, as the host has them; NULL until it is found */
    gboolean in_store;         /* the key is of our key store */
    char *digest;              /* SHA256(key ‖ data ‖ flags), in hex */
    enum ssh_host_verdict verdict;
    const struct ssh_binding *binding; /* of a verified login; owned by the client's bindings */
    char *host;                        /* fingerprint of the verified host key; NULL */
    gboolean forwarded;                /* another machine asks */
    gboolean asked;                    /* a question is open */
    grant_scope scope;                 /* what a grant would cover; complete only if grantable */
    char *scope_text;      /* "git signatures with work from box shop", harmless; NULL before the
                              question is made */
    gboolean grantable;    /* an approval that lasts may be offered */
    guint64 new_grant;     /* the grant that the answer has created; 0: none */
    guint wrong_passwords; /* for the key store */
    const char *how;       /* for the log: "approved" or "grant" */
    const char *lasts;     /* for the log: "5m", "15m" or "box"; NULL: once */
    guint64 grant_id, grant_use, grant_most; /* the grant that covers it, and its use; 0: none */
} sign_job;

/* Signs, after the user has allowed it (HOW), if the key is still attached. Frees SELF. */
void sign_if_attached(sign_job *self);
void sign_job_free(sign_job *self);

/* sign_question.c: sets the scope, apart from its texts for people, and whether it is grantable. */
void sign_describe_scope(sign_job *self);
/* Sets these texts, clears grantable if the host is unknown, and returns a new question. */
question *sign_describe(sign_job *self);

/* sign_perform.c: logs and performs the signature. Frees SELF. */
void sign_perform(sign_job *self);
/* Fails the request, with the reason HOW in the log. Frees SELF. */
void sign_refuse(sign_job *self, const char *how);
