#include <stdio.h>

#include "box/lifecycle/ephemeral.h"
#include "box/lifecycle/image.h"
#include "box/lifecycle/prune.h"
#include "box/menu/menu_entries.h"
#include "cli/commands/command.h"
#include "common/units.h"
#include "console/ask.h"
#include "console/log.h"
#include "podman/podman.h"

static struct {
    gboolean yes, dry;
} given;

static const option options[] = {
    {"yes", 'y', OPTION_FLAG, &given.yes, NULL, "do not ask; homes without a project go, too"},
    {"dry-run", 'n', OPTION_FLAG, &given.dry, NULL, "only say what would be removed"},
    {0},
};

static gboolean is_confirmed(const prune_item *item, gboolean *asked)
{
    if (given.dry || given.yes || !item->precious)
        return TRUE;
    if (!ask_can()) {
        *asked = FALSE;
        return FALSE;
    }
    g_autofree char *question = g_strdup_printf("Remove the %s?", item->what);
    return ask_yes(question);
}

static gboolean remove_items(podman_client *server, GPtrArray *items, GError **error)
{
    gboolean asked = TRUE;

    for (guint i = 0; i < items->len; i++) {
        prune_item *item = items->pdata[i];
        if (!is_confirmed(item, &asked))
            continue;
        gboolean removed = TRUE;
        if (!given.dry && !prune_remove_item(item, server, &removed, error))
            return FALSE;
        if (removed)
            printf("%s: %s\n", given.dry ? "would remove" : "removed", item->what);
    }
    if (!asked)
        log_note(
            "homes without a project stay, because there is no terminal to ask on; --yes removes them");
    return TRUE;
}

static gboolean remove_images(podman_client *server, GError **error)
{
    gint64 bytes = 0;

    if (given.dry)
        return TRUE;
    if (!podman_image_prune(server, IMAGE_LABEL_SOURCE, &bytes, error))
        return FALSE;
    g_autofree char *size = units_format_size(bytes);
    if (bytes)
        printf("removed: images that were built for boxes and replaced since (%s)\n", size);
    return TRUE;
}

/* Menu entries of boxes that are gone: those of a box that goes now go with it. */
static guint remove_apps(void)
{
    g_autoptr(GPtrArray) list = menu_entries_find(NULL);
    guint orphans = 0;

    for (guint i = 0; i < list->len; i++) {
        const menu_entry *file = list->pdata[i];
        if (!file->is_orphan)
            continue;
        orphans++;
        printf("%s: menu entry '%s' of box '%s', which is gone\n",
               given.dry ? "would remove" : "removed", file->id, file->box);
        if (!given.dry)
            menu_entry_remove(file->box, file->id, NULL);
    }
    if (orphans && !given.dry)
        menu_entries_notify();
    return orphans;
}

static int run(const struct command_call *call, GError **error)
{
    podman_client *server = call->server;
    int swept = !given.dry ? ephemeral_boxes_sweep(server) : 0;
    g_autoptr(GPtrArray) items = prune_find_items(server, error);

    if (!items || !remove_items(server, items, error) || !remove_images(server, error))
        return -1;
    if (swept)
        printf("removed: what %d throw-away boxes left\n", swept);
    guint orphans = remove_apps();
    if (!items->len && !swept && !orphans)
        log_note("no box, home or folder to remove");
    return 0;
}

const struct command command_prune = {
    .name = "prune",
    .group = GROUP_LIFECYCLE,
    .operands = "",
    .summary = "remove containers, images and homes that are no longer needed",
    .details =
        "Removes containers of removed boxes, folders that a crash left, and images of boxes that\n"
        "were replaced; and, after asking for each, homes whose project's folder is gone or not\n"
        "known. Other containers and images are never touched.",
    .options = options,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN,
};
