#include "box/create.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/helpers/bridge.h"
#include "box/gpu.h"
#include "box/image.h"
#include "box/layer.h"
#include "box/record.h"
#include "box/say.h"
#include "bridge/outcome.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "plan/facts.h"
#include "podman/containers.h"

typedef struct {
    plan_box identity;
    box_image *image;
    char *ssh;
    char **projects;
    plan_facts *facts;
    plan *plan;
} blueprint;

static void blueprint_clear(blueprint *self)
{
    g_clear_pointer(&self->facts, plan_facts_free);
    g_clear_pointer(&self->plan, plan_free);
    g_clear_pointer(&self->ssh, g_free);
    g_clear_pointer(&self->projects, g_strfreev);
    g_clear_pointer(&self->image, box_image_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(blueprint, blueprint_clear)

static gboolean draw(blueprint *self, const box *of, podman *server, const config *settings_read,
                     box_image_need need, GError **error)
{
    const settings *wanted = config_settings(settings_read);
    const char *version = podman_version(server, error);
    self->image = version ? image_resolve(of, server, wanted, need, error) : NULL;
    if (!self->image)
        return FALSE;
    self->ssh = agent_folder(of->name);
    self->projects = registry_projects();
    self->identity = (plan_box){.name = of->name,
                                .container = of->container,
                                .instance = paths_instance(),
                                .project = of->project,
                                .home = of->home,
                                .data = of->data,
                                .runtime = of->runtime,
                                .ssh = self->ssh,
                                .image = self->image->reference,
                                .projects = (const char *const *)self->projects,
                                .only = (const char *const *)of->only,
                                .image_env = (const char *const *)self->image->env};
    self->facts = plan_facts_collect(&self->identity, wanted, version, error);
    self->plan = self->facts ? plan_make(&self->identity, wanted, self->facts, error) : NULL;
    return self->plan != NULL;
}

plan *create_plan(const box *self, podman *server, const config *settings_read, GError **error)
{
    g_auto(blueprint) drawn = {0};
    if (!draw(&drawn, self, server, settings_read, IMAGE_AS_IT_IS, error))
        return NULL;
    return g_steal_pointer(&drawn.plan);
}

/*
 * No old socket may answer for the new box-init. Root of the box can have put a folder there that
 * holds files of its own, which we may not remove: then the whole folder goes out of the way.
 */
static gboolean clear_control(const box *self, const char *ctl, GError **error)
{
    g_autofree char *socket = g_build_filename(ctl, "sock", NULL);
    if (unlink(socket) == 0 || errno == ENOENT || fs_remove_tree(socket, NULL))
        return TRUE;
    g_autofree char *aside =
        g_strdup_printf("%s/spoiled-%08x", self->runtime, (guint)g_random_int());
    if (rename(ctl, aside) == 0)
        return fs_make_folder(ctl, 0700, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot clear the control folder: %s",
                g_strerror(errno));
    return FALSE;
}

/* A home that somebody else owns would hand them everything that is done in the box. */
static gboolean make_folders(const box *self, GError **error)
{
    g_autofree char *ctl = g_build_filename(self->runtime, "ctl", NULL);
    g_autofree char *desktop = g_build_filename(self->runtime, BRIDGE_FOLDER, NULL);
    g_autofree char *x11 = g_build_filename(self->runtime, BRIDGE_X11, NULL);
    g_autofree char *ssh = agent_folder(self->name);
    return fs_make_folder(x11, 0700, error) && fs_make_folder(desktop, 0700, error) &&
           desktop_clear(self, error) && (!ssh || fs_make_folder(ssh, 0700, error)) &&
           fs_make_folder(self->data, 0700, error) && fs_make_folder(self->home, 0700, error) &&
           fs_make_folder(ctl, 0700, error) && clear_control(self, ctl, error);
}

static char *wanted_hash(const plan *drawn)
{
    json_t *labels = json_object_get(drawn->request, "labels");
    return g_strdup(json_string_value(json_object_get(labels, PLAN_LABEL_PLAN)));
}

/* Podman 4 and 5 say it of cgroup v1, where the plan has said it in our words. */
static gboolean is_said(const char *warning)
{
    return strstr(warning, "Resource limits are not supported and ignored") != NULL;
}

/* A new container's ID, or NULL. */
static char *create(const box *self, podman *server, const plan *drawn, GError **error)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    /* An image that came neither from a build nor from a pull of ours is copied now. */
    say_step(json_object_get(drawn->request, "image")
                 ? "creating box '%s' (the first time, its image is copied for your user id)"
                 : "creating box '%s'",
             self->name);
    g_autoptr(GError) problem = NULL;
    char *id = podman_container_create(server, drawn->request, warnings, &problem);
    /* A Podman that was killed while it made or removed the container leaves a part of it, which
     * only a removal knows. */
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_CONFLICT) &&
        podman_container_remove(server, self->container, NULL)) {
        g_clear_error(&problem);
        id = podman_container_create(server, drawn->request, warnings, &problem);
    }
    say_step_done();
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    for (guint i = 0; i < warnings->len; i++)
        if (!is_said(warnings->pdata[i]))
            say_warning("%s", (char *)warnings->pdata[i]);
    return id;
}

/* Program and options, borrowed; nothing without a program. */
static GPtrArray *editor_words(const settings *wanted)
{
    GPtrArray *words = g_ptr_array_new();
    if (wanted->editor.command)
        g_ptr_array_add(words, wanted->editor.command);
    for (char **word = wanted->editor.args; words->len && *word; word++)
        g_ptr_array_add(words, *word);
    g_ptr_array_add(words, NULL);
    return words;
}

static GPtrArray *look_words(const plan_facts *facts)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) env = facts->look ? appearance_environment(facts->look) : NULL;
    if (env)
        g_ptr_array_add(words, g_strdup("true"));
    for (char **entry = env; entry && *entry; entry++)
        g_ptr_array_add(words, g_strdup(*entry));
    g_ptr_array_add(words, NULL);
    return words;
}

static gboolean write_record(const box *self, const config *settings_read, const plan_facts *facts,
                             GError **error)
{
    const settings *wanted = config_settings(settings_read);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    char **lists[] = {wanted->protect.paths, wanted->protect.extra};
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
        for (char **name = lists[i]; name && *name; name++)
            g_ptr_array_add(names, *name);
    }
    g_ptr_array_add(names, NULL);
    char *setup[] = {wanted->home.setup, NULL};
    char *workdir[] = {wanted->box.workdir, NULL};
    char *terminal[] = {wanted->editor.terminal == EDITOR_TERMINAL_AUTO  ? NULL
                        : wanted->editor.terminal == EDITOR_TERMINAL_YES ? (char *)"true"
                                                                         : (char *)"false",
                        NULL};
    char *wayland[] = {wanted->desktop.wayland == WAYLAND_NONE   ? NULL
                       : wanted->desktop.wayland == WAYLAND_AUTO ? (char *)"auto"
                                                                 : (char *)"plain",
                       NULL};
    char *open[] = {wanted->desktop.open == OPEN_DENY  ? NULL
                    : wanted->desktop.open == OPEN_ASK ? (char *)"ask"
                                                       : (char *)"allow",
                    NULL};
    char *notify[] = {wanted->desktop.notify ? (char *)"true" : NULL, NULL};
    char *sound[] = {wanted->desktop.sound == SOUND_NONE ? NULL : (char *)"playback", NULL};
    char *microphone[] = {wanted->desktop.microphone ? (char *)"true" : NULL, NULL};
    char *x11[] = {wanted->desktop.x11 == X11_NONE     ? NULL
                   : wanted->desktop.x11 == X11_NESTED ? (char *)"nested"
                                                       : (char *)"host",
                   NULL};
    char *clipboard[] = {wanted->desktop.clipboard == CLIPBOARD_NONE     ? NULL
                         : wanted->desktop.clipboard == CLIPBOARD_TO_BOX ? (char *)"to-box"
                         : wanted->desktop.clipboard == CLIPBOARD_BOTH   ? (char *)"both"
                                                                         : (char *)"from-box",
                         NULL};
    g_autoptr(GPtrArray) editor = editor_words(wanted);
    g_autoptr(GPtrArray) look = look_words(facts);
    record known = {.pass_env = wanted->box.pass_env,
                    .protect = (char **)names->pdata,
                    .setup = setup,
                    .workdir = workdir,
                    .editor = (char **)editor->pdata,
                    .terminal = terminal,
                    .wayland = wayland,
                    .open = open,
                    .notify = notify,
                    .sound = sound,
                    .microphone = microphone,
                    .x11 = x11,
                    .clipboard = clipboard,
                    .look = (char **)look->pdata};
    return record_write(self, &known, config_files(settings_read), error);
}

/*
 * Whether the container NOW is to be made anew for the plan DRAWN, in *ANEW. What was installed
 * into it is kept as long as it may do no more than the plan says.
 */
static gboolean decide(const box *self, podman *server, const plan *drawn, const box_container *now,
                       gboolean *anew, GError **error)
{
    g_autofree char *hash = wanted_hash(drawn);
    *anew = now->state == BOX_MISSING || g_strcmp0(hash, now->plan) != 0;
    if (!*anew || now->state == BOX_MISSING)
        return TRUE;
    g_autofree char *contents = layer_contents(self, server, now);
    if (!contents)
        return podman_container_remove(server, self->container, error);
    if (layer_may_stay(now, drawn->request)) {
        say_note(
            "the plan of box '%s' has changed, and 'box apply' puts that into effect; until then "
            "it stays as it is, with %s",
            self->name, contents);
        *anew = FALSE;
        return TRUE;
    }
    return layer_give_up(self, contents, error) &&
           podman_container_remove(server, self->container, error);
}

gboolean create_prepare(box *self, podman *server, const config *settings_read,
                        const box_container *now, char **id, GError **error)
{
    const settings *wanted = config_settings(settings_read);
    g_auto(blueprint) drawn = {0};
    if (!make_folders(self, error) || !draw(&drawn, self, server, settings_read, IMAGE_GET, error))
        return FALSE;
    gboolean anew;
    if (!decide(self, server, drawn.plan, now, &anew, error))
        return FALSE;
    for (guint i = 0; anew && i < drawn.plan->warnings->len; i++)
        say_warning("%s", (char *)drawn.plan->warnings->pdata[i]);
    for (guint i = 0; i < drawn.plan->absent->len; i++)
        say_warning("%s", (char *)drawn.plan->absent->pdata[i]);
    gpu_note_rights(self, drawn.plan->request, wanted->security.keep_groups);
    if (!plan_prepare(&drawn.identity, wanted, drawn.facts, error))
        return FALSE;
    *id = anew ? create(self, server, drawn.plan, error) : g_strdup(now->id);
    return *id && write_record(self, settings_read, drawn.facts, error);
}
