#include "box/lifecycle/lifecycle.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/helpers/bridge.h"
#include "box/helpers/package_hosts.h"
#include "box/helpers/secrets.h"
#include "box/lifecycle/container.h"
#include "box/lifecycle/container_diff.h"
#include "box/lifecycle/create_notes.h"
#include "box/lifecycle/image.h"
#include "box/lifecycle/package_sources.h"
#include "box/lifecycle/replace.h"
#include "box/registry/box.h"
#include "box/registry/runtime_config.h"
#include "box/registry/tools.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/facts.h"
#include "podman/podman.h"
#include "proto/bridge_protocol.h"
#include "proto/session.h"
#include "sys/debug.h"

/* A plan, and what it was made from. */
typedef struct {
    plan_box identity;
    box_image *image;
    char *ssh;
    char *tools;
    char **writable;
    plan_facts *facts;
    plan *plan;
} plan_inputs;

static void plan_inputs_clear(plan_inputs *self)
{
    g_clear_pointer(&self->facts, plan_facts_free);
    g_clear_pointer(&self->plan, plan_free);
    g_clear_pointer(&self->ssh, g_free);
    g_clear_pointer(&self->tools, g_free);
    g_clear_pointer(&self->writable, g_strfreev);
    g_clear_pointer(&self->image, box_image_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plan_inputs, plan_inputs_clear)

static gboolean make_plan(plan_inputs *self, const struct box *of, podman_client *server,
                          const config *loaded, image_update update, GError **error)
{
    const settings *wanted = config_settings(loaded);
    const char *version = podman_version(server, error);
    self->image = version ? box_image_resolve(of, server, wanted, update, error) : NULL;
    if (!self->image)
        return FALSE;
    const box_installation *installs = of->installation;
    self->ssh = installs ? NULL : agent_box_folder(of->name);
    self->tools = installs ? g_strdup(installs->folder) : tools_folder();
    self->writable = registry_writable_folders();
    self->identity = (plan_box){.name = of->name,
                                .container = of->container,
                                .instance = paths_instance(),
                                .project = of->project,
                                .home = of->home,
                                .data = of->data,
                                .runtime = of->runtime,
                                .ssh = self->ssh,
                                .tools = self->tools,
                                .installs = installs ? installs->at : NULL,
                                .image = self->image->reference,
                                .writable = (const char *const *)self->writable,
                                .only = (const char *const *)of->only,
                                .is_branch = of->branch != NULL,
                                .copies_home = of->isolated,
                                .image_env = (const char *const *)self->image->env};
    self->facts = plan_facts_collect(&self->identity, wanted, version, error);
    self->plan = self->facts ? plan_make(&self->identity, wanted, self->facts, error) : NULL;
    return self->plan != NULL;
}

plan *box_make_plan(const struct box *self, podman_client *server, const config *loaded,
                    GError **error)
{
    g_auto(plan_inputs) inputs = {0};
    if (!make_plan(&inputs, self, server, loaded, IMAGE_KEEP, error))
        return NULL;
    return g_steal_pointer(&inputs.plan);
}

box_drift box_find_drift(const struct box *self, podman_client *server, const config *loaded,
                         const box_container *now)
{
    g_auto(plan_inputs) inputs = {0};
    if (now->state == BOX_MISSING)
        return BOX_DRIFT_NONE;
    if (!make_plan(&inputs, self, server, loaded, IMAGE_KEEP, NULL))
        return BOX_DRIFT_UNKNOWN;
    g_autofree char *hash = plan_hash(inputs.plan->request);
    if (g_strcmp0(hash, now->plan) != 0)
        return BOX_DRIFT_CONFIG;
    gboolean other =
        now->base_image && inputs.image->id && strcmp(now->base_image, inputs.image->id) != 0;
    return other || inputs.image->is_stale ? BOX_DRIFT_IMAGE : BOX_DRIFT_NONE;
}

static gboolean remove_file(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT || fs_remove_tree(path, NULL);
}

/*
 * Removes an old control socket, so that it cannot answer for the new box-init. Root of the box may
 * have put a folder with files in its place, which the user cannot remove; then the whole control
 * folder is renamed.
 */
static gboolean clear_control_folder(const struct box *self, const char *ctl, GError **error)
{
    g_autofree char *socket = g_build_filename(ctl, SESSION_SOCKET, NULL);
    g_autofree char *debug = g_build_filename(ctl, SESSION_DEBUG_FILE, NULL);
    if (remove_file(socket) && remove_file(debug))
        return TRUE;
    g_autofree char *aside =
        g_strdup_printf("%s/spoiled-%08x", self->runtime, (guint)g_random_int());
    if (rename(ctl, aside) == 0)
        return fs_make_folder(ctl, 0700, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot clear the control folder: %s",
                g_strerror(errno));
    return FALSE;
}

/* Passes BOX_DEBUG on to box-init, which reads it when it starts. */
static gboolean write_debug_topics(const char *ctl, GError **error)
{
    const char *topics = g_getenv(DEBUG_VARIABLE);
    g_autofree char *path = g_build_filename(ctl, SESSION_DEBUG_FILE, NULL);
    return !topics || strlen(topics) >= DEBUG_LIST_MAX || fs_write(path, topics, -1, 0600, error);
}

/* A copy of a home has got what the home has. */
static gboolean copy_home_mark(const struct box *self, const char *name, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(self->home);
    g_autofree char *from = g_build_filename(folder, name, NULL), *to = box_home_mark(self, name);

    return box_home_mark_copy(from, to, error);
}

static gboolean begin_home_copy(const struct box *self, GError **error)
{
    g_autofree char *begun = g_build_filename(self->data, PLAN_DATA_LAYERS, NULL);

    return access(begun, F_OK) == 0 || (copy_home_mark(self, PLAN_DATA_HOME_IS_NEW, error) &&
                                        copy_home_mark(self, PLAN_DATA_HOME_IS_SET_UP, error) &&
                                        copy_home_mark(self, SECRETS_WRITTEN, error));
}

/* The mark is made first: whoever is killed in between leaves a home that still gets its files. A
 * branch has the home of its box. */
static gboolean make_home(const struct box *self, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(self->home);
    g_autofree char *mark = g_build_filename(folder, PLAN_DATA_HOME_IS_NEW, NULL);

    if (!g_file_test(self->home, G_FILE_TEST_EXISTS) && !fs_write(mark, "", 0, 0600, error))
        return FALSE;
    return fs_make_folder(self->home, 0700, error) &&
           (!self->isolated || begin_home_copy(self, error));
}

/* fs_make_folder() refuses a folder that another user owns. */
gboolean box_make_folders(const struct box *self, GError **error)
{
    g_autofree char *ctl = g_build_filename(self->runtime, "ctl", NULL);
    g_autofree char *desktop = g_build_filename(self->runtime, BRIDGE_FOLDER, NULL);
    g_autofree char *x11 = g_build_filename(self->runtime, BRIDGE_X11, NULL);
    g_autofree char *ssh = agent_box_folder(self->name), *tools = tools_folder();
    fs_remove_temporary(self->runtime);
    fs_remove_temporary(self->data);
    return fs_make_folder(x11, 0700, error) && fs_make_folder(desktop, 0700, error) &&
           bridge_clear_sockets(self, error) && (!ssh || fs_make_folder(ssh, 0700, error)) &&
           fs_make_folder(tools, 0700, error) && fs_make_folder(self->data, 0700, error) &&
           make_home(self, error) && fs_make_folder(ctl, 0700, error) &&
           clear_control_folder(self, ctl, error) && write_debug_topics(ctl, error);
}

static char *plan_label(const plan *planned)
{
    json_t *labels = json_object_get(planned->request, "labels");
    return g_strdup(json_string_value(json_object_get(labels, PLAN_LABEL_PLAN)));
}

/* Podman warns about cgroup v1 like this; the plan has a better warning. */
static gboolean is_redundant(const char *warning)
{
    return strstr(warning, "Resource limits are not supported and ignored") != NULL;
}

/* In place of the image of the plan, whose hash stays: that is no other configuration. */
static void set_layer(json_t *request, const box_layer *layer)
{
    json_t *labels = json_object_get(request, "labels");
    json_object_set_new(request, "image", json_string(layer->image));
    json_object_set_new(labels, PLAN_LABEL_BASE, json_string(layer->base));
}

/* Creates a container with the name NAME. Its ID, a new string, or NULL. */
static char *create(const struct box *self, podman_client *server, const plan *planned,
                    const char *name, GError **error)
{
    json_object_set_new(planned->request, "name", json_string(name));
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    /* Podman copies an image now that box_image_resolve() has neither built nor pulled. */
    log_step(json_object_get(planned->request, "image")
                 ? "creating box '%s' (the first time, its image is copied for your user id)"
                 : "creating box '%s'",
             self->name);
    g_autoptr(GError) problem = NULL;
    char *id = podman_container_create(server, planned->request, warnings, &problem);
    /* A Podman that was killed while it created or removed the container leaves parts of it, which
     * only a removal finds. */
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_CONFLICT) &&
        podman_container_remove(server, name, NULL)) {
        g_clear_error(&problem);
        id = podman_container_create(server, planned->request, warnings, &problem);
    }
    log_step_done();
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    for (guint i = 0; i < warnings->len; i++)
        if (!is_redundant(warnings->pdata[i]))
            log_warning("%s", (char *)warnings->pdata[i]);
    return id;
}

static gboolean write_runtime_config(const struct box *self, const config *loaded,
                                     const plan_facts *facts, GError **error)
{
    g_auto(GStrv) env = facts->appearance ? appearance_environment(facts->appearance) : NULL;
    return runtime_config_write(self, config_settings(loaded), env, config_files(loaded), error);
}

/* 'box' was killed after it had made the container, and before it had recorded which hosts its
 * packages come from. */
static gboolean is_unread(const struct box *self, const config *loaded, const box_container *now)
{
    return config_settings(loaded)->network.mode == NETWORK_FILTERED && now->is_new &&
           !package_hosts_know(self, now->id);
}

/*
 * Decides whether the container NOW must be created again for the plan PLANNED, in *RECREATE. A
 * container with installed files is kept while it may do no more than the plan allows. FALSE with
 * ERROR when the user does not want to lose them.
 */
static gboolean decide(const struct box *self, podman_client *server, const config *loaded,
                       const plan *planned, const box_container *now, gboolean *recreate,
                       GError **error)
{
    g_autofree char *hash = plan_label(planned);
    gboolean unread = is_unread(self, loaded, now);
    *recreate = now->state == BOX_MISSING || unread || g_strcmp0(hash, now->plan) != 0;
    debug_log(DEBUG_PLAN, "box '%s': plan %s, container %s: %s", self->name, hash,
              now->plan ? now->plan : "without a plan",
              now->state == BOX_MISSING ? "missing, is created"
              : *recreate               ? "drifted"
                                        : "stays");
    if (!*recreate || now->state == BOX_MISSING || unread)
        return TRUE;
    create_notes_network(self, loaded, now);
    g_autofree char *contents = container_diff_describe(self, server, now);
    debug_log(DEBUG_PLAN, "box '%s': the drifted container holds %s", self->name,
              contents ? contents : "nothing of its own, is created again");
    if (!contents)
        return TRUE;
    if (container_may_be_kept(now, planned->request)) {
        log_note("the configuration of box '%s' has changed; run 'box apply' to recreate it, which "
                 "will delete %s ('box apply --keep-files' keeps them)",
                 self->name, contents);
        *recreate = FALSE;
        return TRUE;
    }
    return container_diff_confirm_loss(self, contents, error);
}

/* Creates the container that will replace the one of SELF. Its ID, a new string, or NULL. */
static char *create_next(const struct box *self, podman_client *server, const plan *planned,
                         GError **error)
{
    g_autofree char *next = replace_begin(self, server, error);
    g_autofree char *id = next ? create(self, server, planned, next, error) : NULL;
    if (!id)
        replace_undo(self, server, NULL);
    return g_steal_pointer(&id);
}

static char *create_or_replace(struct box *self, podman_client *server, const plan *planned,
                               const box_container *now, GError **error)
{
    if (now->state == BOX_MISSING) {
        self->fresh = FALSE;
        return create(self, server, planned, self->container, error);
    }
    g_autofree char *id = create_next(self, server, planned, error);
    if (id && replace_swap(self, server, error))
        return g_steal_pointer(&id);
    if (id)
        replace_undo(self, server, NULL);
    return NULL;
}

/* ID is a container that was just created, of which nothing has run. */
static gboolean record_package_sources(const struct box *self, podman_client *server,
                                       const settings *wanted, const plan_inputs *inputs,
                                       const char *id, GError **error)
{
    return wanted->network.mode != NETWORK_FILTERED ||
           package_sources_record(
               self, server,
               &(package_sources_container){.id = id,
                                            .is_host_image = !inputs->image->reference,
                                            .image = inputs->image->id,
                                            .request = inputs->plan->request,
                                            .wanted = wanted,
                                            .facts = inputs->facts},
               error);
}

static gboolean plan_next(plan_inputs *self, const struct box *of, podman_client *server,
                          const config *loaded, const box_layer *layer, GError **error)
{
    if (!make_plan(self, of, server, loaded, layer ? IMAGE_FETCH_MISSING : IMAGE_FETCH_STALE,
                   error))
        return FALSE;
    if (layer && !self->image->reference) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' uses the host image now, which has no files of its own", of->name);
        return FALSE;
    }
    create_notes_show(self->plan, TRUE);
    if (layer)
        set_layer(self->plan->request, layer);
    return plan_prepare(&self->identity, config_settings(loaded), self->facts, error);
}

gboolean box_create_next(struct box *self, podman_client *server, const config *loaded,
                         const box_layer *layer, GError **error)
{
    const settings *wanted = config_settings(loaded);
    g_auto(plan_inputs) inputs = {0};
    if (!plan_next(&inputs, self, server, loaded, layer, error))
        return FALSE;
    g_autofree char *id = create_next(self, server, inputs.plan, error);
    /* A box may have written what such a layer has. */
    if (id && (layer ? package_hosts_inherit(self, id, error)
                     : record_package_sources(self, server, wanted, &inputs, id, error)))
        return TRUE;
    if (id)
        replace_undo(self, server, NULL);
    return FALSE;
}

gboolean box_prepare_container(struct box *self, podman_client *server, const config *loaded,
                               const box_container *now, char **id, GError **error)
{
    const settings *wanted = config_settings(loaded);
    g_auto(plan_inputs) inputs = {0};
    if (!box_make_folders(self, error) ||
        !make_plan(&inputs, self, server, loaded, IMAGE_FETCH_MISSING, error))
        return FALSE;
    gboolean recreate;
    if (!decide(self, server, loaded, inputs.plan, now, &recreate, error))
        return FALSE;
    create_notes_show(inputs.plan, recreate && !self->installation);
    create_notes_gpu(self, inputs.plan->request, wanted->security.keep_groups);
    if (!plan_prepare(&inputs.identity, wanted, inputs.facts, error))
        return FALSE;
    *id = recreate ? create_or_replace(self, server, inputs.plan, now, error) : g_strdup(now->id);
    return *id &&
           (!recreate || record_package_sources(self, server, wanted, &inputs, *id, error)) &&
           write_runtime_config(self, loaded, inputs.facts, error);
}
