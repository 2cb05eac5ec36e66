#include "config/config.h"

#include <string.h>

#include "common/paths.h"
#include "config/check.h"
#include "config/devices.h"
#include "config/layer.h"
#include "config/trust.h"
#include "config/value.h"

struct config {
    settings *merged;
    settings_origin *origins; /* of schema_count */
    const char **from_files;  /* of schema_count; into files, or NULL */
    GPtrArray *files;         /* of char *, with NULL at the end */
    struct {
        enum network_mode mode;
        char **allow;
        gboolean ask;
    } written; /* of [network]; merged has what it stands for */
};

void config_free(config *self)
{
    if (!self)
        return;
    settings_free(self->merged);
    g_free(self->origins);
    g_free(self->from_files);
    g_ptr_array_unref(self->files);
    g_strfreev(self->written.allow);
    g_free(self);
}

static config *config_new(void)
{
    config *self = g_new0(config, 1);
    self->merged = settings_new_defaults();
    self->origins = g_new0(settings_origin, schema_count);
    self->from_files = g_new0(const char *, schema_count);
    self->files = g_ptr_array_new_with_free_func(g_free);
    return self;
}

/* Adds FILE to the files that config_files() returns. Returns FILE. */
static const char *add_file(config *self, char *file)
{
    g_ptr_array_add(self->files, file);
    return file;
}

static layer layer_of(config *self, settings_origin origin, const char *file, problems *wrong,
                      gboolean *set)
{
    return (layer){
        .file = file, .origin = origin, .problems = wrong, .into = self->merged, .set = set};
}

/* Records where the keys in SET came from. */
static void record_origins(config *self, settings_origin origin, const char *file,
                           const gboolean *set)
{
    for (gsize i = 0; i < schema_count; i++) {
        if (set[i]) {
            self->origins[i] = origin;
            self->from_files[i] = origin == ORIGIN_FLAG ? NULL : file;
        }
    }
}

static void apply(config *self, settings_origin origin, const char *file, const char *data,
                  gsize length, problems *wrong)
{
    g_autofree gboolean *set = g_new0(gboolean, schema_count);
    layer each = layer_of(self, origin, file, wrong, set);
    if (data)
        layer_apply(&each, data, length);
    record_origins(self, origin, file, set);
}

static void apply_flags(config *self, const char *const *flags, problems *wrong)
{
    for (; flags && *flags; flags++) {
        g_autofree gboolean *set = g_new0(gboolean, schema_count);
        g_autofree char *shown = g_strdup_printf("flag '%s'", *flags);
        layer each = layer_of(self, ORIGIN_FLAG, shown, wrong, set);
        layer_apply_flag(&each, *flags);
        record_origins(self, ORIGIN_FLAG, NULL, set);
    }
}

static gboolean apply_own(config *self, settings_origin origin, char *path, problems *wrong,
                          GError **error)
{
    const char *file = add_file(self, path);
    g_autofree char *data = NULL;
    gsize length = 0;
    if (!layer_read_own_file(file, &data, &length, error))
        return FALSE;
    apply(self, origin, file, data, length, wrong);
    return TRUE;
}

static gboolean apply_project(config *self, const char *project, trust_policy ask, problems *wrong,
                              GError **error)
{
    const char *file = add_file(self, g_build_filename(project, PROJECT_FILE, NULL));
    g_autoptr(GError) unreadable = NULL;
    g_autoptr(trust) state = trust_check(project, &unreadable);
    /* An unreadable file must not keep the box from being listed or stopped. */
    if (!state && ask != TRUST_SKIP) {
        g_propagate_error(error, g_steal_pointer(&unreadable));
        return FALSE;
    }
    g_autofree char *last = state ? NULL : trust_last_approved(project);
    /* The bytes that were checked: the file may have changed since. */
    const char *text = last;
    if (state && !trust_decide(project, state, ask, &text, error))
        return FALSE;
    if (text)
        apply(self, ORIGIN_PROJECT, file, text, strlen(text), wrong);
    if (text && state)
        self->merged->approved_files =
            g_strdup(text == state->contents ? state->files : state->approved_files);
    return TRUE;
}

char *config_box_path(const char *name)
{
    g_autofree char *tail = g_strdup_printf("boxes/%s.toml", name);
    return paths_config(tail);
}

/* boxes/NAME.toml; NAME may have come from a project, and must not lead elsewhere. */
static gboolean apply_box(config *self, const char *name, problems *wrong, GError **error)
{
    const char *why = NULL;
    g_autofree char *good = check_name(name, &why);
    if (!good) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "a box's name %s", why);
        return FALSE;
    }
    return apply_own(self, ORIGIN_BOX, config_box_path(good), wrong, error);
}

/* What `box device add` gave to the box NAME, which apply_box() has checked. */
static gboolean apply_devices(config *self, const char *name, GError **error)
{
    add_file(self, devices_path(name));
    self->merged->added_devices = devices_read(name, error);
    return self->merged->added_devices != NULL;
}

/* What programs install from and clone from. The rest is asked. */
static const char *const asking_allows[] = {"@registries", "@forges", NULL};

gboolean config_asking_allows(const char *entry)
{
    return g_strv_contains(asking_allows, entry);
}

void config_complete_network(settings *into, gboolean says_ask)
{
    layer_complete_ask(into, says_ask);
    if (into->network.mode != NETWORK_ASK)
        return;
    g_autoptr(GStrvBuilder) allow = g_strv_builder_new();
    g_strv_builder_addv(allow, (const char **)asking_allows);
    if (into->network.allow)
        g_strv_builder_addv(allow, (const char **)into->network.allow);
    g_strfreev(into->network.allow);
    into->network.allow = g_strv_builder_end(allow);
    into->network.mode = NETWORK_FILTERED;
}

static void keep_written(config *self)
{
    self->written.mode = self->merged->network.mode;
    self->written.allow = g_strdupv(self->merged->network.allow);
    self->written.ask = self->merged->network.ask;
}

/* What config_each() shows of FIELD. */
static const void *written(const config *self, const void *field)
{
    const settings *made = self->merged;
    return field == &made->network.mode    ? &self->written.mode
           : field == &made->network.allow ? (const void *)&self->written.allow
           : field == &made->network.ask   ? (const void *)&self->written.ask
                                           : field;
}

/* FIELD belongs to the merged settings. */
static settings_origin origin_of(const config *self, const void *field)
{
    gsize i = 0;
    while (i < schema_count && schema_field_const(&schema_keys[i], self->merged) != field)
        i++;
    g_assert(i < schema_count);
    return self->origins[i];
}

gboolean config_asks_by_default(const config *self)
{
    return self->written.mode == NETWORK_ASK &&
           origin_of(self, &self->merged->network.mode) == ORIGIN_DEFAULT;
}

config *config_load(const char *project, const char *name, const char *const *flags,
                    trust_policy ask, GError **error)
{
    g_autoptr(config) self = config_new();
    g_autoptr(problems) wrong = problems_new();

    if (!apply_own(self, ORIGIN_USER, layer_user_file_path(), wrong, error) ||
        !apply_project(self, project, ask, wrong, error) ||
        (name && (!apply_box(self, name, wrong, error) || !apply_devices(self, name, error))))
        return NULL;
    apply_flags(self, flags, wrong);
    if (!problems_check(wrong, error))
        return NULL;
    keep_written(self);
    config_complete_network(self->merged,
                            origin_of(self, &self->merged->network.ask) != ORIGIN_DEFAULT);
    g_ptr_array_add(self->files, NULL);
    return g_steal_pointer(&self);
}

static void set_list(char ***field, char *const *list)
{
    g_strfreev(*field);
    *field = g_strdupv((char **)list);
}

config *config_for_installation(const settings *wanted, const char *image, char *const *allow)
{
    config *self = config_new();
    settings *into = self->merged;
    g_free(into->box.image);
    into->box.image = g_strdup(image);
    set_list(&into->box.path, wanted->box.path);
    into->box.idle_stop = 0;
    into->box.keep_alive = KEEP_ALIVE_SESSIONS;
    into->home.share_toolchains = wanted->home.share_toolchains;
    into->project.mode = MODE_RO;
    into->network.mode = NETWORK_FILTERED;
    set_list(&into->network.allow, allow);
    set_list(&into->network.deny, wanted->network.deny);
    into->network.ask = into->network.audit = FALSE;
    into->network.connections = wanted->network.connections;
    into->limits = wanted->limits;
    into->security.sudo = SUDO_DENY;
    into->git.identity = into->git.host_keys = FALSE;
    into->desktop.wayland = WAYLAND_NONE;
    into->desktop.x11 = X11_NONE;
    into->desktop.clipboard = CLIPBOARD_NONE;
    into->desktop.open = OPEN_DENY;
    into->desktop.sound = SOUND_NONE;
    into->desktop.gpu = GPU_NONE;
    into->desktop.notify = into->desktop.appearance = into->desktop.microphone = FALSE;
    keep_written(self);
    g_ptr_array_add(self->files, NULL);
    return self;
}

const settings *config_settings(const config *self)
{
    return self->merged;
}

const char *const *config_files(const config *self)
{
    return (const char *const *)self->files->pdata;
}

void config_each(const config *self, config_each_func each, gpointer user_data)
{
    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        each(row, written(self, schema_field_const(row, self->merged)), self->origins[i],
             self->from_files[i], user_data);
    }
}

const char *config_origin_name(settings_origin origin)
{
    static const char *const names[] = {
        [ORIGIN_DEFAULT] = "default", [ORIGIN_USER] = "user", [ORIGIN_PROJECT] = "project",
        [ORIGIN_BOX] = "box",         [ORIGIN_FLAG] = "flag",
    };
    G_STATIC_ASSERT(G_N_ELEMENTS(names) == N_ORIGINS);
    return names[origin];
}
