/* plan_make(): assembles the create request from its parts and computes its hashes. */
#include "plan/request.h"

#include <stdlib.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

void plan_free(plan *self)
{
    if (!self)
        return;
    json_decref(self->request);
    for (int i = 0; i < N_PLAN_LAYERS; i++)
        g_free(self->layers[i]);
    g_ptr_array_unref(self->warnings);
    g_ptr_array_unref(self->absent);
    g_free(self);
}

void plan_request_set(plan_request *self, const char *key, json_t *value)
{
    json_object_set_new(self->json, key, value);
}

void plan_request_warn(plan_request *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(self->warnings, g_strdup_vprintf(format, args));
    va_end(args);
}

gboolean plan_refuse(const char *what, const char *path, const char *why, GError **error)
{
    g_autofree char *safe = text_safe(path, -1);

    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: '%s' %s", what, safe, why);
    return FALSE;
}

char *plan_data_path(const plan_box *box, const char *tail)
{
    return g_build_filename(box->data, tail, NULL);
}

static void add_labels(plan_request *self)
{
    const plan_box *box = self->box;

    plan_request_set(self, "labels",
                     json_pack("{s:s, s:s, s:s}", PLAN_LABEL_BOX, box->name, PLAN_LABEL_PROJECT,
                               box->project, PLAN_LABEL_INSTANCE,
                               box->instance ? box->instance : ""));
}

typedef gboolean (*request_part)(plan_request *self, GError **error);

/* The order matters: later parts check what earlier ones have mounted. */
static const request_part parts[] = {
    plan_request_check_project,  plan_request_add_root,    plan_request_add_litterbox,
    plan_request_add_home,       plan_request_add_project, plan_request_add_git,
    plan_request_add_identity,   plan_request_add_shares,  plan_request_add_toolchains,
    plan_request_add_appearance, plan_request_add_network, plan_request_add_security,
    plan_request_add_devices,    plan_request_add_limits,  plan_request_note_borrowed,
};

static gboolean can_be_written(const plan_request *self, const char *path)
{
    return fs_is_below(path, self->box->home) || fs_is_below(path, self->box->data) ||
           plan_request_is_shared(self, path, fs_is_below);
}

/* A box that can write its own seccomp profile, or a link to it, has none from its next start. */
static gboolean check_profile(const plan_request *self, GError **error)
{
    const char *path = json_string_value(json_object_get(self->json, "seccomp_profile_path"));
    g_autofree char *clean = path ? plan_clean_path(path) : NULL;

    if (path && !clean && strcmp(path, "unconfined") != 0)
        return plan_refuse("security.seccomp", path, "is not an absolute path without '..'", error);
    if (!clean)
        return TRUE;
    const plan_file *found = plan_facts_file(self->facts, clean);
    gboolean inside =
        can_be_written(self, clean) || (found->real && can_be_written(self, found->real));
    for (char **link = found->links; link && *link; link++)
        inside |= can_be_written(self, *link);
    return !inside || plan_refuse("security.seccomp", path,
                                  "lies in a project or a folder that a box can write, or is "
                                  "reached through a link there: a box could change it",
                                  error);
}

static gboolean add_parts(plan_request *self, GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
        if (!parts[i](self, error))
            return FALSE;
    plan_request_add_process(self);
    plan_request_add_env(self);
    add_labels(self);
    return plan_request_add_podman(self, error) && check_profile(self, error);
}

/* JSON strings are UTF-8. */
static gboolean check_encoding(const plan_box *box, const plan_facts *facts, GError **error)
{
    const char *texts[] = {box->name, box->project, box->home,
                           box->data, box->runtime, facts->home};

    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        if (!texts[i] || !g_utf8_validate(texts[i], -1, NULL)) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                        "Podman cannot use a path that is not valid UTF-8; rename the folder");
            return FALSE;
        }
    return TRUE;
}

static void request_clear(plan_request *self)
{
    for (int i = 0; i < N_PLAN_LAYERS; i++)
        g_clear_pointer(&self->layers[i], g_free);
    g_clear_pointer(&self->json, json_decref);
    g_clear_pointer(&self->targets, g_hash_table_unref);
    g_clear_pointer(&self->protected, g_hash_table_unref);
    g_clear_pointer(&self->warnings, g_ptr_array_unref);
    g_clear_pointer(&self->absent, g_ptr_array_unref);
    g_clear_pointer(&self->reserved, g_ptr_array_unref);
    g_clear_pointer(&self->hidden, g_ptr_array_unref);
    g_clear_pointer(&self->git_folders, g_ptr_array_unref);
}

plan *plan_make(const plan_box *box, const settings *wanted, const plan_facts *facts,
                GError **error)
{
    plan_request request = {.box = box, .wanted = wanted, .facts = facts};

    if (!check_encoding(box, facts, error))
        return NULL;
    request.json = json_object();
    request.mounts = json_array();
    plan_request_set(&request, "mounts", request.mounts);
    request.targets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    request.protected = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    request.warnings = g_ptr_array_new_with_free_func(g_free);
    request.absent = g_ptr_array_new_with_free_func(g_free);
    request.reserved = g_ptr_array_new_with_free_func(g_free);
    request.hidden = g_ptr_array_new_with_free_func(g_free);
    request.git_folders = g_ptr_array_new_with_free_func(g_free);

    plan *result = NULL;
    if (add_parts(&request, error)) {
        json_t *labels = json_object_get(request.json, "labels");
        g_autofree char *access = plan_access_hash(request.json, box->project);
        json_object_set_new(labels, PLAN_LABEL_ACCESS, json_string(access));
        g_autofree char *hash = plan_hash(request.json);
        json_object_set_new(labels, PLAN_LABEL_PLAN, json_string(hash));
        /* A container has the labels of its image, which are anybody's, unless it has its own. */
        json_object_set_new(labels, PLAN_LABEL_BASE, json_string(""));
        result = g_new0(plan, 1);
        result->request = g_steal_pointer(&request.json);
        result->warnings = g_steal_pointer(&request.warnings);
        result->absent = g_steal_pointer(&request.absent);
        memcpy(result->layers, request.layers, sizeof result->layers);
        memset(request.layers, 0, sizeof request.layers);
    }
    request_clear(&request);
    return result;
}

/* Options of box-init that take rights away. */
#define RESERVE "--reserve"
#define GIT_FOLDER "--git-folder"

static char *hash_of(const json_t *value)
{
    char *text = json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT);
    char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text ? text : "", -1);

    free(text);
    return hash;
}

/* A shallow copy, whose values are replaced and not changed. A container that has its name since
 * Litterbox 0.4 has not drifted by that. */
static json_t *copy_to_hash(const json_t *request)
{
    json_t *copy = json_copy((json_t *)request), *labels = json_object_get(copy, "labels");
    const char *name = json_string_value(json_object_get(copy, "name")),
               *instance = json_string_value(json_object_get(labels, PLAN_LABEL_INSTANCE));
    g_autofree char *former = name && instance ? paths_former_container(name, instance) : NULL;

    if (former)
        json_object_set_new(copy, "name", json_string(former));
    return copy;
}

char *plan_hash(const json_t *request)
{
    json_auto_t *copy = copy_to_hash(request);
    json_t *labels = json_object_get(copy, "labels");

    if (json_is_object(labels)) {
        json_t *rest = json_copy(labels);
        json_object_del(rest, PLAN_LABEL_PLAN);
        json_object_del(rest, PLAN_LABEL_BASE);
        json_object_set_new(copy, "labels", rest);
    }
    return hash_of(copy);
}

static gboolean has_option(const json_t *mount, const char *name)
{
    json_t *option;
    gsize i;

    json_array_foreach (json_object_get(mount, "options"), i, option)
        if (g_strcmp0(json_string_value(option), name) == 0)
            return TRUE;
    return FALSE;
}

static const char *destination_of(const json_t *mount)
{
    const char *destination = json_string_value(json_object_get(mount, "destination"));

    return destination ? destination : "";
}

static gboolean is_project_writable(const json_t *mounts, const char *project)
{
    json_t *mount;
    gsize i;

    json_array_foreach (mounts, i, mount)
        if (strcmp(destination_of(mount), project) == 0)
            return has_option(mount, "rw");
    return FALSE;
}

/* A folder of desktop.appearance that exists today. The mount at PLAN_APPEARANCE, which is hashed,
 * shows that the box may see such folders. */
static gboolean is_theme_mount(const json_t *mount)
{
    const char *at = destination_of(mount);

    return fs_is_below(at, PLAN_SHARE) && has_option(mount, "ro");
}

/* What boxes share: each may see it, and a container of an earlier Litterbox does without. */
static gboolean is_tools_mount(const json_t *mount)
{
    return strcmp(destination_of(mount), PLAN_TOOLS) == 0 && has_option(mount, "ro");
}

/* A part of the project that is mounted on itself and grants no more than the project's mount does.
 * Such a mount only protects. WRITABLE says whether the project is. */
static gboolean is_protection_mount(const json_t *mount, const char *project, gboolean writable)
{
    const char *source = json_string_value(json_object_get(mount, "source"));
    const char *at = destination_of(mount);

    return g_strcmp0(source, at) == 0 && strcmp(at, project) != 0 && fs_is_below(at, project) &&
           (writable || has_option(mount, "ro"));
}

static json_t *mounts_for_access(const json_t *mounts, const char *project)
{
    gboolean writable = is_project_writable(mounts, project);
    json_t *kept = json_array(), *mount;
    gsize i;

    json_array_foreach (mounts, i, mount)
        if (!is_protection_mount(mount, project, writable) && !is_theme_mount(mount) &&
            !is_tools_mount(mount))
            json_array_append(kept, mount);
    return kept;
}

static gboolean grants_nothing(const char *option, const char *value)
{
    static const char *const harmless[] = {RESERVE, GIT_FOLDER, "--shell", "--workdir", NULL};

    if (g_strcmp0(option, "--set") == 0)
        return value && (g_str_has_prefix(value, "box.idle_stop=") ||
                         g_str_has_prefix(value, "box.keep_alive="));
    return option && g_strv_contains(harmless, option);
}

/* box-init's arguments without those that grant nothing. */
static json_t *arguments_for_access(const json_t *arguments)
{
    json_t *kept = json_array(), *argument;
    gsize i;

    json_array_foreach (arguments, i, argument) {
        const char *value = json_string_value(json_array_get(arguments, i + 1));
        if (grants_nothing(json_string_value(argument), value))
            i++; /* skips the value */
        else
            json_array_append(kept, argument);
    }
    return kept;
}

char *plan_access_hash(const json_t *request, const char *project)
{
    static const char *const harmless[] = {"labels", "image", "env", "unsetenvall"};
    json_auto_t *copy = copy_to_hash(request);

    for (gsize i = 0; i < G_N_ELEMENTS(harmless); i++)
        json_object_del(copy, harmless[i]);
    json_object_set_new(copy, "mounts",
                        mounts_for_access(json_object_get(request, "mounts"), project));
    json_object_set_new(copy, "command", arguments_for_access(json_object_get(request, "command")));
    return hash_of(copy);
}

/* The value of OPTION if that is the argument at I; else NULL. */
static const char *value_at(const json_t *arguments, gsize i, const char *option)
{
    return g_strcmp0(json_string_value(json_array_get(arguments, i)), option) == 0
               ? json_string_value(json_array_get(arguments, i + 1))
               : NULL;
}

static gboolean is_held(const json_t *arguments, const char *option, const char *path)
{
    for (gsize i = 0; i < json_array_size(arguments); i++) {
        const char *held = value_at(arguments, i, option);
        if (held && fs_is_below(path, held))
            return TRUE;
    }
    return FALSE;
}

gboolean plan_reserves_all(const json_t *old, const json_t *new)
{
    static const char *const options[] = {RESERVE, GIT_FOLDER};

    for (gsize i = 0; i < json_array_size(new); i++) {
        for (gsize j = 0; j < G_N_ELEMENTS(options); j++) {
            const char *path = value_at(new, i, options[j]);
            if (path && !is_held(old, options[j], path))
                return FALSE;
        }
    }
    return TRUE;
}
