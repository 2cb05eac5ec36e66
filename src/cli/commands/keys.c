#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/keys_table.h"
#include "cli/commands/project.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/config.h"

/* What the agent could offer: its own keys and those of the real one. */
static json_t *offered(const settings *configured, GError **error)
{
    g_autofree char *upstream = agent_upstream_socket(configured);
    return agent_call(json_pack("{s:s, s:s}", "op", "keys", "upstream", upstream ? upstream : ""),
                      TRUE, error);
}

/* A key's label as the agent has it: cut, and harmless. A new string. */
static char *label_of(const char *name)
{
    return text_safe_max(name, -1, AGENT_LABEL_MAX);
}

static gboolean is_called(const json_t *key, const char *name)
{
    return g_strcmp0(json_string_value(json_object_get(key, "fingerprint")), name) == 0 ||
           g_strcmp0(json_string_value(json_object_get(key, "label")), name) == 0;
}

/* The only one of that name; NULL with ERROR. Owned by KEYS. */
static json_t *choose(json_t *keys, const char *name, GError **error)
{
    json_t *each, *found = NULL;
    size_t i;
    guint count = 0;
    g_autofree char *safe = text_safe(name, -1), *label = label_of(name);
    json_array_foreach (keys, i, each) {
        if (!is_called(each, label))
            continue;
        found = each;
        count++;
    }
    if (count == 1)
        return found;
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                count ? "more than one key is called '%s': name one by its fingerprint"
                      : "no key is called '%s': 'ssh-add -l' lists those of your agent, 'box keys "
                        "list' Litterbox's own",
                safe);
    return NULL;
}

/* A running box that had no keys may not be known to the agent yet. */
static void make_known(const struct box *self, const settings *configured)
{
    int connection = box_connect(self);
    if (connection < 0)
        return;
    agent_open_box(self, configured, connection);
    close(connection);
}

static gboolean attach_key(const struct box *self, const char *key, GError **error)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, error);
    json_t *answer = read ? offered(config_settings(read), error) : NULL;
    json_t *found = answer ? choose(json_object_get(answer, "keys"), key, error) : NULL;
    json_t *done = NULL;
    if (found)
        done = agent_call(
            json_pack("{s:s, s:s, s:[O]}", "op", "attach", "box", self->name, "keys", found), TRUE,
            error);
    if (done)
        make_known(self, config_settings(read));
    json_decref(answer);
    json_decref(done);
    return done != NULL;
}

static gboolean detach_key(const struct box *self, const char *key, GError **error)
{
    g_autofree char *label = label_of(key);
    json_t *done = agent_call(
        json_pack("{s:s, s:s, s:s}", "op", "detach", "box", self->name, "key", label), TRUE, error);
    json_decref(done);
    return done != NULL;
}

/* The options as they were given, for the program to parse them again. */
static void add_options(GPtrArray *argv)
{
    for (const option *row = keys_option_table; row->kind != OPTION_END; row++) {
        if (row->kind == OPTION_FLAG && *(const gboolean *)row->target)
            g_ptr_array_add(argv, g_strconcat("--", row->name, NULL));
        else if (row->kind == OPTION_TEXT && *(const char *const *)row->target)
            g_ptr_array_add(
                argv, g_strconcat("--", row->name, "=", *(const char *const *)row->target, NULL));
    }
}

/* Runs litterbox-keys with the same words. */
static int exec_keys(const struct command_call *call, GError **error)
{
    g_autofree char *program = paths_libexec("litterbox-keys");
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(argv, g_strdup(program));
    add_options(argv);
    if (call->json)
        g_ptr_array_add(argv, g_strdup("--json"));
    g_ptr_array_add(argv, g_strdup(call->verb->name));
    for (char **word = call->operands; *word; word++)
        g_ptr_array_add(argv, g_strdup(*word));
    g_ptr_array_add(argv, NULL);
    execv(program, (char **)argv->pdata);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot run '%s': %s", program,
                g_strerror(errno));
    return -1;
}

static int run_keys(const struct command_call *call, GError **error)
{
    enum keys_verb verb = (enum keys_verb)(call->verb - keys_verbs);
    if (verb != KEYS_ATTACH && verb != KEYS_DETACH)
        return exec_keys(call, error);
    g_autoptr(box) self = project_box(call->operands[1], PROJECT_EXISTING, error);
    gboolean (*change)(const struct box *self, const char *key, GError **error) =
        verb == KEYS_ATTACH ? attach_key : detach_key;
    return self && change(self, call->operands[0], error) ? 0 : -1;
}

const struct command command_keys = {
    .name = "keys",
    .group = GROUP_SETUP,
    .verbs = keys_verbs,
    .summary = "keep SSH keys, encrypted, for boxes to sign with",
    .details = "Passwords are asked for on the terminal, or read from a descriptor; never from the "
               "command\nline or the environment. --password-fd 0 reads standard input.",
    .options = keys_option_table,
    .run = run_keys,
};
