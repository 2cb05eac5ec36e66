#include <stdio.h>

#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "config/trust.h"
#include "console/ask.h"
#include "console/log.h"

static struct {
    gboolean yes, revoke, show;
} trust_given;

static const option trust_options[] = {
    {"yes", 'y', OPTION_FLAG, &trust_given.yes, NULL,
     "do not ask; still shows what the file allows"},
    {"revoke", 0, OPTION_FLAG, &trust_given.revoke, NULL, "withdraw the approval"},
    {"show", 0, OPTION_FLAG, &trust_given.show, NULL, "only show what the file allows"},
    {0},
};

static int approve_file(const char *project, const trust *state, GError **error)
{
    gboolean yes = FALSE;
    g_autofree char *text = trust_describe(project, state, error);
    if (!text)
        return -1;
    if (trust_given.yes || trust_given.show)
        printf("%s\n", text);
    if (trust_given.show)
        return 0;
    if (!trust_given.yes && !trust_question(text, &yes)) {
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_UNTRUSTED,
            "there is no terminal to ask on; 'box trust --yes' approves without a question");
        return -1;
    }
    if (!trust_given.yes && !yes) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_UNTRUSTED, "not trusted");
        return -1;
    }
    return trust_approve_seen(project, state, error) ? 0 : -1;
}

static int run_trust(const struct command_call *call, GError **error)
{
    g_autofree char *project = project_folder(call->operands[0], error);
    g_autoptr(trust) state = project ? trust_check(project, error) : NULL;
    if (!state)
        return -1;
    if (trust_given.revoke)
        return trust_revoke(project, error) ? 0 : -1;
    if (state->state == TRUST_NO_FILE) {
        log_note("no litterbox.toml here: nothing to trust");
        return 0;
    }
    if (state->state == TRUST_APPROVED && !trust_given.show) {
        log_note("already trusted");
        return 0;
    }
    return approve_file(project, state, error);
}

const struct command command_trust = {
    .name = "trust",
    .group = GROUP_SETUP,
    .operands = "[PROJECT]",
    .summary = "approve a project's litterbox.toml as it is now",
    .details = "A project's litterbox.toml can come from anyone, and code in the box could have "
               "written it.\nIt takes effect only with the contents that you approved, its own and "
               "those of the\nContainerfile and the setup script that it names.",
    .options = trust_options,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run_trust,
};
