#include <stdio.h>
#include <string.h>

#include "common/text.h"

#include "box/lifecycle/image.h"
#include "box/lifecycle/made_images.h"
#include "cli/commands/command.h"
#include "common/paths.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"
#include "podman/podman.h"

static struct {
    gboolean quiet;
} image_given;

static const option image_options[] = {
    {"quiet", 'q', OPTION_FLAG, &image_given.quiet, NULL, "bootstrap: print only errors"},
    {0},
};

static int bootstrap(const struct command_call *call, GError **error)
{
    log_quiet = image_given.quiet;
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
    json_t *rows = json_array();
    for (guint i = 0; i < names->len; i++) {
        json_array_append_new(rows, json_pack("{s:o}", "name", json_text(names->pdata[i])));
        if (!call->json)
            puts(names->pdata[i]);
    }
    if (call->json)
        json_print(json_incref(rows));
    json_decref(rows);
    return 0;
}

/* "shop, deb"; "" when nothing uses IMAGE. A new string. */
static char *users_of(const made_image *image)
{
    g_autoptr(GString) users = g_string_new(NULL);
    for (guint i = 0; i < image->users->len; i++)
        g_string_append_printf(users, "%s%s", i ? ", " : "", (char *)image->users->pdata[i]);
    return g_strdup(users->str);
}

static void add_image_row(table *out, const made_image *image, gint64 frees)
{
    gint64 age = g_get_real_time() / G_USEC_PER_SEC - image->created;
    g_autofree char *title = made_image_title(image), *users = users_of(image);
    g_autofree char *size = units_format_size(image->size),
                    *old = units_format_duration(MAX(age, 0));
    g_autofree char *alone = frees >= 0 ? units_format_size(frees) : g_strdup("?");
    table_add(out, image->made_for);
    table_add(out, size);
    table_add(out, alone);
    table_add(out, old);
    table_add(out, *users ? users : "-");
    table_add(out, title);
}

static json_t *row_to_json(const made_image *image, gint64 frees)
{
    json_t *users = json_array();
    const char *name = image->names->len ? image->names->pdata[0] : NULL;
    for (guint i = 0; i < image->users->len; i++)
        json_array_append_new(users, json_text(image->users->pdata[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", json_text(name), "id",
                     json_text(image->id), "made_for", json_text(image->made_for), "size",
                     json_count(image->size), "frees", json_count(frees), "created",
                     json_time(image->created), "used_by", users);
}

static int list_images(const struct command_call *call, GError **error)
{
    static const char *const headings[] = {"MADE FOR", "SIZE",  "FREES", "AGE",
                                           "USED BY",  "IMAGE", NULL};
    g_autoptr(made_images) all = made_images_find(call->server, NULL, error);
    if (!all)
        return -1;
    g_autoptr(GPtrArray) images = made_images_list(all);
    g_autoptr(table) out = table_new(headings);
    json_t *rows = json_array();
    for (guint i = 0; i < images->len; i++) {
        gint64 frees = made_images_freed_by(all, images->pdata[i]);
        add_image_row(out, images->pdata[i], frees);
        json_array_append_new(rows, row_to_json(images->pdata[i], frees));
    }
    if (call->json) {
        json_print(rows);
        return 0;
    }
    json_decref(rows);
    if (table_is_empty(out))
        log_note("Litterbox has made no image yet");
    else
        table_print(out);
    return 0;
}

static int rm(const struct command_call *call, GError **error)
{
    return podman_image_remove(call->server, call->operands[0], error) ? 0 : -1;
}

static const struct command_verb image_verbs[] = {
    {"bootstrap", "debian[:SUITE]", 1, 1, bootstrap,
     "make a base image from a distribution's packages", COMMAND_NEEDS_PODMAN,
     COMPLETE_DISTRIBUTIONS},
    {"templates", "", 0, 0, templates, "list the templates of Containerfiles", COMMAND_JSON},
    {"list", "", 0, 0, list_images, "list the images that were made for boxes",
     COMMAND_NEEDS_PODMAN | COMMAND_JSON},
    {"rm", "IMAGE", 1, 1, rm, "remove an image", COMMAND_NEEDS_PODMAN, COMPLETE_IMAGES},
    {0},
};

const struct command command_image = {
    .name = "image",
    .group = GROUP_SETUP,
    .verbs = image_verbs,
    .summary = "make a base image without a registry; list and remove images",
    .options = image_options,
};
