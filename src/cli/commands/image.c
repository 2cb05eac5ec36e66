#include <stdio.h>
#include <string.h>

#include "common/text.h"

#include "box/lifecycle/image.h"
#include "cli/commands/command.h"
#include "common/paths.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"
#include "podman/podman.h"

static struct {
    gboolean quiet;
} given;

static const option options[] = {
    {"quiet", 'q', OPTION_FLAG, &given.quiet, NULL, "only errors"},
    {0},
};

static int bootstrap(const struct command_call *call, GError **error)
{
    log_quiet = given.quiet;
    return image_bootstrap(call->server, call->operands[0], error) ? 0 : -1;
}

static int templates(const struct command_call *call, GError **error)
{
    g_autofree char *path = paths_share("containerfiles");
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    if (!folder) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the templates are not installed");
        return -1;
    }
    for (const char *name; (name = g_dir_read_name(folder));)
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, text_compare);
    for (guint i = 0; i < names->len; i++)
        printf("%s\n", (char *)names->pdata[i]);
    return 0;
}

static const char *first_name(json_t *image)
{
    const char *name = json_string_value(json_array_get(json_object_get(image, "Names"), 0));
    return name ? name : "";
}

static int list(const struct command_call *call, GError **error)
{
    g_autoptr(json_t) images = podman_image_list(call->server, IMAGE_LABEL_SOURCE, error);
    if (!images)
        return -1;
    static const char *const headings[] = {"IMAGE", "SIZE", NULL};
    g_autoptr(table) out = table_new(headings);
    json_t *rows = json_array(), *image;
    size_t i;
    json_array_foreach (images, i, image) {
        gint64 size = json_integer_value(json_object_get(image, "Size"));
        g_autofree char *readable = units_format_size(size);
        table_add(out, first_name(image));
        table_add(out, readable);
        json_array_append_new(rows, json_pack("{s:o, s:o}", "name", json_text(first_name(image)),
                                              "size", json_count(size)));
    }
    if (call->json) {
        json_print(rows);
    } else {
        if (table_is_empty(out))
            log_note("no image was made for a box yet");
        else
            table_print(out);
        json_decref(rows);
    }
    return 0;
}

static int rm(const struct command_call *call, GError **error)
{
    return podman_image_remove(call->server, call->operands[0], error) ? 0 : -1;
}

static const struct command_verb verbs[] = {
    {"bootstrap", "debian[:SUITE]", 1, 1, bootstrap,
     "make a base image from a distribution's packages", COMMAND_NEEDS_PODMAN},
    {"templates", "", 0, 0, templates, "list the templates of Containerfiles"},
    {"list", "", 0, 0, list, "list the images that were made for boxes",
     COMMAND_NEEDS_PODMAN | COMMAND_JSON},
    {"rm", "IMAGE", 1, 1, rm, "remove an image", COMMAND_NEEDS_PODMAN},
    {0},
};

const struct command command_image = {
    .name = "image",
    .group = GROUP_SETUP,
    .verbs = verbs,
    .summary = "make a base image without a registry; list and remove images",
    .options = options,
};
