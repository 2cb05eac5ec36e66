/* The question about one signature: what is known of it, and what the box only claims. */
#include <string.h>

#include "common/text.h"
#include "config/settings.h"
#include "ssh-agent/agent/frame.h"
#include "ssh-agent/agent/hosts.h"
#include "ssh-agent/agent/sign.h"

#define SHOWN_MAX 160
/* Hexadecimal digits of each end of a digest. */
#define DIGEST_END 24
/* Longer users and namespaces are asked about each time. */
#define SCOPE_TEXT_MAX 256

static char *shown(struct ssh_span text)
{
    return text_safe_max((const char *)text.data, (gssize)text.length, SHOWN_MAX);
}

/* In the middle of a sentence. */
static char *quoted(struct ssh_span text)
{
    return text_quoted((const char *)text.data, (gssize)text.length, SHOWN_MAX);
}

static char *hex(struct ssh_span bytes)
{
    GString *text = g_string_new("");
    for (size_t i = 0; i < bytes.length; i++)
        g_string_append_printf(text, "%02x", bytes.data[i]);
    return g_string_free(text, FALSE);
}

/* Both ends of a digest, which fit into a line of the prompt. */
static char *both_ends(const char *digest)
{
    gsize length = strlen(digest);
    if (length <= 2 * DIGEST_END)
        return g_strdup(digest);
    return g_strdup_printf("%.*s…%s", DIGEST_END, digest, digest + length - DIGEST_END);
}

/* Two different texts are two different scopes, whatever they look like: so in hex. */
static char *exactly(struct ssh_span text)
{
    return text.length <= SCOPE_TEXT_MAX ? hex(text) : NULL;
}

static gboolean is_git(const sign_job *self)
{
    return ssh_span_equal(self->facts.sshsig.name_space, SSH_SPAN("git"));
}

static void look_up(const sign_job *self, hosts_answer *hosts)
{
    struct ssh_key host;
    if (self->binding && ssh_key_parse(&host, self->binding->host_key))
        hosts_look(hosts, self->of->box->agent->launcher, &host, self->of->pid);
}

void describe_scope(sign_job *self)
{
    grant_scope *scope = &self->scope;
    /* After a bind that did not hold nobody can tell whether another machine asks. */
    gboolean direct = !self->forwarded && !self->of->bindings.lied;
    scope->box = g_strdup(self->of->box->name);
    scope->key = g_strdup(self->fingerprint);
    if (self->facts.class == SSH_CLASS_LOGIN) {
        scope->purpose = GRANT_LOGIN;
        scope->user = exactly(self->facts.login.user);
        scope->host = g_strdup(self->host);
        self->grantable = scope->user && scope->host && direct;
    } else if (self->facts.class == SSH_CLASS_SSHSIG) {
        scope->purpose = GRANT_SIGNATURE;
        scope->name_space = exactly(self->facts.sshsig.name_space);
        self->grantable = scope->name_space && direct;
    }
}

static void add_row(json_t *rows, const char *label, const char *value, const char *detail)
{
    json_t *row = json_pack("{s:s, s:s}", "label", label, "value", value);
    if (detail)
        json_object_set_new(row, "detail", json_string(detail));
    json_array_append_new(rows, row);
}

static void warn(json_t *asked, const char *text)
{
    json_array_append_new(json_object_get(asked, "warnings"), json_string(text));
}

static void set_text(json_t *asked, const char *key, const char *text)
{
    json_object_set_new(asked, key, json_string(text));
}

static void set_verdict(json_t *asked, const char *verdict, const char *text)
{
    set_text(asked, "verdict", verdict);
    set_text(asked, "verdict_text", text);
}

/* The host in words: its best name, else "a host that you do not know". */
static void tell_host(sign_job *self, json_t *asked, const hosts_answer *hosts, char **name)
{
    gboolean known = hosts->names && hosts->names->len > 0 && !hosts->revoked;
    *name = g_strdup(known ? hosts->names->pdata[0] : "a host that you do not know");
    /* Only a host that the user knows gets more than one signature for a yes. */
    self->grantable &= known;
    self->scope.host_name = known ? g_strdup(*name) : NULL;
    if (self->verdict == SSH_HOST_MISMATCH) {
        set_verdict(asked, "unverified", "What the box says about the host is not true");
        warn(asked, "The program named another session or host than it is connected to.");
    } else if (self->verdict == SSH_HOST_UNBOUND) {
        set_verdict(asked, "unverified", "The program does not say which host it is");
        warn(asked, "Nothing proves to which host this login goes.");
    } else if (hosts->revoked) {
        set_verdict(asked, "unverified", "This host key is revoked in your known_hosts");
        warn(asked, "The host's key has been revoked.");
    } else if (!known) {
        set_verdict(asked, "unverified", "The host key is not in your known_hosts");
    } else {
        set_verdict(asked, "verified", "Host key verified");
    }
}

static void tell_names(json_t *rows, const sign_job *self, const hosts_answer *hosts)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; hosts->names && i < hosts->names->len; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", (char *)hosts->names->pdata[i]);
    if (hosts->more)
        g_string_append(text, " …");
    if (self->host)
        add_row(rows, "Host", text->len ? text->str : "not in your known_hosts", self->host);
}

static void tell_login(sign_job *self, json_t *asked, json_t *rows)
{
    g_auto(hosts_answer) hosts = {0};
    g_autofree char *user = shown(self->facts.login.user), *host = NULL;
    g_autofree char *named = quoted(self->facts.login.user);
    look_up(self, &hosts);
    tell_host(self, asked, &hosts, &host);
    g_autofree char *headline = g_strdup_printf("Log in as %s at %s", named, host);
    set_text(asked, "headline", headline);
    add_row(rows, "User", user, NULL);
    tell_names(rows, self, &hosts);
    self->words = g_strdup_printf("logins as %s at %s with %s from box %s", named, host,
                                  self->label, self->of->box->name);
}

static void tell_sshsig(sign_job *self, json_t *asked, json_t *rows)
{
    const struct ssh_sshsig *what = &self->facts.sshsig;
    g_autofree char *name_space = shown(what->name_space), *hash = hex(what->hash);
    g_autofree char *kind = shown(what->hash_name), *named = quoted(what->name_space);
    g_autofree char *ends = both_ends(hash);
    g_autofree char *headline = is_git(self)
                                    ? g_strdup("Sign a git object (content not visible)")
                                    : g_strdup_printf("Sign for %s (content not visible)", named);
    set_text(asked, "headline", headline);
    set_verdict(asked, "none", "Litterbox sees a hash only, not what is signed");
    add_row(rows, "Purpose", name_space, NULL);
    add_row(rows, "Content", kind, ends);
    self->words = is_git(self) ? g_strdup_printf("git signatures with %s from box %s", self->label,
                                                 self->of->box->name)
                               : g_strdup_printf("signatures for %s with %s from box %s", named,
                                                 self->label, self->of->box->name);
}

static void tell_unknown(sign_job *self, json_t *asked, json_t *rows)
{
    g_autofree char *ends = both_ends(self->digest);
    set_text(asked, "headline", "Sign unrecognised data");
    add_row(rows, "Content", "not an SSH login, not a signature of a file or commit", ends);
    warn(asked, "Nobody can tell what this signature will be good for.");
}

static void add_choices(const sign_job *self, json_t *asked)
{
    static const struct {
        const char *id, *text;
        int least;
    } table[] = {{"once", "Allow once", GRANTS_ONCE},
                 {"5m", "Allow for 5 minutes", GRANTS_5M},
                 {"15m", "Allow for 15 minutes", GRANTS_15M},
                 {"box", "Until the box stops", GRANTS_BOX}};
    json_t *choices = json_array();
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        gboolean lasting = table[i].least > GRANTS_ONCE;
        if (lasting && (!self->grantable || self->of->box->grants < table[i].least))
            continue;
        json_t *choice = json_pack("{s:s, s:s}", "id", table[i].id, "text", table[i].text);
        if (lasting)
            set_text(choice, "scope", self->words);
        json_array_append_new(choices, choice);
    }
    json_object_set_new(asked, "choices", choices);
}

json_t *describe_question(sign_job *self)
{
    json_t *asked = frame_new(self->of->box, "sign", "");
    json_t *rows = json_object_get(asked, "known");
    add_row(rows, "Key", self->label, self->fingerprint);
    set_text(json_array_get(rows, 0), "aside", ssh_key_type_short(self->facts.key.type));
    if (self->facts.class == SSH_CLASS_LOGIN)
        tell_login(self, asked, rows);
    else if (self->facts.class == SSH_CLASS_SSHSIG)
        tell_sshsig(self, asked, rows);
    else
        tell_unknown(self, asked, rows);
    if (self->forwarded)
        warn(asked, "Another machine asks, through the agent that was forwarded to it.");
    if (ssh_key_is_sk(&self->facts.key))
        set_text(asked, "note", "Touch the security key when it blinks.");
    json_object_set_new(asked, "mute", json_true());
    add_choices(self, asked);
    json_object_set_new(asked, "chain", caller_chain(self->of->pid, self->of->box->pid));
    return asked;
}
