#include "box/exec/agents.h"

#include <string.h>
#include <unistd.h>

#include "box/exec/sessions.h"
#include "box/lifecycle/ephemeral.h"
#include "box/registry/tools.h"
#include "common/fs.h"
#include "common/text.h"
#include "config/config.h"
#include "console/log.h"

/*
 * For sh -c, in the folder of the agent, with its program as $1, its package as $2 and with its
 * version as $3. Standard input and output are those of the agent, which may be started next. npm
 * 12 runs install scripts only of packages that it is told: this one is about to be run anyway.
 */
static const char npm_script[] =
    "exec >&2 </dev/null\n"
    "command -v npm >/dev/null || exit 3\n"
    "mkdir lib || exit 1\n"
    "npm install --global --prefix \"$PWD\" --no-audit --no-fund --no-update-notifier \\\n"
    "    \"--allow-scripts=$2\" -- \"$3\" || exit 1\n"
    "for each in lib/node_modules/*/package.json lib/node_modules/@*/*/package.json; do\n"
    "    [ ! -f \"$each\" ] ||\n"
    "        node -p 'require(process.argv[1]).version' \"$PWD/$each\" >version || exit 1\n"
    "done\n"
    "[ -x \"bin/$1\" ] || exit 4\n";
/* Likewise, with the preset's own script as $2. */
static const char own_script[] =
    "exec >&2 </dev/null\n"
    "mkdir bin && sh -euc \"$2\" install || exit 1\n"
    "[ -x \"bin/$1\" ] || exit 4\n"
    "[ -e version ] || [ -L version ] && exit\n"
    "\"bin/$1\" --version 2>/dev/null | grep -oE '[0-9]+(\\.[0-9]+)+[-+.0-9A-Za-z]*' |\n"
    "    head -n 1 >version\n"
    "[ -s version ] || echo unknown >version\n";
#define HAS_NO_NPM 3
#define HAS_NO_PROGRAM 4

/* The package is a path in the project, which then is all that the installation sees of it. */
static const char *package_in_project(const struct box *self, const agent_preset *preset)
{
    gboolean inside = preset->package && *preset->package == '/' &&
                      fs_is_below(preset->package, self->project) &&
                      strcmp(preset->package, self->project) != 0;
    return inside ? preset->package + strlen(self->project) + 1 : NULL;
}

static void add_rule(GPtrArray *rules, const char *rule)
{
    g_ptr_array_add(rules, (char *)rule);
}

/* What the installation may reach. npm also builds native code, with Node's headers. */
static config *installation_config(const struct box *self, const agent_preset *preset,
                                   const char *kind, GError **error)
{
    g_autoptr(config) of = config_load(self->project, self->base, NULL, TRUST_SKIP, error);
    g_autoptr(GPtrArray) rules = g_ptr_array_new();
    const char *image = tools_kind_image(kind);
    if (!of)
        return NULL;
    if (preset->package) {
        add_rule(rules, "@npm");
        add_rule(rules, "@node");
    }
    for (char **rule = preset->install_network; rule && *rule; rule++)
        add_rule(rules, *rule);
    add_rule(rules, NULL);
    return config_for_installation(config_settings(of), image ? image : "host",
                                   (char *const *)rules->pdata);
}

static int run_installation(struct box *in, const agent_preset *preset, GError **error)
{
    g_autofree char *package = agent_preset_package(preset);
    g_autofree char *version =
        g_strconcat("VERSION=", preset->version ? preset->version : "", NULL);
    const char *const env[] = {version, NULL};
    const char *command[] = {"/bin/sh",
                             "-c",
                             preset->install ? own_script : npm_script,
                             "agent",
                             preset->program,
                             preset->install ? preset->install : preset->package,
                             package,
                             NULL};
    session_options session = {.command = (char **)command,
                               .workdir = in->installation->at,
                               .env = env,
                               .tty = session_has_terminal(),
                               .apart_stderr = TRUE,
                               .quiet = TRUE};
    return box_run_session(in, &session, error);
}

/* What STATUS of the script means. */
static gboolean check_status(const struct box *self, const agent_preset *preset, int status,
                             GError **error)
{
    if (status == HAS_NO_NPM)
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_STATE,
            "the image of box '%s' has no npm to install '%s' with: add \"npm\" (openSUSE: "
            "\"npm-default\") to [box] packages of litterbox.toml, then 'box apply'; with "
            "image = \"host\", install it on this machine. Or 'box run -- %s', where the image has "
            "that program",
            self->name, preset->name, preset->program);
    else if (status == HAS_NO_PROGRAM)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "the package of preset '%s' has no program '%s'", preset->name,
                    preset->program);
    else if (status > 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "cannot install '%s' for box '%s' (status %d); what it says is above",
                    preset->name, self->name, status);
    return status == 0;
}

/* Runs the script in a box of its own, which is gone when this returns TRUE. */
static gboolean install_into(const struct box *self, const agent_preset *preset,
                             const box_installation *into, GError **error)
{
    const char *package = package_in_project(self, preset);
    const char *const only[] = {package, NULL};
    ephemeral_box fresh;
    if (!ephemeral_box_create(&fresh, self, only, error))
        return FALSE;
    /* It has no keys and devices of the box that asks. */
    g_free(fresh.box->base);
    fresh.box->base = g_strdup(fresh.box->name);
    fresh.box->installation = into;
    int status = run_installation(fresh.box, preset, error);
    g_autoptr(GError) problem = NULL;
    gboolean removed = ephemeral_box_remove(&fresh, &problem);
    if (!check_status(self, preset, status, error))
        return FALSE;
    if (!removed)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "'%s' is not used, as the box in which it was installed cannot be removed: %s",
                    preset->name, problem->message);
    return removed;
}

char *agent_install(const struct box *self, const agent_preset *preset, const char *kind,
                    GError **error)
{
    g_autofree char *id = text_new_id(), *at = tools_path(preset->name, id);
    tools_sweep(preset->name);
    g_autoptr(config) settled = installation_config(self, preset, kind, error);
    g_autofree char *folder = settled ? tools_make_work(preset->name, id, error) : NULL;
    if (!folder)
        return NULL;
    const box_installation into = {.folder = folder, .at = at, .config = settled};
    if (install_into(self, preset, &into, error) && tools_publish(preset->name, id, kind, error))
        return g_steal_pointer(&id);
    return NULL;
}
