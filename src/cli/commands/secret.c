#include "cli/commands/secret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box/helpers/secrets.h"
#include "box/lifecycle/lifecycle.h"
#include "box/session/login_files.h"
#include "box/session/secret_detach.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/secret_file.h"
#include "console/log.h"
#include "console/output.h"

static struct {
    GPtrArray *hosts;
    const char *login, *as, *variable, *file, *file_text, *base_url, *source, *value_fd;
    gboolean prompt;
} secret_given;

static const option secret_options[] = {
    {"host", 0, OPTION_LIST, &secret_given.hosts, "NAME",
     "add: a host that gets it; several times"},
    {"login", 0, OPTION_TEXT, &secret_given.login, "SERVICE",
     "add: a subscription whose clients log in: claude or codex"},
    {"as", 0, OPTION_TEXT, &secret_given.as, "FORM",
     "add: bearer, basic, x-api-key, sigv4, header:NAME or query:NAME; several with commas"},
    {"variable", 0, OPTION_TEXT, &secret_given.variable, "NAME",
     "add: the variable that has the placeholder in boxes"},
    {"file", 0, OPTION_TEXT, &secret_given.file, "PATH",
     "add: the file of the box's home that has the placeholder"},
    {"file-text", 0, OPTION_TEXT, &secret_given.file_text, "TEXT",
     "add: what that file has, with {} for the placeholder"},
    {"base-url-variable", 0, OPTION_TEXT, &secret_given.base_url, "NAME",
     "add: the variable that has the base URL in boxes"},
    {"source", 0, OPTION_TEXT, &secret_given.source, "SOURCE",
     "add: env:VARIABLE, file:PATH, command:COMMAND or keyring:ATTRIBUTE=VALUE"},
    {"value-fd", 0, OPTION_TEXT, &secret_given.value_fd, "N",
     "add: read the value from a descriptor"},
    {"prompt", 0, OPTION_FLAG, &secret_given.prompt, NULL,
     "add: ask for the value in a window, as without a terminal"},
    {0},
};

/* In place of one that is there, which has ended then. */
static int add_login(const secret_definition *checked, const secret_texts *texts, GError **error)
{
    if (!secret_login_forget(checked->name, error) || !secret_file_write(texts, error))
        return -1;
    log_note("login '%s' is there; 'box secret attach %s' lets the box of a project log in",
             checked->name, checked->name);
    return 0;
}

/* One place at most says where the value comes from. */
static gboolean check_value_options(GError **error)
{
    const char *first = secret_given.value_fd ? "--value-fd" : "--prompt";
    const char *problem = NULL;
    if (!secret_given.value_fd && !secret_given.prompt)
        return TRUE;
    if (secret_given.login)
        problem = "is for a value, and a login has none: its client gets it";
    else if (secret_given.source)
        problem = "is for a value that is kept, and --source names another place";
    else if (secret_given.value_fd && secret_given.prompt)
        problem = "and --prompt exclude each other";
    if (problem)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "%s %s", first, problem);
    return !problem;
}

static int add_secret(const struct command_call *call, GError **error)
{
    const char *name = call->operands[0];
    const secret_texts texts = {.name = name,
                                .login = secret_given.login,
                                .hosts = options_list(secret_given.hosts),
                                .as = secret_given.as,
                                .variable = secret_given.variable,
                                .file = secret_given.file,
                                .file_text = secret_given.file_text,
                                .base_url = secret_given.base_url,
                                .source = secret_given.source};
    if (!check_value_options(error))
        return -1;
    g_autoptr(secret_definition) checked = secret_definition_new(&texts, error);
    if (!checked)
        return -1;
    if (checked->login)
        return add_login(checked, &texts, error);
    int status = secret_given.source
                     ? 0
                     : secret_value_get(checked, secret_given.value_fd, secret_given.prompt, error);
    if (status != 0)
        return status;
    if (!secret_file_write(&texts, error))
        return -1;
    log_note("secret '%s' is there; 'box secret attach %s' lets the box of a project use it", name,
             name);
    return 0;
}

typedef struct {
    gint64 expires; /* 0: nobody knows */
    char state[16]; /* SECRET_LOGIN_NONE, or another one; "": unknown */
    char email[96]; /* as the service says; "": nobody knows */
} login_state;

/* Of litterbox-secrets, which has the tokens. */
static login_state read_state(const char *name)
{
    login_state read = {0};
    g_autofree char *program = paths_libexec("litterbox-secrets"), *line = NULL;
    char *argv[] = {program, (char *)"--login-state", (char *)name, NULL};
    int at = 0;
    if (g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &line, NULL, NULL, NULL) &&
        sscanf(line, "%" G_GINT64_FORMAT " %15s %n", &read.expires, read.state, &at) == 2) {
        g_autofree char *safe = text_safe_max(g_strchomp(line + at), -1, sizeof read.email - 1);
        g_strlcpy(read.email, safe, sizeof read.email);
    }
    return read;
}

static char *time_text(gint64 seconds)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(seconds);
    return time ? g_date_time_format(time, "%Y-%m-%d %H:%M") : g_strdup("");
}

/* "anna@example.com, renewed": who is logged in, and until when. */
static char *state_text(const login_state *self)
{
    g_autofree char *until = time_text(self->expires);
    const char *comma = *self->email ? ", " : "";
    if (self->expires <= 0 && (g_str_equal(self->state, SECRET_LOGIN_RENEWED) ||
                               g_str_equal(self->state, SECRET_LOGIN_FIXED)))
        return g_strdup_printf("%s%slogged in", self->email, comma);
    if (g_str_equal(self->state, SECRET_LOGIN_RENEWED))
        return g_strdup_printf("%s%srenewed from %s on", self->email, comma, until);
    if (g_str_equal(self->state, SECRET_LOGIN_FIXED))
        return g_strdup_printf("%s%suntil %s", self->email, comma, until);
    if (g_str_equal(self->state, SECRET_LOGIN_ENDED))
        return g_strdup_printf("%s%shas ended: log in again in a box", self->email, comma);
    return g_strdup(g_str_equal(self->state, SECRET_LOGIN_NONE) ? "not logged in" : "unknown");
}

static json_t *state_json(const secret_definition *self, const login_state *state)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "service", self->login->name, "state",
                     json_text(*state->state ? state->state : NULL), "account",
                     json_text(*state->email ? state->email : NULL), "expires",
                     json_time(state->expires));
}

static const char *source_name(const secret_definition *self)
{
    if (self->login)
        return "login";
    switch (self->source) {
    case SECRET_KEPT:
        return "kept";
    case SECRET_ENV:
        return "env";
    case SECRET_FILE:
        return "file";
    case SECRET_COMMAND:
        return "command";
    case SECRET_KEYRING:
        return "keyring";
    }
    return "";
}

/* The boxes that have NAME, sorted. */
static char **boxes_with_secret(const char *name)
{
    g_auto(GStrv) all = registry_names();
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    for (char **each = all; *each; each++) {
        g_autoptr(box) self = registry_by_name(*each, NULL);
        g_auto(GStrv) attached = self ? secrets_attached(self, NULL) : NULL;
        if (attached && g_strv_contains((const char *const *)attached, name))
            g_ptr_array_add(found, g_strdup(*each));
    }
    g_ptr_array_add(found, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&found), FALSE);
}

/* "API_TOKEN, ~/.npmrc"; FILE may be NULL. */
static char *places_text(const secret_definition *self, const char *file)
{
    const char *variable = self->variable ? self->variable : "";
    return g_strconcat(variable, *variable && file ? ", " : "", file, NULL);
}

static json_t *secret_row(const secret_definition *self, table *out)
{
    g_autofree char *hosts = secret_host_texts(self);
    g_auto(GStrv) boxes = boxes_with_secret(self->name);
    g_auto(GStrv) apart = g_strsplit(hosts, ", ", -1);
    g_autofree char *joined = g_strjoinv(", ", boxes);
    login_state state = self->login ? read_state(self->name) : (login_state){0};
    g_autofree char *file = self->file ? g_strconcat("~/", self->file, NULL) : NULL;
    g_autofree char *text = self->login ? state_text(&state) : places_text(self, file);
    table_add(out, self->name);
    table_add(out, source_name(self));
    table_add(out, text);
    table_add(out, joined);
    table_add(out, hosts);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", self->name, "source",
                     source_name(self), "variable", json_text(self->variable), "file",
                     json_text(file), "base_url_variable", json_text(self->base_url), "login",
                     self->login ? state_json(self, &state) : json_null(), "boxes",
                     json_texts(boxes), "hosts", json_texts(apart));
}

static int list_secrets(const struct command_call *call, GError **error)
{
    static const char *const headings[] = {"NAME",  "SOURCE", "VARIABLE, FILE OR LOGIN",
                                           "BOXES", "HOSTS",  NULL};
    g_autoptr(table) out = table_new(headings);
    g_auto(GStrv) names = secret_names();
    json_t *rows = json_array();
    for (char **name = names; *name; name++) {
        g_autoptr(GError) problem = NULL;
        g_autoptr(secret_definition) read = secret_file_read(*name, &problem);
        if (read)
            json_array_append_new(rows, secret_row(read, out));
        else
            log_warning("%s", problem->message);
    }
    if (call->json)
        json_print(json_incref(rows));
    else if (table_is_empty(out))
        log_note("there is no secret: 'box secret add' makes one");
    else
        table_print(out);
    json_decref(rows);
    return 0;
}

/* A box that is attached can log in; nothing is sent to find out whether it could use that. */
static int test_login(const secret_definition *self)
{
    login_state state = read_state(self->name);
    g_autofree char *text = state_text(&state);
    printf("login '%s' (%s): %s\n", self->name, self->login->name, text);
    return g_str_equal(state.state, SECRET_LOGIN_RENEWED) ||
                   g_str_equal(state.state, SECRET_LOGIN_FIXED)
               ? 0
               : 1;
}

static int test(const struct command_call *call, GError **error)
{
    g_autoptr(secret_definition) read = secret_file_read(call->operands[0], NULL);
    if (read && read->login)
        return test_login(read);
    return secret_program_run("--test", call->operands[0], NULL, error);
}

static int change(const struct command_call *call, gboolean attaches, GError **error)
{
    const char *name = call->operands[0];
    gboolean changed = FALSE;
    g_autoptr(secret_definition) read = attaches ? secret_file_read(name, error) : NULL;
    if (attaches && !read)
        return -1;
    g_autoptr(box) self = project_box(call->operands[1], PROJECT_EXISTING, error);
    char *boxes[] = {self ? self->base : NULL, NULL};
    if (!self || (attaches ? !secrets_set_attached(self, name, TRUE, &changed, error)
                           : !secret_detach(name, boxes, FALSE, &changed, error)))
        return -1;
    if (attaches && read->login)
        login_files_forget(self, name);
    /* Again, too: a value or a host may have changed, or a killed command has told nobody. */
    if (attaches && !secrets_tell(self, error))
        return -1;
    if (!changed && !attaches) {
        g_autofree char *safe = text_safe_max(name, -1, 64);
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "box '%s' has no secret '%s'",
                    self->name, safe);
        return -1;
    }
    log_note("box '%s' %s secret '%s'", self->name, attaches ? "may use" : "can no longer use",
             name);
    if (attaches && read->login)
        log_note("its client logs in there, once for all boxes that have it");
    if (attaches && read->variable)
        log_note("%s has its placeholder in new sessions", read->variable);
    if (attaches && read->file)
        log_note("~/%s gets its placeholder before the next session", read->file);
    return 0;
}

static int attach(const struct command_call *call, GError **error)
{
    return change(call, TRUE, error);
}

static int detach(const struct command_call *call, GError **error)
{
    return change(call, FALSE, error);
}

static int remove_secret(const struct command_call *call, GError **error)
{
    const char *name = call->operands[0];
    g_auto(GStrv) boxes = boxes_with_secret(name);
    /* A broken definition can be removed. */
    g_autoptr(GError) problem = NULL;
    g_autoptr(secret_definition) read = secret_file_read(name, &problem);
    if (!read && g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return -1;
    }
    if (!secret_detach(name, boxes, TRUE, NULL, error))
        return -1;
    log_note("secret '%s' is removed", name);
    return 0;
}

static const struct command_verb secret_verbs[] = {
    {"list", "", 0, 0, list_secrets, "list the secrets, and the boxes that may use them",
     COMMAND_JSON, COMPLETE_NOTHING},
    {"add", "NAME", 1, 1, add_secret, "add the secret NAME, or replace it; its value is asked for",
     0, COMPLETE_FREE_TEXT},
    {"remove", "NAME", 1, 1, remove_secret, "remove a secret, also from boxes", 0,
     COMPLETE_SECRETS},
    {"attach",
     "NAME [PROJECT]",
     1,
     2,
     attach,
     "let a box use a secret, which it never gets",
     0,
     COMPLETE_SECRETS,
     {COMPLETE_PROJECT}},
    {"detach",
     "NAME [PROJECT]",
     1,
     2,
     detach,
     "take a secret from a box",
     0,
     COMPLETE_SECRETS,
     {COMPLETE_PROJECT}},
    {"test", "NAME", 1, 1, test, "say whether the value of a secret can be had", 0,
     COMPLETE_SECRETS},
    {0},
};

const struct command command_secret = {
    .name = "secret",
    .group = GROUP_SETUP,
    .verbs = secret_verbs,
    .summary = "let boxes use keys of services that they do not have",
    .details =
        "A box gets a placeholder. It is replaced in requests to the hosts of the secret alone,\n"
        "outside of the box, which needs [network] mode = \"ask\", the default, or \"filtered\".\n"
        "Values are asked for on the terminal or in a window, or read from a descriptor; never "
        "from the\ncommand line.",
    .options = secret_options,
    .flags = COMMAND_VERB_OPTIONAL,
};
