#include "box/lifecycle/prune.h"
#include "box/snapshot/snapshot.h"
#include "box/snapshot/system_image.h"
#include "cli/commands/command.h"
#include "console/ask.h"
#include "console/log.h"

static struct {
    gboolean yes, dry;
} prune_given;

static const option prune_options[] = {
    {"yes", 'y', OPTION_FLAG, &prune_given.yes, NULL,
     "do not ask; also remove homes without a project"},
    {"dry-run", 'n', OPTION_FLAG, &prune_given.dry, NULL, "only show what would be removed"},
    {0},
};

static gboolean is_confirmed(const removal *item)
{
    if (prune_given.dry || prune_given.yes || !item->precious)
        return TRUE;
    g_autofree char *question = g_strdup_printf("Remove %s?", item->what);
    return ask_yes(question);
}

/* As after 'box rm': those of homes that have just gone. */
static gboolean drop_snapshots_of_homes(podman_client *server, GError **error)
{
    guint64 freed;
    return snapshot_collect(&freed, error) && system_images_collect(server, error);
}

static int run_prune(const struct command_call *call, GError **error)
{
    g_autoptr(GPtrArray) plan = prune_plan(call->server, prune_given.yes, error);
    gboolean can_ask = prune_given.yes || prune_given.dry || ask_can();
    guint kept = 0, homes = 0;

    if (plan && (!system_images_plan(plan, call->server, FALSE, error) ||
                 !snapshot_plan_contents(plan, error)))
        return -1;
    for (guint i = 0; plan && i < plan->len; i++) {
        const removal *item = plan->pdata[i];
        if (item->precious && !can_ask)
            kept++;
        else if (is_confirmed(item)) {
            if (!removal_do(item, call->server, prune_given.dry, error))
                return -1;
            homes += item->precious;
        }
    }
    if (homes && !prune_given.dry && !drop_snapshots_of_homes(call->server, error))
        return -1;
    if (kept)
        log_note("homes without a project stay: there is no terminal to ask on, and --yes was not "
                 "given");
    if (plan && !plan->len)
        log_note("nothing to remove");
    return plan ? 0 : -1;
}

const struct command command_prune = {
    .name = "prune",
    .group = GROUP_LIFECYCLE,
    .operands = "",
    .summary = "remove containers, images and homes that are no longer needed",
    .details =
        "Removes containers of removed boxes, folders that a crash left, and replaced images of\n"
        "boxes. Also homes whose project folder is gone, after asking for each. Never touches\n"
        "containers and images that Litterbox did not make.",
    .options = prune_options,
    .run = run_prune,
    .flags = COMMAND_NEEDS_PODMAN,
};
