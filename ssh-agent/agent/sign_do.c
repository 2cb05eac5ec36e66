/* Signing, after the yes: with a key of our store, which may have to be unlocked, or by the real
 * agent. */
#include <string.h>

#include "ssh-agent/agent/asker.h"
#include "ssh-agent/agent/frame.h"
#include "ssh-agent/agent/sign.h"

/* Wrong passwords for one signature. */
#define TRIES_MAX 3

static void on_signature(enum ssh_reply outcome, const struct ssh_reply_facts *facts, gpointer data)
{
    client *of = data;
    sign_job *self = of->job;
    struct ssh_signature signature;
    struct ssh_writer answer = {0};
    if (outcome != SSH_REPLY_OK) {
        sign_refuse(self, outcome == SSH_REPLY_FAILED ? "the real agent said no"
                                                      : "the real agent does not answer");
        return;
    }
    /* A signature of another kind than was asked for is none that the user said yes to. */
    if (!ssh_signature_parse(&signature, facts->signature) ||
        signature.algorithm != self->facts.algorithm) {
        sign_refuse(self, "the real agent gave a signature of another kind");
        return;
    }
    ssh_agent_write_signature(&answer, facts->signature);
    sign_job_free(self);
    client_answer(of, &answer);
    ssh_writer_clear(&answer);
}

static void sign_own(sign_job *self)
{
    client *of = self->of;
    struct ssh_request request;
    struct ssh_writer signature = {0}, answer = {0};
    g_autoptr(GError) error = NULL;
    ssh_request_parse(&request, self->message);
    if (own_sign(of->box->agent->own, request.key, request.data, request.flags, &signature,
                 &error)) {
        ssh_agent_write_signature(&answer, ssh_writer_span(&signature));
        sign_job_free(self);
        client_answer(of, &answer);
    } else {
        sign_refuse(self, error->message);
    }
    ssh_writer_clear(&signature);
    ssh_writer_clear(&answer);
}

/* In the log first: without a line, no signature. */
static void perform(sign_job *self)
{
    client *of = self->of;
    struct ssh_writer frame = {0};
    if (!sign_log_signed(self)) {
        g_warning("the log cannot be written: no signature");
        sign_job_free(self);
        client_fail(of);
    } else if (self->own) {
        sign_own(self);
    } else {
        ssh_agent_write_message(&frame, self->message);
        upstream_send(of->upstream, SSH_AGENT_SIGN, &frame, on_signature, of);
        ssh_writer_clear(&frame);
    }
}

static void ask_password(sign_job *self);

static void on_password(gpointer data, const char *choice, const json_t *detail)
{
    sign_job *self = data;
    const json_t *typed = json_object_get(detail, "password");
    g_autoptr(GError) error = NULL;
    self->asked = FALSE;
    if (strcmp(choice, "password") != 0 || !json_is_string(typed)) {
        sign_refuse(self, "the key store is locked");
        return;
    }
    gsize length = json_string_length(typed);
    g_autoptr(secret) password =
        secret_copy((const guint8 *)json_string_value(typed), MIN(length, STORE_PASSWORD_MAX));
    /* jansson's copy is ordinary memory. */
    explicit_bzero((char *)json_string_value(typed), length);
    if (own_unlock(self->of->box->agent->own, password, &error))
        sign_check_again(self);
    else if (++self->tries < TRIES_MAX)
        ask_password(self);
    else
        sign_refuse(self, error->message);
}

static void ask_password(sign_job *self)
{
    agent *daemon = self->of->box->agent;
    const agent_box *box = self->of->box;
    json_t *text = frame_new(box, "password", "Unlock your SSH keys");
    json_array_append_new(json_object_get(text, "known"),
                          json_pack("{s:s, s:s, s:s}", "label", "Key", "value", self->label,
                                    "detail", self->fingerprint));
    json_object_set_new(text, "verdict_text",
                        json_string("This key is in Litterbox's own encrypted file"));
    if (self->tries > 0)
        json_array_append_new(json_object_get(text, "warnings"),
                              json_string("That was not the password."));
    self->asking.answered = on_password;
    const char *refusal =
        questions_ask(daemon->questions, box->name, NULL, text, self, agent_now());
    self->asked = refusal == NULL;
    if (refusal)
        sign_refuse(self, refusal);
    else
        agent_tick(daemon);
}

void sign_perform(sign_job *self)
{
    agent *daemon = self->of->box->agent;
    if (!self->own || !own_is_locked(daemon->own))
        perform(self);
    else if (asker_has_display(daemon))
        ask_password(self);
    else
        sign_refuse(self, "the key store is locked");
}
