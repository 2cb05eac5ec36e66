/* A box, settings and the facts of a machine, with which tests make plans. */
#pragma once

#include <string.h>

#include "plan/request.h"

#define PROJECT "/home/me/src/shop"

typedef struct {
    plan_box box;
    settings *wanted;
    plan_facts *facts;
    plan *plan;
    GError *error;
} fixture;

static inline void fixture_init(fixture *self)
{
    *self = (fixture){
        .box = {.name = "shop",
                .container = "litterbox-shop",
                .instance = "",
                .project = PROJECT,
                .home = "/home/me/.local/share/litterbox/homes/shop",
                .data = "/home/me/.local/share/litterbox/data/shop",
                .runtime = "/run/user/1000/litterbox/shop"},
        .wanted = settings_new_defaults(),
        .facts = plan_facts_new(),
    };
    static const char *const private_paths[] = {"/home/me/.config/litterbox",
                                                "/home/me/.local/share/litterbox",
                                                "/home/me/.local/share/containers",
                                                "/run/user/1000",
                                                "/tmp/ssh-x/agent.1",
                                                "/run/dbus",
                                                NULL};
    plan_facts *facts = self->facts;
    facts->uid = facts->gid = 1000;
    facts->user = g_strdup("me");
    facts->group = g_strdup("me");
    facts->home = g_strdup("/home/me");
    facts->shell = g_strdup("/bin/bash");
    facts->init = g_strdup("/usr/libexec/litterbox/box-init");
    facts->open_files = 524288;
    facts->podman_major = 4;
    facts->podman_minor = 3;
    facts->cgroup_v2 = facts->cgroup_cpu = facts->cgroup_memory = facts->cgroup_pids = TRUE;
    facts->private_paths = g_strdupv((char **)private_paths);
    plan_facts_add_root_folder(facts, "usr", NULL);
    plan_facts_add_root_folder(facts, "bin", "usr/bin");
    plan_facts_add_etc(facts, "ssl/certs", PLAN_ETC_BIND, NULL);
    plan_facts_add_etc(facts, "profile", PLAN_ETC_COPY, NULL);
}

static inline void fixture_clear(fixture *self)
{
    plan_free(self->plan);
    plan_facts_free(self->facts);
    settings_free(self->wanted);
    g_clear_error(&self->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(fixture, fixture_clear)

static inline void set_list(char ***list, const char *comma_separated)
{
    g_strfreev(*list);
    *list = g_strsplit(comma_separated, ",", -1);
}

static inline plan_file *add_project_file(fixture *self, const char *relative, plan_file_type type)
{
    g_autofree char *path = g_build_filename(PROJECT, relative, NULL);
    return plan_facts_add_file(self->facts, path, type, NULL);
}

static inline json_t *make_request(fixture *self)
{
    plan_free(self->plan);
    self->plan = plan_make(&self->box, self->wanted, self->facts, &self->error);
    g_assert_no_error(self->error);
    g_assert_nonnull(self->plan);
    return self->plan->request;
}

/* Making the plan fails with BOX_ERROR_CONFIG, and the message contains WORDS. */
static inline void assert_refused(fixture *self, const char *words)
{
    plan *made = plan_make(&self->box, self->wanted, self->facts, &self->error);
    g_assert_null(made);
    g_assert_error(self->error, BOX_ERROR, BOX_ERROR_CONFIG);
    if (!strstr(self->error->message, words))
        g_error("'%s' does not contain '%s'", self->error->message, words);
    g_clear_error(&self->error);
}

static inline const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The mount at TARGET, or NULL. */
static inline json_t *mount_at(const json_t *request, const char *target)
{
    json_t *mount;
    gsize i;

    json_array_foreach (json_object_get(request, "mounts"), i, mount)
        if (g_strcmp0(text(mount, "destination"), target) == 0)
            return mount;
    return NULL;
}

static inline gboolean in_list(const json_t *list, const char *wanted)
{
    json_t *item;
    gsize i;

    json_array_foreach (list, i, item)
        if (g_strcmp0(json_string_value(item), wanted) == 0)
            return TRUE;
    return FALSE;
}

static inline gboolean has_option(const json_t *mount, const char *option)
{
    return in_list(json_object_get(mount, "options"), option);
}

static inline void assert_bind(const json_t *request, const char *target, const char *source,
                               const char *access)
{
    json_t *mount = mount_at(request, target);
    if (!mount)
        g_error("nothing is mounted at '%s'", target);
    g_assert_cmpstr(text(mount, "type"), ==, "bind");
    g_assert_cmpstr(text(mount, "source"), ==, source);
    g_assert_true(has_option(mount, access));
    g_assert_true(has_option(mount, "nosuid"));
    g_assert_true(has_option(mount, "nodev"));
    g_assert_true(has_option(mount, "rprivate"));
}

static inline gboolean has_warning(const fixture *self, const char *words)
{
    for (guint i = 0; i < self->plan->warnings->len; i++)
        if (strstr(self->plan->warnings->pdata[i], words))
            return TRUE;
    return FALSE;
}

/* TRUE when box-init's arguments have OPTION with VALUE. */
static inline gboolean has_argument(const json_t *request, const char *option, const char *value)
{
    json_t *command = json_object_get(request, "command"), *word;
    gboolean named = FALSE;
    gsize i;

    json_array_foreach (command, i, word) {
        if (named && g_strcmp0(json_string_value(word), value) == 0)
            return TRUE;
        named = g_strcmp0(json_string_value(word), option) == 0;
    }
    return FALSE;
}

/* TRUE when box-init's arguments reserve PATH. */
static inline gboolean is_reserved(const json_t *request, const char *path)
{
    return has_argument(request, "--reserve", path);
}
