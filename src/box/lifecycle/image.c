#include "box/lifecycle/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/lifecycle/build_context.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/plan.h"
#include "podman/podman.h"

#define TEMPLATE_PREFIX "template:"
/* Bytes. */
#define CONTAINERFILE_MAX (1 << 20)

gboolean image_no_cache, image_proxy;

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
} image_source;

static void image_source_clear(image_source *self)
{
    g_free(self->tag);
    g_free(self->folder);
    g_free(self->file);
    g_free(self->hash);
    g_strfreev(self->args);
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
    const char *labels[] = {source, owner, NULL};
    g_auto(GStrv) args = with_proxies(from);
    podman_build request = {.tag = from->tag,
                            .containerfile = from->file,
                            .buildargs = (const char *const *)args,
                            .labels = labels,
                            .no_cache = image_no_cache,
                            .no_network = from->no_network};
    build_context context;
    if (!build_context_open(&context, from->folder, from->left_out, error))
        return FALSE;
    log_note("building '%s'", from->tag);
    g_autoptr(image_progress) shown = image_progress_new(log_quiet, log_json);
    g_autofree char *id =
        podman_image_build(server, &request, context.fd, image_progress_report, shown, error);
    g_clear_pointer(&shown, image_progress_free);
    gboolean packed = build_context_close(&context, id ? error : NULL);
    return id && packed && copy_for_user(server, from->tag, error);
}

static gboolean pull(podman_client *server, const char *reference, GError **error)
{
    g_autofree char *safe = text_safe(reference, -1);
    log_note("pulling '%s'", safe);
    g_autoptr(image_progress) shown = image_progress_new(log_quiet, log_json);
    g_autofree char *id = podman_image_pull(server, reference, image_progress_report, shown, error);
    g_clear_pointer(&shown, image_progress_free);
    return id && copy_for_user(server, reference, error);
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
                              image_update update, GError **error)
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
    return build(server, of, from, error) ? find_image(server, from->tag, &ignored, error) : NULL;
}

static box_image *pulled_image(podman_client *server, const char *reference, image_update update,
                               GError **error)
{
    g_autofree char *source = NULL;
    g_autoptr(box_image) found = find_image(server, reference, &source, error);
    if (!found || update == IMAGE_KEEP || (update != IMAGE_REBUILD && found->env))
        return g_steal_pointer(&found);
    g_autofree char *ignored = NULL;
    return pull(server, reference, error) ? find_image(server, reference, &ignored, error) : NULL;
}

box_image *box_image_resolve(const struct box *self, podman_client *server, const settings *wanted,
                             image_update update, GError **error)
{
    g_auto(image_source) from = {0};
    if (wanted->box.containerfile && *wanted->box.containerfile)
        return project_source(&from, self, wanted, error)
                   ? built_image(server, self, &from, update, error)
                   : NULL;
    if (g_str_has_prefix(wanted->box.image, TEMPLATE_PREFIX))
        return template_source(&from, wanted->box.image + strlen(TEMPLATE_PREFIX), error)
                   ? built_image(server, self, &from, update, error)
                   : NULL;
    if (strcmp(wanted->box.image, "host") == 0)
        return g_new0(box_image, 1);
    return pulled_image(server, wanted->box.image, update, error);
}
