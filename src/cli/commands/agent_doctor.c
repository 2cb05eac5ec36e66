#include "cli/commands/agent.h"

#include <string.h>

#include "box/exec/agents.h"
#include "common/text.h"
#include "config/config.h"
#include "config/npm_range.h"
#include "doctor/doctor.h"

typedef struct {
    struct box *box;
    const agent_preset *preset;
    const settings *settings;
    char *version; /* hostile; NULL: it is not installed */
    GPtrArray *report;
} examination;

static char *command_text(const examination *self, const char *verb)
{
    return g_strdup_printf("box agent %s %s", verb, self->preset->name);
}

static void check_version(const examination *self)
{
    const char *range = self->preset->version;
    if (!self->version) {
        doctor_report_add(self->report, "installed", DOCTOR_NOTE,
                          g_strdup("it is not installed; its first run installs it"),
                          command_text(self, "install"));
        return;
    }
    g_autofree char *quoted = text_quoted(self->version, -1, AGENT_PRESET_VERSION_MAX);
    if (range && npm_range_check(range, self->version) == NPM_RANGE_LACKS)
        doctor_report_add(
            self->report, "installed", DOCTOR_WARNING,
            g_strdup_printf("version %s is installed, and the preset wants '%s'", quoted, range),
            command_text(self, "update"));
    else
        doctor_report_addf(self->report, "installed", DOCTOR_OK, NULL, "version %s is installed",
                           quoted);
}

static void check_start(const examination *self)
{
    g_autoptr(GError) problem = NULL;
    if (!self->version)
        return;
    if (agents_try_start(self->box, self->preset, &problem))
        doctor_report_addf(self->report, "starts", DOCTOR_OK, NULL, "its program starts");
    else if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_UNREACHABLE))
        doctor_report_addf(self->report, "podman", DOCTOR_ERROR, "box doctor", "%s",
                           problem->message);
    else
        doctor_report_add(self->report, "starts", DOCTOR_ERROR, g_strdup(problem->message),
                          g_error_matches(problem, BOX_ERROR, BOX_ERROR_FAILED)
                              ? command_text(self, "update")
                              : NULL);
}

static void report_lack(const examination *self, const network_lack *lack)
{
    g_autofree char *of =
        strcmp(lack->entry, lack->rule) == 0 ? g_strdup("") : g_strdup_printf(" (%s)", lack->entry);
    if (lack->denied)
        doctor_report_add(
            self->report, "network", DOCTOR_ERROR,
            g_strdup_printf("it needs %s%s, which '%s' forbids", lack->rule, of, lack->denied),
            g_strdup_printf("take that rule back: 'box net why %s %s' says how", self->box->name,
                            lack->rule));
    else
        doctor_report_add(
            self->report, "network", lack->asked ? DOCTOR_NOTE : DOCTOR_ERROR,
            g_strdup_printf("it needs %s%s, which %s", lack->rule, of,
                            lack->asked ? "you are asked about" : "the box may not reach"),
            agent_network_command(self->box, lack));
}

/* FALSE: something is missing, and the report says it. */
static gboolean check_hosts(const examination *self)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(GPtrArray) lacks =
        agent_network_lacks(self->box, self->settings, self->preset->network, &problem);
    for (guint i = 0; lacks && i < lacks->len; i++)
        report_lack(self, lacks->pdata[i]);
    if (!lacks)
        doctor_report_addf(self->report, "network", DOCTOR_ERROR, NULL, "%s", problem->message);
    return lacks && lacks->len == 0;
}

static void check_network(const examination *self)
{
    if (self->settings->network.mode == NETWORK_NONE)
        doctor_report_addf(self->report, "network", DOCTOR_ERROR,
                           "[network] mode = \"ask\" in litterbox.toml, then 'box apply'",
                           "the box has no network");
    else if (check_hosts(self))
        doctor_report_addf(self->report, "network", DOCTOR_OK, NULL,
                           self->settings->network.mode == NETWORK_FILTERED
                               ? "the box may reach all that it needs"
                               : "the network is not filtered");
}

static void check_login(const examination *self)
{
    g_autofree char *secrets = agent_secrets(self->box, self->preset);
    gboolean works = self->settings->network.mode == NETWORK_FILTERED;
    gboolean has_login = agents_has_login(self->box, self->preset);
    if (*secrets && works)
        doctor_report_addf(self->report, "secret", DOCTOR_OK, NULL,
                           "for its hosts the box has the secret %s", secrets);
    else if (*secrets)
        doctor_report_addf(self->report, "secret", DOCTOR_WARNING,
                           "[network] mode = \"ask\" in litterbox.toml, then 'box apply'",
                           "the secret %s does not work while the network is not filtered",
                           secrets);
    if (has_login)
        doctor_report_addf(self->report, "login", DOCTOR_OK, NULL,
                           "the home of the box has a login");
    else if (!*secrets || !works)
        doctor_report_add(self->report, "login", DOCTOR_NOTE,
                          g_strdup(self->preset->login
                                       ? "there is no login, and no secret for its hosts"
                                       : "there is no secret for its hosts"),
                          g_strdup("log in when it asks, or see 'man box-secret'"));
}

GPtrArray *agent_doctor_report(struct box *of, const char *name)
{
    GPtrArray *report = doctor_report_new();
    g_autoptr(GError) problem = NULL;
    g_autoptr(agent_preset) preset = agent_preset_read(name, &problem);
    g_autoptr(config) read =
        preset ? config_load(of->project, of->base, NULL, TRUST_SKIP, &problem) : NULL;
    if (!read) {
        doctor_report_addf(report, preset ? "configuration" : "preset", DOCTOR_ERROR, NULL, "%s",
                           problem->message);
        return report;
    }
    g_autofree char *version = agents_version(of, name);
    const examination self = {of, preset, config_settings(read), version, report};
    doctor_report_addf(report, "preset", DOCTOR_OK, NULL, "its preset is valid: %s", preset->file);
    check_version(&self);
    check_start(&self);
    check_network(&self);
    check_login(&self);
    return report;
}
