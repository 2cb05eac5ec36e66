/* What becomes of sign requests, for the log. */
#include "common/text.h"
#include "ssh-agent/agent/sign.h"

#define LOG_TEXT_MAX 256

static void set_text(json_t *entry, const char *key, struct ssh_span text)
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
    json_t *entry = json_pack("{s:s, s:s, s:s, s:s, s:i, s:s}", "box", self->of->box->name,
                              "purpose", ssh_class_name(self->facts.class), "decision", decision,
                              "how", how, "pid", (int)self->of->pid, "data", self->digest);
    set_known(entry, "key", self->fingerprint);
    set_known(entry, "label", self->label);
    set_known(entry, "host", self->host);
    set_known(entry, "host_name", self->scope.host_name);
    if (self->lasts)
        json_object_update_new(entry, json_pack("{s:s, s:I}", "lasts", self->lasts, "grant",
                                                (json_int_t)self->granted));
    if (self->lasts || self->grant_id)
        set_known(entry, "scope", self->words);
    if (self->grant_id)
        json_object_update_new(
            entry, json_pack("{s:I, s:I, s:I}", "grant", (json_int_t)self->grant_id, "use",
                             (json_int_t)self->grant_use, "most", (json_int_t)self->grant_most));
    if (self->facts.class == SSH_CLASS_LOGIN)
        set_text(entry, "user", self->facts.login.user);
    if (self->facts.class == SSH_CLASS_SSHSIG)
        set_text(entry, "namespace", self->facts.sshsig.name_space);
    return entry;
}

void sign_refuse(sign_job *self, const char *how)
{
    client *of = self->of;
    audit_write_refusal(of->box->agent->log, of->box->name, entry_of(self, "refused", how),
                        agent_now());
    sign_job_free(self);
    client_fail(of);
}

void sign_log_refusal(client *of, const char *what, const char *why)
{
    json_t *entry = json_pack("{s:s, s:s, s:s, s:s, s:i}", "box", of->box->name, "purpose", what,
                              "decision", "refused", "how", why, "pid", (int)of->pid);
    audit_write_refusal(of->box->agent->log, of->box->name, entry, agent_now());
}

gboolean sign_log_signed(const sign_job *self)
{
    return audit_write(self->of->box->agent->log, entry_of(self, "signed", self->how));
}
