#include <stdio.h>

#include "box/commands/commands.h"
#include "box/ephemeral.h"
#include "box/image.h"
#include "box/prune.h"
#include "box/say.h"
#include "common/ask.h"
#include "common/text.h"
#include "menu/files.h"
#include "podman/images.h"

static struct {
    gboolean yes, dry;
} set;

static const option options[] = {
    {"yes", 'y', OPTION_FLAG, &set.yes, NULL, "do not ask; homes without a project go, too"},
    {"dry-run", 'n', OPTION_FLAG, &set.dry, NULL, "only say what would be removed"},
    {0},
};

static gboolean is_wanted(const prune_item *item, gboolean *asked)
{
    if (set.dry || set.yes || !item->precious)
        return TRUE;
    if (!ask_can()) {
        *asked = FALSE;
        return FALSE;
    }
    g_autofree char *question = g_strdup_printf("Remove the %s?", item->what);
    return ask_yes(question);
}

static gboolean remove_items(podman *server, GPtrArray *items, GError **error)
{
    gboolean asked = TRUE;

    for (guint i = 0; i < items->len; i++) {
        prune_item *item = items->pdata[i];
        if (!is_wanted(item, &asked))
            continue;
        gboolean removed = TRUE;
        if (!set.dry && !prune_remove(item, server, &removed, error))
            return FALSE;
        if (removed)
            printf("%s: %s\n", set.dry ? "would remove" : "removed", item->what);
    }
    if (!asked)
        say_note("homes without a project stay, since there is nobody to ask; --yes removes them");
    return TRUE;
}

static gboolean remove_images(podman *server, GError **error)
{
    gint64 bytes = 0;

    if (set.dry)
        return TRUE;
    if (!podman_image_prune(server, IMAGE_LABEL_SOURCE, &bytes, error))
        return FALSE;
    g_autofree char *size = text_format_size(bytes);
    if (bytes)
        printf("removed: images that were built for boxes and replaced since (%s)\n", size);
    return TRUE;
}

/* Menu entries of boxes that are gone: those of a box that goes now go with it. */
static guint remove_apps(void)
{
    g_autoptr(GPtrArray) list = app_files_find(NULL);
    guint orphans = 0;

    for (guint i = 0; i < list->len; i++) {
        const app_file *file = list->pdata[i];
        if (!file->orphan)
            continue;
        orphans++;
        printf("%s: menu entry '%s' of box '%s', which is gone\n",
               set.dry ? "would remove" : "removed", file->id, file->box);
        if (!set.dry)
            app_files_remove(file->box, file->id, NULL);
    }
    if (orphans && !set.dry)
        app_files_announce();
    return orphans;
}

static int run(const arguments *given, GError **error)
{
    (void)given;
    g_autoptr(podman) server = podman_connect(error);
    int swept = server && !set.dry ? ephemeral_sweep(server) : 0;
    g_autoptr(GPtrArray) items = server ? prune_collect(server, error) : NULL;

    if (!items || !remove_items(server, items, error) || !remove_images(server, error))
        return -1;
    if (swept)
        printf("removed: what %d throw-away boxes left\n", swept);
    guint orphans = remove_apps();
    if (!items->len && !swept && !orphans)
        say_note("no box, home or folder to remove");
    return 0;
}

const command command_prune = {
    .name = "prune",
    .group = GROUP_LIFE,
    .arguments = "",
    .summary = "remove what no project needs any more",
    .details =
        "Containers of boxes that were removed, folders that a crash left, images that were built\n"
        "for boxes and replaced since; and, after asking for each, homes whose project's folder is\n"
        "gone or not known. Other containers and images are never touched.",
    .options = options,
    .run = run,
};
