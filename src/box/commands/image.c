#include <stdio.h>
#include <string.h>

#include "box/bootstrap.h"
#include "box/commands/commands.h"
#include "box/image.h"
#include "box/json.h"
#include "box/say.h"
#include "console/table.h"
#include "common/paths.h"
#include "common/text.h"
#include "podman/images.h"

static struct {
    gboolean json, quiet;
} set;

static const option options[] = {
    {"json", 0, OPTION_FLAG, &set.json, NULL, "print JSON"},
    {"quiet", 'q', OPTION_FLAG, &set.quiet, NULL, "only errors"},
    {0},
};

static int bootstrap(const arguments *given, GError **error)
{
    const char *distribution = given->operands[1];
    g_autoptr(podman) server = distribution ? podman_connect(error) : NULL;
    if (!distribution)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "say which one: box image bootstrap debian[:SUITE]");
    return server && bootstrap_image(server, distribution, error) ? 0 : -1;
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int templates(const arguments *given, GError **error)
{
    (void)given;
    g_autofree char *path = paths_share("containerfiles");
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    if (!folder) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the templates are not installed");
        return -1;
    }
    for (const char *name; (name = g_dir_read_name(folder));)
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++)
        printf("%s\n", (char *)names->pdata[i]);
    return 0;
}

static const char *first_name(json_t *image)
{
    const char *name = json_string_value(json_array_get(json_object_get(image, "Names"), 0));
    return name ? name : "";
}

static int list(const arguments *given, GError **error)
{
    (void)given;
    g_autoptr(podman) server = podman_connect(error);
    g_autoptr(json_t) images = server ? podman_image_list(server, IMAGE_LABEL_SOURCE, error) : NULL;
    if (!images)
        return -1;
    static const char *const headings[] = {"IMAGE", "SIZE", NULL};
    g_autoptr(table) out = table_new(headings);
    json_t *rows = json_array(), *image;
    size_t i;
    json_array_foreach (images, i, image) {
        gint64 size = json_integer_value(json_object_get(image, "Size"));
        g_autofree char *readable = text_format_size(size);
        table_add(out, first_name(image));
        table_add(out, readable);
        json_array_append_new(
            rows, json_pack("{s:s, s:I}", "name", first_name(image), "size", (json_int_t)size));
    }
    if (set.json) {
        json_print(rows);
    } else {
        if (table_is_empty(out))
            say_note("no image was made for a box yet");
        else
            table_print(out);
        json_decref(rows);
    }
    return 0;
}

static int rm(const arguments *given, GError **error)
{
    const char *reference = given->operands[1];
    if (!reference) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "say which one: box image rm IMAGE");
        return -1;
    }
    g_autoptr(podman) server = podman_connect(error);
    return server && podman_image_remove(server, reference, error) ? 0 : -1;
}

static int run(const arguments *given, GError **error)
{
    static const command_verb verbs[] = {{"bootstrap", 0, 1, bootstrap, TRUE},
                                         {"templates", 0, 0, templates, TRUE},
                                         {"list", 0, 0, list, TRUE},
                                         {"rm", 0, 1, rm, TRUE},
                                         {NULL}};
    say_quiet = set.quiet;
    return command_run_verb(
        verbs, given, FALSE,
        "say what to do: box image bootstrap debian[:SUITE] | templates | list | rm IMAGE", error);
}

const command command_image = {
    .name = "image",
    .group = GROUP_SETUP,
    .arguments = "bootstrap|templates|list|rm [NAME]",
    .verbs = "bootstrap templates list rm",
    .summary = "make a base image without a registry, list and remove images",
    .options = options,
    .operands_max = 2,
    .run = run,
};
