#include "ssh-agent/agent/sign.h"

#include <string.h>

#include "config/settings.h"
#include "sys/debug.h"

#define MINUTE ((gint64)60 * G_USEC_PER_SEC)

const sign_approval sign_approvals[SIGN_APPROVALS] = {
    {QUESTION_ANSWER_ONCE, GRANTS_ONCE, 0},
    {QUESTION_ANSWER_5_MINUTES, GRANTS_5M, 5},
    {QUESTION_ANSWER_15_MINUTES, GRANTS_15M, 15},
    {QUESTION_ANSWER_UNTIL_STOP, GRANTS_BOX, 0},
};

void sign_job_free(sign_job *self)
{
    self->client->job = NULL;
    grant_scope_clear(&self->scope);
    g_free(self->fingerprint);
    g_free(self->label);
    g_free(self->digest);
    g_free(self->host);
    g_free(self->scope_text);
    g_free(self);
}

void sign_cancel(client *owner)
{
    sign_job *self = owner->job;
    if (!self)
        return;
    if (self->asked)
        pending_questions_leave(owner->box->agent->questions, self, agent_now());
    sign_job_free(self);
}

/* The key is not among those of the last fetch: HOW, unless the real agent has not told its own. */
static void refuse_without_key(sign_job *self, const char *how)
{
    const char *lack = self->client->keys_lack;
    sign_refuse(self, lack ? lack : how);
}

static void on_sign_answer(gpointer data, const question_reply *reply);
static void ask_to_sign(sign_job *self);

/* The grant has ended while the password of the key store was asked for. */
static void ask_without_grant(sign_job *self)
{
    self->grant_id = 0;
    g_clear_pointer(&self->scope.host_name, g_free);
    g_clear_pointer(&self->scope_text, g_free);
    self->waiter.answered = on_sign_answer;
    ask_to_sign(self);
}

/* The key may have been detached while the question was open. */
static void on_keys_again(client *owner, const GPtrArray *keys)
{
    sign_job *self = owner->job;
    const agent *daemon = owner->box->agent;
    if (!daemon->locked && keyring_find(keys, self->data.key.blob)) {
        if (self->grant_id && !grants_hold(daemon->grants, self->grant_id, agent_now()))
            ask_without_grant(self);
        else
            sign_perform(self);
        return;
    }
    grants_revoke(owner->box->agent->grants, self->new_grant);
    refuse_without_key(self, "not attached any more");
}

void sign_if_attached(sign_job *self)
{
    keyring_fetch(self->client, on_keys_again);
}

/* NULL: ANSWER refuses. */
static const sign_approval *find_approval(enum question_answer answer)
{
    for (gsize i = 0; i < SIGN_APPROVALS; i++)
        if (sign_approvals[i].answer == answer)
            return &sign_approvals[i];
    return NULL;
}

static void remember(sign_job *self, const sign_approval *given)
{
    const agent_box *box = self->client->box;
    if (given->least == GRANTS_ONCE || !self->grantable || box->grants < given->least)
        return;
    gint64 until = given->minutes ? agent_now() + given->minutes * MINUTE : 0;
    self->new_grant =
        grants_add(box->agent->grants, &self->scope, self->scope_text, until, box->grant_uses);
    self->lasts = question_answer_word(given->answer);
    /* This signature is its first use. */
    grants_use(box->agent->grants, &self->scope, agent_now());
}

static void decide(sign_job *self);

/* The question was answered for another job; this one needs an answer of its own. */
static void on_keys_for_another(client *owner, const GPtrArray *keys)
{
    if (keyring_find(keys, owner->job->data.key.blob))
        decide(owner->job);
    else
        refuse_without_key(owner->job, "not attached any more");
}

static void on_sign_answer(gpointer data, const question_reply *reply)
{
    sign_job *self = data;
    const sign_approval *given = find_approval(reply->answer);
    debug_log(DEBUG_AGENT, "box '%s': the answer is '%s'", self->client->box->name,
              question_answer_word(reply->answer));
    self->asked = FALSE;
    if (reply->answer == QUESTION_ANSWER_AGAIN) {
        keyring_fetch(self->client, on_keys_for_another);
    } else if (given) {
        remember(self, given);
        self->how = "approved";
        sign_if_attached(self);
    } else {
        sign_refuse(self, question_answer_word(reply->answer));
    }
}

/* Waits for the answer to the same question, or asks. Describing a question reads files, so that
 * comes last. */
static void ask_to_sign(sign_job *self)
{
    client *owner = self->client;
    pending_questions *all = owner->box->agent->questions;
    const char *box = owner->box->name;
    gint64 now = agent_now();
    g_autofree char *same =
        g_strdup_printf("%s %s %d %d", self->digest, self->host ? self->host : "-",
                        (int)self->verdict, self->forwarded);
    self->asked = pending_questions_join(all, box, same, self, now);
    if (self->asked)
        return;
    enum question_refusal refusal = pending_questions_check(all, box, QUESTION_SIGN, now);
    if (refusal == QUESTION_REFUSAL_NONE)
        refusal = pending_questions_ask(all, sign_describe(self), same, self, now);
    if (refusal != QUESTION_REFUSAL_NONE) {
        sign_refuse(self, question_refusal_word(refusal));
        return;
    }
    self->asked = TRUE;
    agent_tick(owner->box->agent);
}

/* Signs without a question where a grant covers exactly this request. */
static gboolean use_grant(sign_job *self)
{
    grants *all = self->client->box->agent->grants;
    const grant *covers = self->grantable ? grants_use(all, &self->scope, agent_now()) : NULL;
    debug_log(DEBUG_AGENT, "box '%s': signature with '%s': %s", self->client->box->name,
              self->fingerprint,
              covers            ? "covered by a grant"
              : self->grantable ? "no grant covers it"
                                : "of a kind that no grant covers");
    if (!covers)
        return FALSE;
    self->grant_id = covers->id;
    self->grant_use = covers->uses;
    self->grant_most = covers->most;
    self->scope.host_name = g_strdup(covers->scope.host_name);
    self->scope_text = g_strdup(covers->scope_text);
    self->how = "grant";
    sign_perform(self);
    return TRUE;
}

static void decide(sign_job *self)
{
    agent *daemon = self->client->box->agent;
    enum question_refusal refusal = pending_questions_check(
        daemon->questions, self->client->box->name, QUESTION_SIGN, agent_now());
    agent_check_sleep(daemon);
    if (daemon->locked) /* while the keys were fetched */
        sign_refuse(self, "locked");
    else if (refusal == QUESTION_REFUSAL_MUTED)
        sign_refuse(self, question_refusal_word(refusal));
    else if (!use_grant(self))
        ask_to_sign(self);
}

static void on_sign_keys(client *owner, const GPtrArray *keys)
{
    sign_job *self = owner->job;
    const keyring_key *key = keyring_find(keys, self->data.key.blob);
    if (!key) {
        refuse_without_key(self, "not attached");
        return;
    }
    self->in_store = key->in_store;
    self->fingerprint = g_strdup(key->fingerprint);
    self->label = g_strdup(key->label);
    sign_describe_scope(self);
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

/* Finds out which host a login is for, as far as the connection's session binds prove it. */
static void identify_host(sign_job *self)
{
    const struct ssh_login *login = &self->data.login;
    char fingerprint[SSH_FINGERPRINT_SIZE];
    self->forwarded = self->client->bindings.forwarded;
    if (self->data.class != SSH_CLASS_LOGIN)
        return;
    self->verdict = ssh_bindings_check_login(
        &self->client->bindings, login->session_id,
        login->host_bound ? login->host_key : (struct ssh_span){0}, &self->binding);
    if (self->verdict != SSH_HOST_VERIFIED || !self->binding)
        return;
    ssh_blob_fingerprint(self->binding->host_key, fingerprint);
    self->host = g_strdup(fingerprint);
}

/* Why the request is refused whatever keys are attached; NULL: it is not. */
static const char *find_refusal(const sign_job *self)
{
    const agent_box *box = self->client->box;
    if (self->data.class == SSH_CLASS_REFUSED)
        return ssh_refusal_text(self->data.refusal);
    if (self->data.class == SSH_CLASS_CERTIFICATE)
        return "a certificate authority's signature";
    if (box->agent->locked)
        return "locked";
    if (self->forwarded && !box->forward_ask)
        return "forwarding";
    return NULL;
}

void sign_begin(client *owner, const struct ssh_request *request, struct ssh_span message)
{
    sign_job *self = g_new0(sign_job, 1);
    self->waiter.answered = on_sign_answer;
    self->client = owner;
    owner->job = self;
    self->message = message;
    self->digest = digest_of(request);
    ssh_signed_data_classify(&self->data, request->key, request->data, request->flags);
    identify_host(self);
    const char *why = find_refusal(self);
    if (why)
        sign_refuse(self, why);
    else if (keyring_recent(owner))
        on_sign_keys(owner, keyring_recent(owner));
    else
        keyring_fetch(owner, on_sign_keys);
}
