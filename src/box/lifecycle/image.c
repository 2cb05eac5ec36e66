#include "box/lifecycle/image.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/lifecycle/base_images.h"
#include "box/lifecycle/image_build.h"
#include "box/lifecycle/image_source.h"
#include "box/lifecycle/run_mounts.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/plan.h"
#include "podman/podman.h"

#define TEMPLATE_PREFIX "template:"

gboolean image_no_cache, image_pull_base, image_proxy;

void box_image_free(box_image *self)
{
    g_free(self->reference);
    g_strfreev(self->env);
    g_free(self->id);
    g_free(self);
}

/* Podman copies an image for each new mapping of ids. A container that never runs triggers this
 * now, so that the first start does not have to wait. */
static gboolean copy_for_user(podman_client *server, const char *reference, GError **error)
{
    /* In upper case, which no box has in its name. */
    g_autofree char *name = g_strdup_printf("litterbox-PREPARE-%d", (int)getpid());
    g_autofree char *ids = g_strdup_printf("uid=%d,gid=%d", (int)getuid(), (int)getgid());
    g_autoptr(json_t) request = json_pack(
        "{s:s, s:s, s:{s:s, s:s}, s:{s:s}, s:[s]}", "name", name, "image", reference, "userns",
        "nsmode", "keep-id", "value", ids, "netns", "nsmode", "none", "command", "true");
    log_step("copying the image for your user id");
    g_autofree char *id = podman_container_create(server, request, NULL, error);
    log_step_done();
    return id && podman_container_remove(server, name, error);
}

/* What is shown of a build, and what it reaches. */
typedef struct {
    image_progress *shown;
    build_access *access;
} build_view;

static void report_build(const podman_progress *step, gpointer data)
{
    build_view *self = data;
    g_autofree char *notice = step->is_repeat ? build_access_tick(self->access) : NULL;
    if (notice)
        image_progress_notice(self->shown, notice);
    image_progress_report(step, self->shown);
}

static gboolean run_build(podman_client *server, const image_source *from, podman_build *request,
                          int context, build_access *access, GError **error)
{
    build_access_apply(access, request);
    if (from->packages)
        log_note("adding to the image '%s': %s", from->on, from->packages);
    else
        log_note("building '%s'", from->tag);
    g_autoptr(image_progress) shown = image_progress_new(log_quiet, log_json);
    build_view view = {shown, access};
    g_autofree char *id = podman_image_build(server, request, context, report_build, &view, error);
    return id != NULL;
}

/* COPY: a folder with the Containerfile; NULL: it is in the context. */
static gboolean build_from(podman_client *server, const struct box *of, const image_source *from,
                           const char *copy, GError **error)
{
    g_autofree char *source = g_strconcat(IMAGE_LABEL_SOURCE "=", from->hash, NULL);
    g_autofree char *owner = g_strconcat(IMAGE_LABEL_BOX "=", of->base, NULL);
    g_autofree char *packages =
        from->packages ? g_strconcat(IMAGE_LABEL_PACKAGES "=", from->packages, NULL) : NULL;
    const char *labels[] = {source, owner, packages, NULL};
    g_auto(GStrv) args = image_source_arguments(from, image_proxy);
    podman_build request = {
        .tag = from->tag,
        .containerfile = from->file,
        .buildargs = (const char *const *)args,
        .labels = labels,
        .no_cache = image_no_cache,
        .context_max = build_context_max(from->folder),
        .pull_newer = image_pull_base && !from->limits && !from->packages,
        .check = image_mounts_are_safe(server, from) ? NULL : image_mounts_check_images};
    build_context context;
    g_auto(build_access) access = {0};
    if (!build_access_open(&access, of, from->limits, error))
        return FALSE;
    int folder = image_source_open(from);
    if (folder < 0)
        return fs_fail(error, "open", from->folder);
    gboolean packs = build_context_open(&context, folder, from->left_out, copy, from->file, error);
    close(folder);
    if (!packs)
        return FALSE;
    gboolean built = run_build(server, from, &request, context.fd, &access, error);
    gboolean packed = build_context_close(&context, built ? error : NULL);
    return built && packed;
}

static gboolean pull(podman_client *server, const char *reference, GError **error)
{
    g_autofree char *safe = text_safe(reference, -1);
    log_note("pulling '%s'", safe);
    g_autoptr(image_progress) shown = image_progress_new(log_quiet, log_json);
    g_autofree char *id = podman_image_pull(server, reference, image_progress_report, shown, error);
    g_clear_pointer(&shown, image_progress_free);
    return id != NULL;
}

/* Whatever would answer there is not a registry that the user knows of: a Containerfile is not to
 * look for servers of this machine or its network so. */
static gboolean is_by_address(const char *image)
{
    g_autofree char *host = g_strndup(image, strcspn(image, "/"));
    host[strcspn(host, ":")] = '\0';
    return g_ascii_strcasecmp(host, "localhost") == 0 || g_hostname_is_ip_address(host);
}

/* FALSE with ERROR: the user has cancelled it, or Podman does not answer. All else is for Buildah
 * to say, if it needs NAME at all. */
static gboolean pull_if_needed(podman_client *server, const char *name, gboolean is_limited,
                               GError **error)
{
    g_autoptr(GError) problem = NULL;
    gboolean is_there = podman_image_exists(server, name, &problem);
    if (!problem && is_limited && is_by_address(name))
        return TRUE;
    if (!problem && ((is_there && !image_pull_base) || pull(server, name, &problem)))
        return TRUE;
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_CANCELLED) ||
        g_error_matches(problem, BOX_ERROR, BOX_ERROR_UNREACHABLE)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    log_note("%s: %s", is_there ? "the image stays as it is" : "the build goes on without it",
             problem->message);
    return TRUE;
}

/* For a build that cannot pull, or must not. */
static gboolean pull_base(podman_client *server, const image_source *from, GError **error)
{
    gsize length;
    const char *contents = g_bytes_get_data(from->contents, &length);
    g_autoptr(GPtrArray) images = base_images_parse(contents, length, from->args);
    for (guint i = 0; i < images->len; i++)
        if (!pull_if_needed(server, images->pdata[i], from->limits != NULL, error))
            return FALSE;
    return TRUE;
}

static gboolean build(podman_client *server, const struct box *of, const image_source *from,
                      GError **error)
{
    image_source what = *from;
    g_autoptr(GBytes) owned = NULL;
    if (!from->contents)
        return build_from(server, of, from, NULL, error);
    gboolean is_safe = image_mounts_are_safe(server, from);
    if ((from->limits || !is_safe) && !pull_base(server, from, error))
        return FALSE;
    if (!is_safe && !(owned = image_mounts_check_file(server, from, error)))
        return FALSE;
    if (owned)
        what.contents = owned;
    g_autofree char *copy = g_build_filename(of->runtime, "build", NULL);
    fs_remove_tree(copy, NULL);
    gboolean built =
        image_source_write_copies(&what, copy, error) && build_from(server, of, &what, copy, error);
    fs_remove_tree(copy, NULL);
    return built;
}

static char **read_env(json_t *inspect)
{
    json_t *list = json_object_get(json_object_get(inspect, "Config"), "Env"), *entry;
    g_autoptr(GPtrArray) env = g_ptr_array_new();
    size_t i;
    json_array_foreach (list, i, entry) {
        const char *line = json_string_value(entry);
        if (!line)
            continue;
        if (!plan_image_variable_is_complete(line)) {
            g_autofree char *safe = text_safe(line, -1);
            log_warning("the image's variable '%s' has no value and is ignored", safe);
        }
        g_ptr_array_add(env, g_strdup(line));
    }
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&env), FALSE);
}

/* The image REFERENCE; its env is NULL when Podman does not have it. *SOURCE: its label. */
static box_image *find_image(podman_client *server, const char *reference, char **source,
                             GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(json_t) inspect = podman_image_inspect(server, reference, &problem);
    if (problem && !g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return NULL;
    }
    box_image *found = g_new0(box_image, 1);
    found->reference = g_strdup(reference);
    if (inspect) {
        json_t *labels = json_object_get(inspect, "Labels");
        found->env = read_env(inspect);
        found->id = g_strdup(json_string_value(json_object_get(inspect, "Id")));
        *source = g_strdup(json_string_value(json_object_get(labels, IMAGE_LABEL_SOURCE)));
    }
    return found;
}

static box_image *built_image(podman_client *server, const struct box *of, const image_source *from,
                              image_update update, gboolean *fetched, GError **error)
{
    g_autofree char *source = NULL;
    g_autoptr(box_image) found = find_image(server, from->tag, &source, error);
    if (!found)
        return NULL;
    found->is_stale = found->env && g_strcmp0(source, from->hash) != 0;
    gboolean build_it = update == IMAGE_REBUILD || (update != IMAGE_KEEP && !found->env) ||
                        (update == IMAGE_FETCH_STALE && found->is_stale);
    if (!build_it) {
        if (found->is_stale && update != IMAGE_KEEP)
            log_note("the Containerfile has changed since the image was built; run 'box apply' to "
                     "rebuild it and recreate the box");
        return g_steal_pointer(&found);
    }
    g_autofree char *ignored = NULL;
    *fetched = TRUE;
    return build(server, of, from, error) ? find_image(server, from->tag, &ignored, error) : NULL;
}

static box_image *pulled_image(podman_client *server, const char *reference, image_update update,
                               gboolean *fetched, GError **error)
{
    g_autofree char *source = NULL;
    g_autoptr(box_image) found = find_image(server, reference, &source, error);
    if (!found || update == IMAGE_KEEP || (update != IMAGE_REBUILD && found->env))
        return g_steal_pointer(&found);
    if (found->env && g_str_has_prefix(reference, "localhost/")) {
        log_note("the image '%s' was made on this machine, and is used as it is", reference);
        return g_steal_pointer(&found);
    }
    g_autofree char *ignored = NULL;
    *fetched = TRUE;
    return pull(server, reference, error) ? find_image(server, reference, &ignored, error) : NULL;
}

/* Without [box] packages. */
static box_image *base_image(const struct box *self, podman_client *server, const settings *wanted,
                             image_update update, gboolean *fetched, GError **error)
{
    g_auto(image_source) from = {0};
    if (wanted->box.containerfile && *wanted->box.containerfile)
        return image_source_project(&from, self, wanted, error)
                   ? built_image(server, self, &from, update, fetched, error)
                   : NULL;
    if (g_str_has_prefix(wanted->box.image, TEMPLATE_PREFIX))
        return image_source_template(&from, wanted->box.image + strlen(TEMPLATE_PREFIX), error)
                   ? built_image(server, self, &from, update, fetched, error)
                   : NULL;
    if (strcmp(wanted->box.image, "host") == 0)
        return g_new0(box_image, 1);
    return pulled_image(server, wanted->box.image, update, fetched, error);
}

static box_image *build_packages(podman_client *server, const struct box *of,
                                 const image_source *from, const box_image *base, gboolean *fetched,
                                 GError **error)
{
    if (from->limits && from->limits->network.mode == NETWORK_NONE) {
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_CONFIG,
            "[box] packages cannot be installed with [network] mode = \"none\": set another "
            "mode, run 'box build', and set it back");
        return NULL;
    }
    gboolean built =
        image_source_write_packages(from, base->id, error) && build(server, of, from, error);
    fs_remove_tree(from->folder, NULL);
    g_autofree char *ignored = NULL;
    *fetched = TRUE;
    return built ? find_image(server, from->tag, &ignored, error) : NULL;
}

/* BASE is the image as it is now; it is fetched only if the layer has to be built. */
static box_image *with_packages(const struct box *self, podman_client *server,
                                const settings *wanted, const box_image *base, image_update update,
                                gboolean *fetched, GError **error)
{
    g_auto(image_source) from = {0};
    g_autofree char *source = NULL;
    image_source_packages(&from, self, wanted, base->reference);
    g_autoptr(box_image) layer = find_image(server, from.tag, &source, error);
    if (!layer)
        return NULL;
    gboolean is_there = layer->env != NULL, keep = update == IMAGE_KEEP;
    keep = keep || (is_there && update == IMAGE_FETCH_MISSING);
    g_autoptr(box_image) fresh =
        keep ? NULL : base_image(self, server, wanted, update, fetched, error);
    if (!keep && !fresh)
        return NULL;
    const box_image *on = fresh ? fresh : base;
    from.hash = on->id ? image_source_packages_hash(&from, on->id) : NULL;
    layer->is_stale = is_there && (on->is_stale || (from.hash && g_strcmp0(source, from.hash)));
    if (keep && layer->is_stale && update != IMAGE_KEEP)
        log_note("the image has changed since its packages were added; 'box apply' adds them again "
                 "and recreates the box");
    if (keep || (is_there && !layer->is_stale && !image_no_cache))
        return g_steal_pointer(&layer);
    return build_packages(server, self, &from, on, fetched, error);
}

static box_image *resolve(const struct box *self, podman_client *server, const settings *wanted,
                          image_update update, gboolean *fetched, GError **error)
{
    char *const *packages = wanted->box.packages;
    if (!packages || !*packages)
        return base_image(self, server, wanted, update, fetched, error);
    g_autoptr(box_image) base = base_image(self, server, wanted, IMAGE_KEEP, fetched, error);
    if (base && !base->reference) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "[box] packages needs an image of its own, such as image = "
                    "\"template:debian\": the image \"host\" is this machine's /usr");
        return NULL;
    }
    return base ? with_packages(self, server, wanted, base, update, fetched, error) : NULL;
}

box_image *box_image_resolve(const struct box *self, podman_client *server, const settings *wanted,
                             image_update update, GError **error)
{
    gboolean fetched = FALSE;
    g_autoptr(box_image) image = resolve(self, server, wanted, update, &fetched, error);
    if (image && fetched && !copy_for_user(server, image->reference, error))
        return NULL;
    return g_steal_pointer(&image);
}
