#include "box/lifecycle/image_mounts.h"

#include <string.h>

#include "box/lifecycle/run_mounts.h"
#include "common/text.h"
#include "podman/storage.h"

gboolean image_mounts_are_safe(podman_client *server, const image_source *from)
{
    return !from->is_of_project || podman_at_least(server, RUN_MOUNTS_MAJOR, RUN_MOUNTS_MINOR);
}

/* WHAT follows "with Podman 4.3.1". Returns FALSE. */
static gboolean refuse_mounts(podman_client *server, const char *in, const char *found,
                              const char *what, GError **error)
{
    g_autofree char *safe = text_safe(in, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "'%s' has '%s': with Podman %s %s. Mounts are safe with Podman %d.%d", safe, found,
                podman_version(server, NULL), what, RUN_MOUNTS_MAJOR, RUN_MOUNTS_MINOR);
    return FALSE;
}

static gboolean steps_are_harmless(podman_client *server, const char *in, const char *contents,
                                   gsize length, const char *more, GError **error)
{
    g_autofree char *found = NULL;
    if (run_mounts_are_harmless(contents, length, &found))
        return TRUE;
    g_autofree char *what = g_strconcat(
        "such a step can read and change your files outside of the project", more, NULL);
    return refuse_mounts(server, in, found, what, error);
}

GBytes *image_mounts_check_file(podman_client *server, const image_source *from, GError **error)
{
    g_autofree char *found = NULL;
    gsize length;
    const char *contents = g_bytes_get_data(from->contents, &length);
    if (!steps_are_harmless(server, from->file, contents, length, "", error))
        return NULL;
    char *plain = run_mounts_name_images(contents, length, from->args, &found);
    if (plain)
        return g_bytes_new_take(plain, strlen(plain));
    refuse_mounts(
        server, from->file, found,
        "FROM must name an image plainly, or by variables that an 'ARG NAME=VALUE' before it sets, "
        "as one from an archive may have steps that read and change your files outside of the "
        "project",
        error);
    return NULL;
}

static gboolean check_step(const char *image, const char *step, gpointer data, GError **error)
{
    return steps_are_harmless(data, image, step, strlen(step),
                              ", in a build that starts from this image: remove it (podman rmi)",
                              error);
}

gboolean image_mounts_check_images(podman_client *server, GError **error)
{
    if (storage_steps_each(server, check_step, server, error))
        return TRUE;
    g_prefix_error(error, "nothing is built: ");
    return FALSE;
}
