/* Assembles the create request from its parts. Touches nothing. */
#include "plan/draft.h"

#include <string.h>

void plan_free(plan *self)
{
    if (!self)
        return;
    json_decref(self->request);
    g_ptr_array_unref(self->warnings);
    g_ptr_array_unref(self->absent);
    g_free(self);
}

void plan_set(plan_draft *self, const char *key, json_t *value)
{
    json_object_set_new(self->request, key, value);
}

void plan_warn(plan_draft *self, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(self->warnings, g_strdup_vprintf(format, args));
    va_end(args);
}

char *plan_data(const plan_box *box, const char *tail)
{
    return g_build_filename(box->data, tail, NULL);
}

/* Labels are data that anyone can read: nothing in them is a secret. */
static void add_labels(plan_draft *self)
{
    const plan_box *box = self->box;

    plan_set(self, "labels",
             json_pack("{s:s, s:s, s:s}", PLAN_LABEL_BOX, box->name, PLAN_LABEL_PROJECT,
                       box->project, PLAN_LABEL_INSTANCE, box->instance ? box->instance : ""));
}

typedef gboolean (*plan_part)(plan_draft *self, GError **error);

/* In this order: later parts look at what earlier ones mounted. */
static const plan_part parts[] = {
    plan_check_project,  plan_add_root,    plan_add_litterbox, plan_add_home,
    plan_add_project,    plan_add_git,     plan_add_shares,    plan_add_toolchains,
    plan_add_appearance, plan_add_network, plan_add_security,  plan_add_devices,
    plan_add_limits,
};

static gboolean compute(plan_draft *self, GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
        if (!parts[i](self, error))
            return FALSE;
    plan_add_process(self);
    plan_add_env(self);
    add_labels(self);
    return plan_add_raw(self, error);
}

/* A path that is no UTF-8 cannot be said in JSON. */
static gboolean check_text(const plan_box *box, const plan_facts *facts, GError **error)
{
    const char *texts[] = {box->name, box->project, box->home,
                           box->data, box->runtime, facts->home};

    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        if (!texts[i] || !g_utf8_validate(texts[i], -1, NULL)) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                        "a path that is not valid UTF-8 cannot be handed to Podman; rename it");
            return FALSE;
        }
    return TRUE;
}

static void draft_clear(plan_draft *self)
{
    g_clear_pointer(&self->request, json_decref);
    g_clear_pointer(&self->targets, g_hash_table_unref);
    g_clear_pointer(&self->guarded, g_hash_table_unref);
    g_clear_pointer(&self->warnings, g_ptr_array_unref);
    g_clear_pointer(&self->absent, g_ptr_array_unref);
    g_clear_pointer(&self->reserved, g_ptr_array_unref);
}

plan *plan_make(const plan_box *box, const settings *wanted, const plan_facts *facts,
                GError **error)
{
    plan_draft draft = {.box = box, .wanted = wanted, .facts = facts};

    if (!check_text(box, facts, error))
        return NULL;
    draft.request = json_object();
    draft.mounts = json_array();
    draft.overlays = json_array();
    plan_set(&draft, "mounts", draft.mounts);
    plan_set(&draft, "overlay_volumes", draft.overlays);
    draft.targets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    draft.guarded = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    draft.warnings = g_ptr_array_new_with_free_func(g_free);
    draft.absent = g_ptr_array_new_with_free_func(g_free);
    draft.reserved = g_ptr_array_new_with_free_func(g_free);

    plan *made = NULL;
    if (compute(&draft, error)) {
        json_t *labels = json_object_get(draft.request, "labels");
        g_autofree char *access = plan_access_hash(draft.request, box->project);
        json_object_set_new(labels, PLAN_LABEL_ACCESS, json_string(access));
        g_autofree char *hash = plan_hash(draft.request);
        json_object_set_new(labels, PLAN_LABEL_PLAN, json_string(hash));
        made = g_new0(plan, 1);
        made->request = g_steal_pointer(&draft.request);
        made->warnings = g_steal_pointer(&draft.warnings);
        made->absent = g_steal_pointer(&draft.absent);
    }
    draft_clear(&draft);
    return made;
}
