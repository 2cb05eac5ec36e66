#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "config/settings.h"
#include "ssh-agent/agent/sign.h"
#include "ssh-agent/wire/known_hosts.h"

/* Longest user or namespace that is shown, in bytes; longer ones are cut. In a sentence the window
 * has room for three lines: the box chooses them, and must not push out what comes after. */
#define SHOWN_MAX 160
#define SENTENCE_SHOWN_MAX 32
/* Hexadecimal digits of each end of a digest. */
#define DIGEST_END 24
/* Longer users and namespaces, in bytes, are asked about each time. */
#define SCOPE_TEXT_MAX 256
/* Names of a host that are shown. */
#define NAMES_SHOWN 4

/* The names that the user knows a host key by, from known_hosts files of the host alone. */
typedef struct {
    gboolean revoked;
    GPtrArray *names; /* of char *, harmless, the most telling first */
    gboolean more;    /* than these */
} host_names;

static void host_names_clear(host_names *self)
{
    g_clear_pointer(&self->names, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(host_names, host_names_clear)

static gboolean may_be_host(const char *word)
{
    gsize length = strlen(word);
    return length > 0 && length <= SSH_KNOWN_NAME_MAX && *word != '-' && !strpbrk(word, " /=");
}

/* The words of PID's command line that may be a host, without the user in front; and each with the
 * port that -p names. Hashed entries of known_hosts can only be tried, not read. */
static GPtrArray *claims_of(pid_t pid)
{
    GPtrArray *claims = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) words = peer_process_arguments(pid);
    const char *port = NULL;
    for (char **word = words; word && *word; word++) {
        if (strcmp(*word, "-p") == 0 && word[1])
            port = word[1];
    }
    for (char **word = words; word && *word && claims->len < SSH_KNOWN_CLAIMS_MAX - 1; word++) {
        const char *at = strrchr(*word, '@');
        const char *host = at ? at + 1 : *word;
        if (!may_be_host(host))
            continue;
        g_ptr_array_add(claims, g_strdup(host));
        if (port && may_be_host(port))
            g_ptr_array_add(claims, g_strdup_printf("[%s]:%s", host, port));
    }
    return claims;
}

static void add_name(host_names *self, const char *text, gsize length)
{
    g_autofree char *safe = text_safe_max(text, (gssize)length, SSH_KNOWN_NAME_MAX + 1);
    if (self->names->len >= NAMES_SHOWN)
        self->more = TRUE;
    else if (!g_ptr_array_find_with_equal_func(self->names, safe, g_str_equal, NULL))
        g_ptr_array_add(self->names, g_steal_pointer(&safe));
}

static void add_kind(host_names *self, const struct ssh_known_hosts *known,
                     enum ssh_known_kind kind)
{
    for (size_t i = 0; i < known->count; i++) {
        const struct ssh_span *text = &known->names[i].text;
        if (known->names[i].kind == kind)
            add_name(self, (const char *)text->data, text->length);
    }
}

static void collect(host_names *self, const struct ssh_known_hosts *known, const GPtrArray *claims)
{
    static const enum ssh_known_kind others[] = {SSH_KNOWN_NAME, SSH_KNOWN_PRINCIPAL,
                                                 SSH_KNOWN_PATTERN};
    self->revoked = known->revoked;
    self->more = known->more;
    add_kind(self, known, SSH_KNOWN_FORGE);
    for (guint i = 0; i < claims->len; i++) {
        const char *claim = claims->pdata[i];
        if (known->confirmed & 1u << i)
            add_name(self, claim, strlen(claim));
    }
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
        add_kind(self, known, others[i]);
}

static void find_names(host_names *self, prompt_launcher *files, const struct ssh_key *host,
                       pid_t pid)
{
    struct ssh_known_hosts known;
    g_autoptr(GPtrArray) claims = claims_of(pid);
    g_autofree struct ssh_span *spans = g_new0(struct ssh_span, claims->len + 1);
    char *texts[KNOWN_HOSTS_FILES] = {0};
    for (guint i = 0; i < claims->len; i++)
        spans[i] = ssh_span_text(claims->pdata[i]);
    ssh_known_hosts_init(&known, host, spans, claims->len, (uint64_t)time(NULL));
    for (guint i = 0; i < KNOWN_HOSTS_FILES; i++) {
        gsize length = 0;
        int fd = prompt_launcher_open_known_hosts(files, i);
        if (fd >= 0 &&
            fs_read_fd(fd, "known_hosts", SSH_KNOWN_HOSTS_FILE_MAX, &texts[i], &length, NULL))
            ssh_known_hosts_read(
                &known, (struct ssh_span){.data = (const uint8_t *)texts[i], .length = length});
        if (fd >= 0)
            close(fd);
    }
    self->names = g_ptr_array_new_with_free_func(g_free);
    self->more = FALSE;
    collect(self, &known, claims);
    for (guint i = 0; i < KNOWN_HOSTS_FILES; i++)
        g_free(texts[i]);
}

static char *shown(struct ssh_span text)
{
    return text_safe_max((const char *)text.data, (gssize)text.length, SHOWN_MAX);
}

/* For the middle of a sentence. */
static char *quoted(struct ssh_span text, gsize most)
{
    return text_quoted((const char *)text.data, (gssize)text.length, most);
}

static char *hex(struct ssh_span bytes)
{
    GString *text = g_string_new("");
    for (size_t i = 0; i < bytes.length; i++)
        g_string_append_printf(text, "%02x", bytes.data[i]);
    return g_string_free(text, FALSE);
}

/* Both ends of a digest: it does not fit into a line of the prompt. */
static char *both_ends(const char *digest)
{
    gsize length = strlen(digest);
    if (length <= 2 * DIGEST_END)
        return g_strdup(digest);
    return g_strdup_printf("%.*s…%s", DIGEST_END, digest, digest + length - DIGEST_END);
}

/* In hex, as texts that look the same may be different. NULL: too long for a grant. */
static char *scope_value(struct ssh_span text)
{
    return text.length <= SCOPE_TEXT_MAX ? hex(text) : NULL;
}

static gboolean is_git(const sign_job *self)
{
    return ssh_span_equal(self->data.sshsig.name_space, SSH_SPAN("git"));
}

static void look_up_host(const sign_job *self, host_names *hosts)
{
    struct ssh_key host;
    if (self->binding && ssh_key_parse(&host, self->binding->host_key))
        find_names(hosts, self->client->box->agent->launcher, &host, self->client->pid);
}

void sign_describe_scope(sign_job *self)
{
    grant_scope *scope = &self->scope;
    /* After a bind that was refused, another machine may be asking. */
    gboolean direct = !self->forwarded && !self->client->bindings.bind_refused;
    scope->box = g_strdup(self->client->box->name);
    scope->key = g_strdup(self->fingerprint);
    if (self->data.class == SSH_CLASS_LOGIN) {
        scope->purpose = GRANT_LOGIN;
        scope->user = scope_value(self->data.login.user);
        scope->host = g_strdup(self->host);
        self->grantable = scope->user && scope->host && direct;
    } else if (self->data.class == SSH_CLASS_SSHSIG) {
        scope->purpose = GRANT_SIGNATURE;
        scope->name_space = scope_value(self->data.sshsig.name_space);
        self->grantable = scope->name_space && direct;
    }
}

/* Sets the verdict about the host, and *NAME, a new string: its best name, or "a host that you do
 * not know". */
static void describe_host(sign_job *self, question *asked, const host_names *hosts, char **name)
{
    gboolean known = hosts->names && hosts->names->len > 0 && !hosts->revoked;
    *name = g_strdup(known ? hosts->names->pdata[0] : "a host that you do not know");
    /* An approval for a host that the user does not know is for one signature. */
    self->grantable &= known;
    self->scope.host_name = known ? g_strdup(*name) : NULL;
    if (self->verdict == SSH_HOST_MISMATCH) {
        question_set_verdict(asked, QUESTION_VERDICT_UNVERIFIED,
                             "What the box says about the host is not true");
        question_add_warning(asked,
                             "The program named another session or host than it is connected to.");
    } else if (self->verdict == SSH_HOST_UNBOUND) {
        question_set_verdict(asked, QUESTION_VERDICT_UNVERIFIED,
                             "The program does not say which host it is");
        question_add_warning(asked, "Nothing proves to which host this login goes.");
    } else if (hosts->revoked) {
        question_set_verdict(asked, QUESTION_VERDICT_UNVERIFIED,
                             "This host key is revoked in your known_hosts");
        question_add_warning(asked, "The host's key has been revoked.");
    } else if (!known) {
        question_set_verdict(asked, QUESTION_VERDICT_UNVERIFIED,
                             "The host key is not in your known_hosts");
    } else {
        question_set_verdict(asked, QUESTION_VERDICT_VERIFIED, "Host key verified");
    }
}

static void add_host_names(question *asked, const sign_job *self, const host_names *hosts)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; hosts->names && i < hosts->names->len; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", (char *)hosts->names->pdata[i]);
    if (hosts->more)
        g_string_append(text, " …");
    if (self->host)
        question_add_known(asked, "Host", text->len ? text->str : "not in your known_hosts",
                           self->host, NULL);
}

static char *login_scope(const sign_job *self, const char *host, gsize most)
{
    g_autofree char *named = quoted(self->data.login.user, most);
    return g_strdup_printf("logins as %s at %s with %s from box %s", named, host, self->label,
                           self->client->box->name);
}

/* Returns what a grant would cover, for a sentence, as the others do. */
static char *describe_login(sign_job *self, question *asked)
{
    g_auto(host_names) hosts = {0};
    g_autofree char *user = shown(self->data.login.user), *host = NULL;
    g_autofree char *named = quoted(self->data.login.user, SENTENCE_SHOWN_MAX);
    look_up_host(self, &hosts);
    describe_host(self, asked, &hosts, &host);
    g_autofree char *headline = g_strdup_printf("Log in as %s at %s", named, host);
    question_set_headline(asked, headline);
    question_add_known(asked, "User", user, NULL, NULL);
    add_host_names(asked, self, &hosts);
    self->scope_text = login_scope(self, host, SHOWN_MAX);
    return login_scope(self, host, SENTENCE_SHOWN_MAX);
}

static char *sshsig_scope(const sign_job *self, gsize most)
{
    g_autofree char *named = quoted(self->data.sshsig.name_space, most);
    const char *box = self->client->box->name;
    return is_git(self)
               ? g_strdup_printf("git signatures with %s from box %s", self->label, box)
               : g_strdup_printf("signatures for %s with %s from box %s", named, self->label, box);
}

static char *describe_sshsig(sign_job *self, question *asked)
{
    const struct ssh_sshsig *what = &self->data.sshsig;
    g_autofree char *name_space = shown(what->name_space), *hash = hex(what->hash);
    g_autofree char *kind = shown(what->hash_name),
                    *named = quoted(what->name_space, SENTENCE_SHOWN_MAX);
    g_autofree char *ends = both_ends(hash);
    g_autofree char *headline = is_git(self)
                                    ? g_strdup("Sign a git object (content not visible)")
                                    : g_strdup_printf("Sign for %s (content not visible)", named);
    question_set_headline(asked, headline);
    question_set_verdict(asked, QUESTION_VERDICT_NONE,
                         "Litterbox sees a hash only, not what is signed");
    question_add_known(asked, "Purpose", name_space, NULL, NULL);
    question_add_known(asked, "Content", kind, ends, NULL);
    self->scope_text = sshsig_scope(self, SHOWN_MAX);
    return sshsig_scope(self, SENTENCE_SHOWN_MAX);
}

static char *describe_unknown(sign_job *self, question *asked)
{
    g_autofree char *ends = both_ends(self->digest);
    question_set_headline(asked, "Sign unrecognised data");
    question_add_known(asked, "Content", "not an SSH login, not a signature of a file or commit",
                       ends, NULL);
    question_add_warning(asked, "Nobody can tell what this signature will be good for.");
    return NULL;
}

static void add_choices(const sign_job *self, question *asked, const char *scope)
{
    for (gsize i = 0; i < SIGN_APPROVALS; i++) {
        const sign_approval *each = &sign_approvals[i];
        gboolean lasts = each->least > GRANTS_ONCE;
        if (!lasts || (self->grantable && self->client->box->grants >= each->least))
            question_add_choice(asked, each->answer, NULL, lasts ? scope : NULL);
    }
}

question *sign_describe(sign_job *self)
{
    question *asked = agent_box_question(self->client->box, QUESTION_SIGN, NULL);
    question_add_known(asked, "Key", self->label, self->fingerprint,
                       ssh_key_type_short(self->data.key.type));
    g_autofree char *scope = self->data.class == SSH_CLASS_LOGIN    ? describe_login(self, asked)
                             : self->data.class == SSH_CLASS_SSHSIG ? describe_sshsig(self, asked)
                                                                    : describe_unknown(self, asked);
    if (self->forwarded)
        question_add_warning(asked,
                             "Another machine asks, through the agent that was forwarded to it.");
    if (ssh_key_is_sk(&self->data.key))
        question_set_note(asked, "Touch the security key when it blinks.");
    question_offer_mute(asked);
    add_choices(self, asked, scope);
    peer_process_add_chain(asked, self->client->pid, self->client->box->pid);
    return asked;
}
