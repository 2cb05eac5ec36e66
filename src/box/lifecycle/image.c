#include "box/lifecycle/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/lifecycle/build_context.h"
#include "box/lifecycle/packages.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/plan.h"
#include "podman/podman.h"

#define TEMPLATE_PREFIX "template:"
/* Bytes. */
#define CONTAINERFILE_MAX (1 << 20)
/* Hexadecimal digits of a layer's name. */
#define PACKAGES_HASH_LENGTH 24

gboolean image_no_cache, image_pull_base, image_proxy;

/* What to build. Owns its strings. */
typedef struct {
    char *tag;
    char *folder; /* the build context */
    char *file;   /* the Containerfile's path in it */
    char *hash;
    char **args;
    /* The box may have written what is built: it gets no more than the box has. */
    gboolean is_of_project, no_network;
    char *const *left_out; /* project.hidden; belongs to the settings */
    char *packages;        /* added to the image ON, for its labels; NULL: a Containerfile */
    const char *on;        /* belongs to the caller */
} image_source;

static void image_source_clear(image_source *self)
{
    g_free(self->tag);
    g_free(self->folder);
    g_free(self->file);
    g_free(self->hash);
    g_strfreev(self->args);
    g_free(self->packages);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(image_source, image_source_clear)

void box_image_free(box_image *self)
{
    g_free(self->reference);
    g_strfreev(self->env);
    g_free(self->id);
    g_free(self);
}

char *image_tag_prefix(void)
{
    const char *instance = paths_instance();
    return g_strconcat("localhost/litterbox", *instance ? "-" : "", instance, "/", NULL);
}

char *image_bootstrap_source(void)
{
    return g_strconcat("bootstrap:", paths_instance(), NULL);
}

static char *tag_of(const char *kind, const char *name)
{
    g_autofree char *prefix = image_tag_prefix();
    return g_strconcat(prefix, kind, name, ":latest", NULL);
}

static char **build_arguments(void)
{
    const char *args[] = {NULL, NULL, NULL, NULL};
    g_autofree char *user = g_strconcat("USER=", g_get_user_name(), NULL);
    g_autofree char *uid = g_strdup_printf("UID=%d", (int)getuid());
    g_autofree char *gid = g_strdup_printf("GID=%d", (int)getgid());
    args[0] = user;
    args[1] = uid;
    args[2] = gid;
    return g_strdupv((char **)args);
}

/* Follows no symbolic link on the way, because the box may have written the Containerfile. */
static gboolean read_containerfile(const char *folder, const char *path, char **contents,
                                   GError **error)
{
    int top = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = top < 0 ? -1 : fs_open_beneath(top, path, O_RDONLY | O_NONBLOCK, 0);
    int saved = errno;
    if (top >= 0)
        close(top);
    if (fd < 0) {
        g_autofree char *safe = text_safe(path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "cannot open the Containerfile '%s': %s",
                    safe, g_strerror(saved));
        return FALSE;
    }
    gboolean done = fs_read_fd(fd, path, CONTAINERFILE_MAX, contents, NULL, error);
    close(fd);
    return done;
}

static gboolean complete_source(image_source *self, GError **error)
{
    g_autofree char *contents = NULL;
    if (!read_containerfile(self->folder, self->file, &contents, error))
        return FALSE;
    self->args = build_arguments();
    g_autofree char *args = g_strjoinv("\n", self->args);
    g_autofree char *all = g_strconcat(contents, "\n", args, NULL);
    self->hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, all, -1);
    return TRUE;
}

static gboolean template_source(image_source *self, const char *name, GError **error)
{
    g_autofree char *tail = g_build_filename("containerfiles", name, NULL);
    self->tag = tag_of(IMAGE_TEMPLATE_TAG, name);
    self->folder = paths_share(tail);
    self->file = g_strdup("Containerfile");
    if (strchr(name, '/') || name[0] == '.' || !g_file_test(self->folder, G_FILE_TEST_IS_DIR)) {
        g_autofree char *safe = text_safe(name, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "no template '%s'; 'box image templates' lists all templates", safe);
        return FALSE;
    }
    return complete_source(self, error);
}

static gboolean project_source(image_source *self, const struct box *of, const settings *wanted,
                               GError **error)
{
    self->tag = tag_of("", of->base);
    self->folder = g_strdup(of->project);
    self->file = g_strdup(wanted->box.containerfile);
    self->is_of_project = TRUE;
    self->no_network = wanted->network.mode == NETWORK_NONE;
    self->left_out = wanted->project.hidden;
    return complete_source(self, error);
}

/* Podman copies an image for each new mapping of ids. A container that never runs triggers this
 * now, so that the first start does not have to wait. */
static gboolean copy_for_user(podman_client *server, const char *reference, GError **error)
{
    g_autofree char *name = g_strdup_printf("litterbox-prepare-%d", (int)getpid());
    g_autofree char *ids = g_strdup_printf("uid=%d,gid=%d", (int)getuid(), (int)getgid());
    g_autoptr(json_t) request = json_pack(
        "{s:s, s:s, s:{s:s, s:s}, s:{s:s}, s:[s]}", "name", name, "image", reference, "userns",
        "nsmode", "keep-id", "value", ids, "netns", "nsmode", "none", "command", "true");
    log_step("copying the image for your user id");
    g_autofree char *id = podman_container_create(server, request, NULL, error);
    log_step_done();
    return id && podman_container_remove(server, name, error);
}

/* The arguments, with the user's proxy variables where these steps may see their passwords. Not
 * counted in the hash of the source, as they are not in the image. */
static char **with_proxies(const image_source *from)
{
    static const char *const names[] = {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy",
                                        "FTP_PROXY",  "ftp_proxy",  "NO_PROXY",    "no_proxy",
                                        "ALL_PROXY",  "all_proxy"};
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();

    g_strv_builder_addv(all, (const char **)from->args);
    for (gsize i = 0; (!from->is_of_project || image_proxy) && i < G_N_ELEMENTS(names); i++) {
        const char *value = g_getenv(names[i]);
        g_autofree char *line = value ? g_strconcat(names[i], "=", value, NULL) : NULL;
        if (line && g_utf8_validate(line, -1, NULL))
            g_strv_builder_add(all, line);
    }
    return g_strv_builder_end(all);
}

static gboolean build(podman_client *server, const struct box *of, const image_source *from,
                      GError **error)
{
    g_autofree char *source = g_strconcat(IMAGE_LABEL_SOURCE "=", from->hash, NULL);
    g_autofree char *owner = g_strconcat(IMAGE_LABEL_BOX "=", of->base, NULL);
    g_autofree char *packages =
        from->packages ? g_strconcat(IMAGE_LABEL_PACKAGES "=", from->packages, NULL) : NULL;
    const char *labels[] = {source, owner, packages, NULL};
    g_auto(GStrv) args = with_proxies(from);
    podman_build request = {.tag = from->tag,
                            .containerfile = from->file,
                            .buildargs = (const char *const *)args,
                            .labels = labels,
                            .no_cache = image_no_cache,
                            .pull_newer = image_pull_base && !from->packages,
                            .no_network = from->no_network};
    build_context context;
    if (!build_context_open(&context, from->folder, from->left_out, error))
        return FALSE;
    if (from->packages)
        log_note("adding to the image '%s': %s", from->on, from->packages);
    else
        log_note("building '%s'", from->tag);
    g_autoptr(image_progress) shown = image_progress_new(log_quiet, log_json);
    g_autofree char *id =
        podman_image_build(server, &request, context.fd, image_progress_report, shown, error);
    g_clear_pointer(&shown, image_progress_free);
    gboolean packed = build_context_close(&context, id ? error : NULL);
    return id && packed;
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
        return project_source(&from, self, wanted, error)
                   ? built_image(server, self, &from, update, fetched, error)
                   : NULL;
    if (g_str_has_prefix(wanted->box.image, TEMPLATE_PREFIX))
        return template_source(&from, wanted->box.image + strlen(TEMPLATE_PREFIX), error)
                   ? built_image(server, self, &from, update, fetched, error)
                   : NULL;
    if (strcmp(wanted->box.image, "host") == 0)
        return g_new0(box_image, 1);
    return pulled_image(server, wanted->box.image, update, fetched, error);
}

/* The layer's name comes from the image's name and the packages, so that a newer image under the
 * same name is no other plan; its label from the image's ID, so that it is drift. */
static void packages_source(image_source *self, const struct box *of, const settings *wanted,
                            const char *on)
{
    self->packages = packages_text(wanted->box.packages);
    g_autofree char *both = g_strconcat(on, "\n", self->packages, NULL);
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, both, -1);
    g_autofree char *name = g_strndup(sum, PACKAGES_HASH_LENGTH);
    self->tag = tag_of(IMAGE_PACKAGES_TAG, name);
    self->folder = g_build_filename(of->runtime, "packages", NULL);
    self->file = g_strdup("Containerfile");
    self->args = g_new0(char *, 1);
    /* The project may have named the packages. */
    self->is_of_project = TRUE;
    self->no_network = wanted->network.mode == NETWORK_NONE;
    self->on = on;
}

static char *packages_hash(const image_source *self, const box_image *base)
{
    g_autofree char *contents = packages_containerfile(base->id, self->packages);
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, contents, -1);
}

static gboolean write_packages_containerfile(const image_source *self, const box_image *base,
                                             GError **error)
{
    g_autofree char *path = g_build_filename(self->folder, self->file, NULL);
    g_autofree char *contents = packages_containerfile(base->id, self->packages);
    return fs_make_folder(self->folder, 0700, error) && fs_write(path, contents, -1, 0600, error);
}

static box_image *build_packages(podman_client *server, const struct box *of,
                                 const image_source *from, const box_image *base, gboolean *fetched,
                                 GError **error)
{
    if (from->no_network) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "[box] packages cannot be installed with [network] mode = \"none\": set "
                    "another mode, run 'box build', and set it back");
        return NULL;
    }
    gboolean built =
        write_packages_containerfile(from, base, error) && build(server, of, from, error);
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
    packages_source(&from, self, wanted, base->reference);
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
    from.hash = on->id ? packages_hash(&from, on) : NULL;
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
