/*
 * The environment of PID 1, which every session inherits: the image's variables and the ones that
 * this file sets. It contains nothing from the host's environment.
 */
#include "plan/request.h"

#include <string.h>

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const char *plan_image_env(const plan_box *box, const char *name)
{
    gsize length = strlen(name);

    for (const char *const *line = box->image_env; line && *line; line++)
        if (strncmp(*line, name, length) == 0 && (*line)[length] == '=' &&
            g_utf8_validate(*line, -1, NULL))
            return *line + length + 1;
    return NULL;
}

static const char *image_path(const plan_box *box)
{
    const char *path = plan_image_env(box, "PATH");

    return path ? path : DEFAULT_PATH;
}

/* What pastes pictures. Not xclip where there is an X display, which programs would take it to
 * use. */
static void add_paste(const plan_request *self, GString *path)
{
    if (!settings_wants_pictures(self->wanted))
        return;
    g_string_append(path, ":" PLAN_BIN "/paste");
    if (self->wanted->desktop.x11 == X11_NONE)
        g_string_append(path, ":" PLAN_BIN "/paste/x11");
}

/* $PATH: Litterbox's shims, the folders of box.path, the user's, then those of the image or the
 * host. */
static char *search_path(const plan_request *self)
{
    const plan_facts *facts = self->facts;
    g_autoptr(GString) path = g_string_new(PLAN_BIN);

    add_paste(self, path);
    for (char **folder = self->wanted->box.path; folder && *folder; folder++)
        g_string_append_printf(path, ":%s%s", **folder == '~' ? facts->home : "",
                               *folder + (**folder == '~'));
    g_string_append_printf(path, ":%s/.local/bin", facts->home);
    for (guint i = 0; self->wanted->home.share_toolchains && i < facts->toolchains->len; i++) {
        const plan_toolchain *toolchain = facts->toolchains->pdata[i];
        if (toolchain->bin && !strstr(path->str, toolchain->bin))
            g_string_append_printf(path, ":%s", toolchain->bin);
    }
    if (!self->box->image && facts->nixos_system)
        g_string_append(path, ":/run/current-system/sw/bin");
    g_string_append_printf(path, ":%s", self->box->image ? image_path(self->box) : DEFAULT_PATH);
    return g_string_free(g_steal_pointer(&path), FALSE);
}

/* Configuration through the environment (git-config(1)), which overrides the config files of the
 * home and the project. */
static void add_git_signing(json_t *env)
{
    static const char *const pairs[][2] = {
        {"gpg.format", "ssh"},
        {"gpg.ssh.defaultKeyCommand", "ssh-add -L"},
        {"commit.gpgSign", "true"},
        {"tag.gpgSign", "true"},
    };
    g_autofree char *count = g_strdup_printf("%zu", G_N_ELEMENTS(pairs));

    json_object_set_new(env, "GIT_CONFIG_COUNT", json_string(count));
    for (gsize i = 0; i < G_N_ELEMENTS(pairs); i++) {
        g_autofree char *key = g_strdup_printf("GIT_CONFIG_KEY_%zu", i);
        g_autofree char *value = g_strdup_printf("GIT_CONFIG_VALUE_%zu", i);
        json_object_set_new(env, key, json_string(pairs[i][0]));
        json_object_set_new(env, value, json_string(pairs[i][1]));
    }
}

/*
 * Variables for Electron, on which many editors are built. Since Electron 5 its sandbox needs user
 * namespaces, and it does not start without them. Electron 28 to 37 use Wayland only when the hint
 * says so; since 38 it is the default.
 */
static void add_electron(json_t *env, const settings *wanted)
{
    if (!wanted->security.nested)
        json_object_set_new(env, "ELECTRON_DISABLE_SANDBOX", json_string("1"));
    if (wanted->desktop.wayland != WAYLAND_NONE)
        json_object_set_new(env, "ELECTRON_OZONE_PLATFORM_HINT", json_string("auto"));
}

/* Variables of an image that are left out, because they describe a session that the box does not
 * have. box-init sets HOME, USER, LOGNAME and SHELL, whatever the image says. */
static const char *const session_variables[] = {
    "COLORTERM",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "GTK_IM_MODULE",
    "PULSE_SERVER",
    "QT_IM_MODULE",
    "QT_IM_MODULES",
    "SSH_AUTH_SOCK",
    "TERM",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XMODIFIERS",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
    NULL,
};

gboolean plan_image_variable_is_complete(const char *line)
{
    const char *equals = strchr(line, '=');
    return equals && equals > line && g_utf8_validate(line, -1, NULL);
}

/*
 * We send the image's variables, and Podman adds none itself: it fills one without a value from the
 * environment of its service (CVE-2026-57231), where the user's tokens may be.
 */
static void add_image_variables(json_t *env, const plan_box *box)
{
    for (const char *const *line = box->image_env; line && *line; line++) {
        if (!plan_image_variable_is_complete(*line))
            continue;
        const char *equals = strchr(*line, '=');
        g_autofree char *name = g_strndup(*line, equals - *line);
        if (!g_strv_contains(session_variables, name) && !g_str_has_prefix(name, "LITTERBOX"))
            json_object_set_new(env, name, json_string(equals + 1));
    }
}

void plan_request_add_env(plan_request *self)
{
    const plan_facts *facts = self->facts;
    g_autofree char *path = search_path(self);
    json_t *env = json_object();

    add_image_variables(env, self->box);
    json_object_set_new(env, "PATH", json_string(path));
    json_object_set_new(env, "HOME", json_string(facts->home));
    json_object_set_new(env, "USER", json_string(facts->user));
    json_object_set_new(env, "LOGNAME", json_string(facts->user));
    json_object_set_new(env, "LANG", json_string("C.UTF-8"));
    json_object_set_new(env, "LITTERBOX_BOX", json_string(self->box->name));
    json_object_set_new(env, "container", json_string("podman"));
    if (self->wanted->box.shell || !self->box->image)
        json_object_set_new(env, "SHELL",
                            json_string(self->wanted->box.shell ? self->wanted->box.shell
                                        : facts->shell          ? facts->shell
                                                                : "/bin/sh"));
    if (self->facts->shims && self->wanted->desktop.open != OPEN_DENY)
        json_object_set_new(env, "BROWSER", json_string(PLAN_BIN "/xdg-open"));
    add_electron(env, self->wanted);
    if (settings_wants_appearance(self->wanted))
        plan_request_add_appearance_env(self, env);
    if (self->box->ssh)
        json_object_set_new(env, "SSH_AUTH_SOCK", json_string(PLAN_SSH_SOCKET));
    if (self->box->ssh && self->wanted->ssh.git_signing)
        add_git_signing(env);
    if (self->wanted->git.identity)
        json_object_set_new(env, "GIT_CONFIG_SYSTEM", json_string(PLAN_GIT_CONFIG));
    for (char **line = self->wanted->box.env; line && *line; line++) {
        const char *equals = strchr(*line, '=');
        if (!equals)
            continue;
        g_autofree char *key = g_strndup(*line, equals - *line);
        json_object_set_new(env, key, json_string(equals + 1));
    }
    plan_request_set(self, "unsetenvall", json_true());
    plan_request_set(self, "env", env);
}
