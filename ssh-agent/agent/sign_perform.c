#include <string.h>

#include "common/text.h"
#include "ssh-agent/agent/agent.h"
#include "ssh-agent/agent/sign.h"

/* Wrong passwords for one signature; then it is refused. */
#define WRONG_PASSWORDS_MAX 3
/* Longest text of a box in the log, in bytes; longer ones are cut. */
#define LOG_TEXT_MAX 256

static void set_claim(json_t *entry, const char *key, struct ssh_span text)
{
    g_autofree char *safe =
        text_safe_max((const char *)text.data, (gssize)text.length, LOG_TEXT_MAX);
    json_object_set_new(entry, key, json_string(safe));
}

static void set_known(json_t *entry, const char *key, const char *value)
{
    if (value)
        json_object_set_new(entry, key, json_string(value));
}

static json_t *entry_of(const sign_job *self, const char *decision, const char *how)
{
    json_t *entry =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:s}", "box", self->client->box->name, "purpose",
                  ssh_data_class_name(self->data.class), "decision", decision, "how", how, "pid",
                  (int)self->client->pid, "data", self->digest);
    set_known(entry, "key", self->fingerprint);
    set_known(entry, "label", self->label);
    set_known(entry, "host", self->host);
    set_known(entry, "host_name", self->scope.host_name);
    if (self->lasts)
        json_object_update_new(entry, json_pack("{s:s, s:I}", "lasts", self->lasts, "grant",
                                                (json_int_t)self->new_grant));
    if (self->lasts || self->grant_id)
        set_known(entry, "scope", self->scope_text);
    if (self->grant_id)
        json_object_update_new(
            entry, json_pack("{s:I, s:I, s:I}", "grant", (json_int_t)self->grant_id, "use",
                             (json_int_t)self->grant_use, "most", (json_int_t)self->grant_most));
    if (self->data.class == SSH_CLASS_LOGIN)
        set_claim(entry, "user", self->data.login.user);
    if (self->data.class == SSH_CLASS_SSHSIG)
        set_claim(entry, "namespace", self->data.sshsig.name_space);
    return entry;
}

void sign_refuse(sign_job *self, const char *how)
{
    client *owner = self->client;
    audit_write_refusal(owner->box->agent->log, owner->box->name, entry_of(self, "refused", how),
                        agent_now());
    notice_refusal(owner->box->name, owner->pid, how);
    sign_job_free(self);
    client_fail(owner);
}

void sign_log_refusal(client *owner, const char *what, const char *why)
{
    json_t *entry = json_pack("{s:s, s:s, s:s, s:s, s:i}", "box", owner->box->name, "purpose", what,
                              "decision", "refused", "how", why, "pid", (int)owner->pid);
    audit_write_refusal(owner->box->agent->log, owner->box->name, entry, agent_now());
}

/* FALSE when the log cannot be written. */
static gboolean log_signed(const sign_job *self)
{
    return audit_write(self->client->box->agent->log, entry_of(self, "signed", self->how));
}

static void on_signature(enum ssh_reply_status status, const struct ssh_reply *reply, gpointer data)
{
    client *owner = data;
    sign_job *self = owner->job;
    struct ssh_signature signature;
    struct ssh_writer answer = {0};
    if (status != SSH_REPLY_OK) {
        sign_refuse(self, status == SSH_REPLY_FAILED ? UPSTREAM_REFUSED : UPSTREAM_SILENT);
        return;
    }
    /* The user has not approved a signature with another algorithm. */
    if (!ssh_signature_parse(&signature, reply->signature) ||
        signature.algorithm != self->data.algorithm) {
        sign_refuse(self, "your own SSH agent returned another kind of signature");
        return;
    }
    ssh_agent_write_signature(&answer, reply->signature);
    sign_job_free(self);
    client_answer(owner, &answer);
    ssh_writer_clear(&answer);
}

static void sign_with_store(sign_job *self)
{
    client *owner = self->client;
    struct ssh_request request;
    struct ssh_writer signature = {0}, answer = {0};
    g_autoptr(GError) error = NULL;
    ssh_request_parse(&request, self->message);
    if (keystore_backend_sign(owner->box->agent->keystore, request.key, request.data, request.flags,
                              &signature, &error)) {
        ssh_agent_write_signature(&answer, ssh_writer_span(&signature));
        sign_job_free(self);
        client_answer(owner, &answer);
    } else {
        sign_refuse(self, error->message);
    }
    ssh_writer_clear(&signature);
    ssh_writer_clear(&answer);
}

/* Writes the log first: without a line there is no signature. */
static void perform(sign_job *self)
{
    client *owner = self->client;
    struct ssh_writer message = {0};
    if (!log_signed(self)) {
        g_warning("the log cannot be written: no signature");
        sign_job_free(self);
        client_fail(owner);
    } else if (self->in_store) {
        sign_with_store(self);
    } else {
        ssh_agent_write_message(&message, self->message);
        upstream_send(owner->upstream, SSH_AGENTC_SIGN_REQUEST, &message, on_signature, owner);
        ssh_writer_clear(&message);
    }
}

static void ask_password(sign_job *self);

static void on_password(gpointer data, const question_reply *reply)
{
    sign_job *self = data;
    g_autoptr(GError) error = NULL;
    self->asked = FALSE;
    /* The answer was another job's. Where that has unlocked the store, nothing is asked again. */
    if (reply->answer == QUESTION_ANSWER_AGAIN) {
        sign_if_attached(self);
        return;
    }
    if (!reply->password) {
        sign_refuse(self, "the key store is locked");
        return;
    }
    g_autoptr(secret) password = secret_copy((const guint8 *)reply->password,
                                             MIN(strlen(reply->password), KEY_STORE_PASSWORD_MAX));
    /* At once, as unlocking takes a while and the reply is in ordinary memory. */
    explicit_bzero(reply->password, strlen(reply->password));
    if (keystore_backend_unlock(self->client->box->agent->keystore, password, &error))
        sign_if_attached(self);
    else if (++self->wrong_passwords < WRONG_PASSWORDS_MAX)
        ask_password(self);
    else
        sign_refuse(self, error->message);
}

/* One password is enough for all of the box that wait for the store. */
static void ask_password(sign_job *self)
{
    static const char same[] = "password";
    agent *daemon = self->client->box->agent;
    self->waiter.answered = on_password;
    self->asked =
        pending_questions_join(daemon->questions, self->client->box->name, same, self, agent_now());
    if (self->asked)
        return;
    question *asked =
        agent_box_question(self->client->box, QUESTION_PASSWORD, "Unlock your SSH keys");
    question_set_verdict(asked, QUESTION_VERDICT_NONE,
                         "This key is in Litterbox's own encrypted file");
    question_add_known(asked, "Key", self->label, self->fingerprint, NULL);
    if (self->wrong_passwords > 0)
        question_add_warning(asked, "Wrong password.");
    enum question_refusal refusal =
        pending_questions_ask(daemon->questions, asked, same, self, agent_now());
    self->asked = refusal == QUESTION_REFUSAL_NONE;
    if (self->asked)
        agent_tick(daemon);
    else
        sign_refuse(self, question_refusal_word(refusal));
}

void sign_perform(sign_job *self)
{
    agent *daemon = self->client->box->agent;
    if (!self->in_store || !keystore_backend_is_locked(daemon->keystore))
        perform(self);
    else if (prompt_client_has_display(daemon))
        ask_password(self);
    else
        sign_refuse(self, "the key store is locked");
}
