/* litterbox-keys: the user's key store, for `box keys`. */
#include <stdio.h>

#include "cli/commands/keys_table.h"
#include "common/paths.h"
#include "console/log.h"
#include "ssh-agent/keys/keys.h"
#include "ssh-agent/store/secret.h"
#include "sys/crash.h"

static gboolean (*const actions[])(char **operands, GError **error) = {
    [KEYS_GENERATE] = keys_generate, [KEYS_IMPORT] = keys_import, [KEYS_LIST] = keys_list,
    [KEYS_SHOW] = keys_show,         [KEYS_RENAME] = keys_rename, [KEYS_DELETE] = keys_delete,
    [KEYS_EXPORT] = keys_export,     [KEYS_PASSWD] = keys_passwd, [KEYS_UNLOCK] = keys_unlock,
    [KEYS_LOCK] = keys_lock,         [KEYS_ATTACH] = NULL,        [KEYS_DETACH] = NULL,
};
G_STATIC_ASSERT(G_N_ELEMENTS(actions) == N_KEYS_VERBS);

static int run(const struct command_call *call, GError **error)
{
    gboolean (*action)(char **operands, GError **error) = actions[call->verb - keys_verbs];
    keys_given.json = call->json;
    if (action)
        return action(call->operands, error) ? 0 : -1;
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s' is a verb of box, not of litterbox-keys",
                call->verb->name);
    return -1;
}

static const struct command command = {
    .name = "keys", .options = keys_option_table, .verbs = keys_verbs, .run = run};

int main(int argc, char **argv)
{
    secret_protect_process();
    crash_handler_install("litterbox-keys", NULL);
    g_auto(command_call) call = {0};
    g_autoptr(GError) error = NULL;
    gboolean good = paths_check_instance(&error) &&
                    command_parse(&command, argv + 1, &call, &error) &&
                    command_execute(&call, &error) == 0;
    if (!good)
        log_error("%s", error->message);
    /* A full disk or a closed pipe is a failure. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return good ? 125 : box_error_exit_status(error);
    return good ? 0 : box_error_exit_status(error);
}
