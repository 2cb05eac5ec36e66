#include <stdio.h>
#include <unistd.h>

#include "cli/commands/command.h"
#include "cli/commands/uninstall_plan.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/ask.h"
#include "console/log.h"

static struct {
    gboolean yes, dry;
    uninstall_choice choice;
} uninstall_given;

static const option uninstall_options[] = {
    {"homes", 0, OPTION_FLAG, &uninstall_given.choice.homes, NULL,
     "also remove the homes and branches of all boxes"},
    {"keys", 0, OPTION_FLAG, &uninstall_given.choice.keys, NULL,
     "also remove what 'box keys' and 'box secret' keep"},
    {"config", 0, OPTION_FLAG, &uninstall_given.choice.config, NULL,
     "also remove your configuration"},
    {"yes", 'y', OPTION_FLAG, &uninstall_given.yes, NULL, "do not ask"},
    {"dry-run", 'n', OPTION_FLAG, &uninstall_given.dry, NULL, "only show what would be removed"},
    {0},
};

static void print_stays(const uninstall_plan *made)
{
    for (guint i = 0; i < made->stays->len; i++)
        printf("stays: %s\n", (char *)made->stays->pdata[i]);
}

/* The plan in the question, as it is with --dry-run. */
static gboolean confirm_uninstall(const uninstall_plan *made, GError **error)
{
    guint homes = 0;
    if (!ask_can()) {
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_USAGE,
                            "there is no terminal to ask on: use --yes");
        return FALSE;
    }
    for (guint i = 0; i < made->items->len; i++) {
        const removal *item = made->items->pdata[i];
        homes += item->precious;
        removal_do(item, NULL, TRUE, NULL);
    }
    print_stays(made);
    fflush(stdout);
    g_autofree char *second = g_strdup_printf(
        "This includes the homes of boxes (%u), of which there is no copy. Remove them?", homes);
    if (ask_yes("Remove all this?") && (!homes || ask_yes(second)))
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CANCELLED, "nothing was removed");
    return FALSE;
}

/* Goes on after a failure, so that one thing that cannot be removed does not keep the rest. */
static gboolean carry_out(const uninstall_plan *made, podman_client *server, GError **error)
{
    guint failed = 0;
    for (guint i = 0; i < made->items->len; i++) {
        g_autoptr(GError) problem = NULL;
        const removal *item = made->items->pdata[i];
        if (removal_do(item, server, uninstall_given.dry, &problem))
            continue;
        log_warning("not removed: %s: %s", item->what, problem->message);
        failed++;
    }
    if (failed)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "some things could not be removed (%u); 'box uninstall' tries again", failed);
    return failed == 0;
}

/* Bytes of a path that the installation has recorded. */
#define BUILD_FOLDER_MAX 4096

/* How the programs are removed: a command line, or words; a new string, safe to show. */
static char *describe_programs(void)
{
    g_autofree char *record = paths_share("build-folder");
    g_autofree char *folder = fs_read_text(record, BUILD_FOLDER_MAX);
    if (folder)
        g_strchomp(folder);
    g_autofree char *ninja = folder ? g_build_filename(folder, "build.ninja", NULL) : NULL;
    if (!ninja || access(ninja, F_OK) < 0)
        return g_strdup("the package of Litterbox, or 'ninja uninstall' in the folder that it was "
                        "built in");
    g_autofree char *parent = g_path_get_dirname(record);
    g_autofree char *quoted = text_shell_quote(folder);
    g_autofree char *line = g_strdup_printf("%sninja -C %s uninstall",
                                            access(parent, W_OK) == 0 ? "" : "sudo ", quoted);
    return text_safe(line, -1);
}

static void print_end(const uninstall_plan *made)
{
    g_autofree char *programs = describe_programs();
    print_stays(made);
    if (!made->items->len)
        log_note("nothing to remove");
    printf("to remove the programs: %s\n", programs);
}

static int run_uninstall(const struct command_call *call, GError **error)
{
    g_autoptr(GError) silent = NULL;
    g_autoptr(podman_client) server = podman_connect(&silent);
    g_auto(uninstall_plan) made = {0};
    if (silent)
        log_warning("%s", silent->message);
    if (!uninstall_plan_make(&made, server, &uninstall_given.choice, error) ||
        (!uninstall_given.dry && !uninstall_given.yes && made.items->len &&
         !confirm_uninstall(&made, error)) ||
        !carry_out(&made, server, error))
        return -1;
    print_end(&made);
    if (server)
        return 0;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_UNREACHABLE,
                        "containers, homes and images stay: run 'box uninstall' again when Podman "
                        "works");
    return -1;
}

const struct command command_uninstall = {
    .name = "uninstall",
    .group = GROUP_LIFECYCLE,
    .operands = "",
    .summary = "remove all boxes and what Litterbox has made on this machine",
    .details =
        "Removes containers, images, AI agents, menu entries, shims, helpers, approvals and logs.\n"
        "Homes, SSH keys and your configuration stay unless you ask for them; projects always stay.\n"
        "Says how to remove the programs themselves.",
    .options = uninstall_options,
    .run = run_uninstall,
};
