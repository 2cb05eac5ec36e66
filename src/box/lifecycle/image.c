#include "box/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/context.h"
#include "box/interrupt.h"
#include "box/progress.h"
#include "box/say.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "podman/containers.h"
#include "podman/images.h"

#define TEMPLATE "template:"
#define CONTAINERFILE_MAX (1 << 20)

gboolean image_no_cache;

/* What to build: all owned. */
typedef struct {
    char *tag;
    char *folder; /* the context */
    char *file;   /* in it */
    char *hash;
    char **args;
} recipe;

static void recipe_clear(recipe *self)
{
    g_free(self->tag);
    g_free(self->folder);
    g_free(self->file);
    g_free(self->hash);
    g_strfreev(self->args);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(recipe, recipe_clear)

void box_image_free(box_image *self)
{
    g_free(self->reference);
    g_strfreev(self->env);
    g_free(self);
}

static char *tag_of(const char *kind, const char *name)
{
    const char *instance = paths_instance();
    return g_strconcat("localhost/litterbox", *instance ? "-" : "", instance, "/", kind, name,
                       ":latest", NULL);
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

/* The Containerfile may have been written by the box: no symlink on the way to it. */
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
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "the Containerfile '%s': %s", safe,
                    g_strerror(saved));
        return FALSE;
    }
    gboolean done = fs_read_fd(fd, path, CONTAINERFILE_MAX, contents, NULL, error);
    close(fd);
    return done;
}

static gboolean complete_recipe(recipe *self, GError **error)
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

static gboolean template_recipe(recipe *self, const char *name, GError **error)
{
    g_autofree char *tail = g_build_filename("containerfiles", name, NULL);
    self->tag = tag_of("template-", name);
    self->folder = paths_share(tail);
    self->file = g_strdup("Containerfile");
    if (strchr(name, '/') || name[0] == '.' || !g_file_test(self->folder, G_FILE_TEST_IS_DIR)) {
        g_autofree char *safe = text_safe(name, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "there is no template '%s'; 'box image templates' lists them", safe);
        return FALSE;
    }
    return complete_recipe(self, error);
}

static gboolean project_recipe(recipe *self, const box *of, const char *containerfile,
                               GError **error)
{
    self->tag = tag_of("", of->base);
    self->folder = g_strdup(of->project);
    self->file = g_strdup(containerfile);
    return complete_recipe(self, error);
}

/* Podman makes a copy of an image for ids that it has not seen: a container that never runs pays.
 */
static gboolean copy_for_user(podman *server, const char *reference, GError **error)
{
    g_autofree char *name = g_strdup_printf("litterbox-prepare-%d", (int)getpid());
    g_autofree char *ids = g_strdup_printf("uid=%d,gid=%d", (int)getuid(), (int)getgid());
    g_autoptr(json_t) request = json_pack(
        "{s:s, s:s, s:{s:s, s:s}, s:{s:s}, s:[s]}", "name", name, "image", reference, "userns",
        "nsmode", "keep-id", "value", ids, "netns", "nsmode", "none", "command", "true");
    say_step("copying the image for your user id");
    g_autofree char *id = podman_container_create(server, request, NULL, error);
    say_step_done();
    return id && podman_container_remove(server, name, error);
}

static gboolean build(podman *server, const box *of, const recipe *from, GError **error)
{
    g_autofree char *source = g_strconcat(IMAGE_LABEL_SOURCE "=", from->hash, NULL);
    g_autofree char *owner = g_strconcat(IMAGE_LABEL_BOX "=", of->base, NULL);
    const char *labels[] = {source, owner, NULL};
    podman_build order = {.tag = from->tag,
                          .containerfile = from->file,
                          .buildargs = (const char *const *)from->args,
                          .labels = labels,
                          .no_cache = image_no_cache};
    context packed;
    if (!context_begin(&packed, from->folder, error))
        return FALSE;
    say_note("building '%s'", from->tag);
    g_autoptr(progress) shown = progress_new(progress_choose(say_quiet, say_json));
    interrupt_begin();
    g_autofree char *id =
        podman_image_build(server, &order, packed.fd, progress_take, shown, error);
    interrupt_end();
    g_clear_pointer(&shown, progress_free);
    gboolean whole = context_end(&packed, id ? error : NULL);
    return id && whole && copy_for_user(server, from->tag, error);
}

static gboolean pull(podman *server, const char *reference, GError **error)
{
    g_autofree char *safe = text_safe(reference, -1);
    say_note("pulling '%s'", safe);
    g_autoptr(progress) shown = progress_new(progress_choose(say_quiet, say_json));
    interrupt_begin();
    g_autofree char *id = podman_image_pull(server, reference, progress_take, shown, error);
    interrupt_end();
    g_clear_pointer(&shown, progress_free);
    return id && copy_for_user(server, reference, error);
}

static char **read_env(json_t *inspect)
{
    json_t *list = json_object_get(json_object_get(inspect, "Config"), "Env"), *entry;
    g_autoptr(GPtrArray) env = g_ptr_array_new();
    size_t i;
    json_array_foreach (list, i, entry) {
        if (json_is_string(entry))
            g_ptr_array_add(env, g_strdup(json_string_value(entry)));
    }
    g_ptr_array_add(env, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&env), FALSE);
}

/* The image as Podman has it; its env is NULL when it has not. */
static box_image *look_up(podman *server, const char *reference, char **source, GError **error)
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
        *source = g_strdup(json_string_value(json_object_get(labels, IMAGE_LABEL_SOURCE)));
    }
    return found;
}

static box_image *built_image(podman *server, const box *of, const recipe *from,
                              box_image_need need, GError **error)
{
    g_autofree char *source = NULL;
    g_autoptr(box_image) found = look_up(server, from->tag, &source, error);
    if (!found)
        return NULL;
    gboolean outdated = found->env && g_strcmp0(source, from->hash) != 0;
    if (need == IMAGE_AS_IT_IS || (need == IMAGE_GET && found->env)) {
        if (outdated)
            say_note("the Containerfile has changed since the image was built; 'box build' builds "
                     "it anew");
        return g_steal_pointer(&found);
    }
    g_autofree char *ignored = NULL;
    return build(server, of, from, error) ? look_up(server, from->tag, &ignored, error) : NULL;
}

static box_image *pulled_image(podman *server, const char *reference, box_image_need need,
                               GError **error)
{
    g_autofree char *source = NULL;
    g_autoptr(box_image) found = look_up(server, reference, &source, error);
    if (!found || need == IMAGE_AS_IT_IS || (need == IMAGE_GET && found->env))
        return g_steal_pointer(&found);
    g_autofree char *ignored = NULL;
    return pull(server, reference, error) ? look_up(server, reference, &ignored, error) : NULL;
}

box_image *image_resolve(const box *self, podman *server, const settings *wanted,
                         box_image_need need, GError **error)
{
    g_auto(recipe) from = {0};
    if (wanted->box.containerfile && *wanted->box.containerfile)
        return project_recipe(&from, self, wanted->box.containerfile, error)
                   ? built_image(server, self, &from, need, error)
                   : NULL;
    if (g_str_has_prefix(wanted->box.image, TEMPLATE))
        return template_recipe(&from, wanted->box.image + strlen(TEMPLATE), error)
                   ? built_image(server, self, &from, need, error)
                   : NULL;
    if (strcmp(wanted->box.image, "host") == 0)
        return g_new0(box_image, 1);
    return pulled_image(server, wanted->box.image, need, error);
}
