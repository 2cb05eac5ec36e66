#include "ssh-agent/agent/sign.h"

#include <string.h>

#include "config/settings.h"
#include "ssh-agent/agent/keyring.h"

#define MINUTE ((gint64)60 * G_USEC_PER_SEC)

/* The answers that allow. */
typedef struct {
    const char *choice;
    int least;      /* what the box's configuration has to allow for it */
    gint64 minutes; /* 0: until the box stops, or once */
} approval;
static const approval approvals[] = {{"once", GRANTS_ONCE, 0},
                                     {"5m", GRANTS_5M, 5},
                                     {"15m", GRANTS_15M, 15},
                                     {"box", GRANTS_BOX, 0}};

void sign_job_free(sign_job *self)
{
    self->of->job = NULL;
    grant_scope_clear(&self->scope);
    g_free(self->fingerprint);
    g_free(self->label);
    g_free(self->digest);
    g_free(self->host);
    g_free(self->words);
    g_free(self);
}

void sign_forget(client *of)
{
    sign_job *self = of->job;
    if (!self)
        return;
    if (self->asked)
        questions_leave(of->box->agent->questions, self, agent_now());
    sign_job_free(self);
}

/* The key may have been detached while the user was looking. */
static void on_keys_again(client *of, const GPtrArray *keys)
{
    sign_job *self = of->job;
    if (!of->box->agent->locked && keyring_find(keys, self->facts.key.blob)) {
        sign_perform(self);
        return;
    }
    grants_revoke(of->box->agent->grants, self->granted);
    sign_refuse(self, "not attached any more");
}

void sign_check_again(sign_job *self)
{
    keyring_fetch(self->of, on_keys_again);
}

/* NULL: a no. */
static const approval *find_approval(const char *choice)
{
    for (gsize i = 0; i < G_N_ELEMENTS(approvals); i++)
        if (strcmp(choice, approvals[i].choice) == 0)
            return &approvals[i];
    return NULL;
}

static void remember(sign_job *self, const approval *given)
{
    const agent_box *box = self->of->box;
    if (given->least == GRANTS_ONCE || !self->grantable || box->grants < given->least)
        return;
    gint64 until = given->minutes ? agent_now() + given->minutes * MINUTE : 0;
    self->granted =
        grants_add(box->agent->grants, &self->scope, self->words, until, box->grant_uses);
    self->lasts = given->choice;
    /* This very signature is its first. */
    grants_use(box->agent->grants, &self->scope, agent_now());
}

static void decide(sign_job *self);

static void on_keys_for_another(client *of, const GPtrArray *keys)
{
    if (keyring_find(keys, of->job->facts.key.blob))
        decide(of->job);
    else
        sign_refuse(of->job, "not attached any more");
}

static void on_answer(gpointer data, const char *choice, const json_t *detail)
{
    sign_job *self = data;
    const approval *given = find_approval(choice);
    self->asked = FALSE;
    if (strcmp(choice, ANSWER_AGAIN) == 0) {
        keyring_fetch(self->of, on_keys_for_another);
    } else if (given) {
        remember(self, given);
        self->how = "approved";
        sign_check_again(self);
    } else {
        sign_refuse(self, choice);
    }
}

/* Joins the same question, or asks. What a question says costs something to find out, so that comes
 * last. */
static void ask(sign_job *self)
{
    client *of = self->of;
    questions *all = of->box->agent->questions;
    const char *box = of->box->name, *refusal;
    gint64 now = agent_now();
    g_autofree char *same =
        g_strdup_printf("%s %s %d %d", self->digest, self->host ? self->host : "-",
                        (int)self->verdict, self->forwarded);
    self->asked = questions_join(all, box, same, self, now);
    if (self->asked)
        return;
    refusal = questions_refusal(all, box, now);
    if (!refusal)
        refusal = questions_ask(all, box, same, describe_question(self), self, now);
    if (refusal) {
        sign_refuse(self, refusal);
        return;
    }
    self->asked = TRUE;
    agent_tick(of->box->agent);
}

/* Signs without a question where a grant covers this exactly. */
static gboolean use_grant(sign_job *self)
{
    grants *all = self->of->box->agent->grants;
    const grant *covers = self->grantable ? grants_use(all, &self->scope, agent_now()) : NULL;
    if (!covers)
        return FALSE;
    self->grant_id = covers->id;
    self->grant_use = covers->uses;
    self->grant_most = covers->most;
    self->scope.host_name = g_strdup(covers->scope.host_name);
    self->words = g_strdup(covers->words);
    self->how = "grant";
    sign_perform(self);
    return TRUE;
}

static void decide(sign_job *self)
{
    agent *daemon = self->of->box->agent;
    const char *refusal = questions_refusal(daemon->questions, self->of->box->name, agent_now());
    agent_check_sleep(daemon);
    if (g_strcmp0(refusal, "muted") == 0)
        sign_refuse(self, refusal);
    else if (!use_grant(self))
        ask(self);
}

static void on_keys(client *of, const GPtrArray *keys)
{
    sign_job *self = of->job;
    const keyring_key *key = keyring_find(keys, self->facts.key.blob);
    if (!key) {
        sign_refuse(self, "not attached");
        return;
    }
    self->own = key->own;
    self->fingerprint = g_strdup(key->fingerprint);
    self->label = g_strdup(key->label);
    describe_scope(self);
    decide(self);
}

static char *digest_of(const struct ssh_request *request)
{
    struct ssh_writer whole = {0};
    ssh_write_string(&whole, request->key);
    ssh_write_string(&whole, request->data);
    ssh_write_u32(&whole, request->flags);
    struct ssh_span span = ssh_writer_span(&whole);
    char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, span.data, span.length);
    ssh_writer_clear(&whole);
    return digest;
}

/* Who the other end is, as far as this connection proves it. */
static void judge(sign_job *self)
{
    const struct ssh_login *login = &self->facts.login;
    char fingerprint[SSH_FINGERPRINT_SIZE];
    self->forwarded = self->of->bindings.forwarded;
    if (self->facts.class != SSH_CLASS_LOGIN)
        return;
    self->verdict = ssh_bindings_judge(&self->of->bindings, login->session_id,
                                       login->host_bound ? login->host_key : (struct ssh_span){0},
                                       &self->binding);
    if (self->verdict != SSH_HOST_VERIFIED || !self->binding)
        return;
    ssh_blob_fingerprint(self->binding->host_key, fingerprint);
    self->host = g_strdup(fingerprint);
}

/* What is refused whoever asks and whatever is attached; NULL: it may be asked about. */
static const char *never(const sign_job *self)
{
    const agent_box *box = self->of->box;
    if (self->facts.class == SSH_CLASS_REFUSED)
        return ssh_refusal_text(self->facts.refusal);
    if (self->facts.class == SSH_CLASS_CERTIFICATE)
        return "a certificate authority's signature";
    if (box->agent->locked)
        return "locked";
    if (self->forwarded && !box->forward_ask)
        return "forwarding";
    return NULL;
}

void sign_begin(client *of, const struct ssh_request *request, struct ssh_span message)
{
    sign_job *self = g_new0(sign_job, 1);
    self->asking.answered = on_answer;
    self->of = of;
    of->job = self;
    self->message = message;
    self->digest = digest_of(request);
    ssh_classify(&self->facts, request->key, request->data, request->flags);
    judge(self);
    const char *why = never(self);
    if (why)
        sign_refuse(self, why);
    else if (keyring_recent(of))
        on_keys(of, keyring_recent(of));
    else
        keyring_fetch(of, on_keys);
}
