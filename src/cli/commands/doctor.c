#include <stdio.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "build-config.h"
#include "cli/commands/command.h"
#include "cli/commands/show.h"
#include "config/config.h"
#include "console/log.h"
#include "console/output.h"
#include "doctor/doctor.h"

static struct {
    gboolean all;
} doctor_given;

static const option doctor_options[] = {
    {"all", 'a', OPTION_FLAG, &doctor_given.all, NULL, "also show passed checks"},
    {0},
};

static void print_report_json(const doctor_facts *facts, const GPtrArray *report)
{
    json_print(json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "version", BOX_VERSION,
                         "usable", doctor_worst_level(report) < DOCTOR_ERROR, "worst",
                         doctor_level_name(doctor_worst_level(report)), "kernel",
                         json_text(facts->kernel), "podman", json_text(facts->podman_version),
                         "socket", json_text(facts->socket), "socket_found",
                         json_text(facts->socket_found), "findings", doctor_show_json(report)));
}

static void print_count(guint count, const char *what)
{
    printf("%u %s%s, ", count, what, count == 1 ? "" : "s");
}

static void print_report(const doctor_facts *facts, const GPtrArray *report)
{
    guint counts[DOCTOR_N_LEVELS] = {0};

    printf("box %s, Linux %s, podman %s\n", BOX_VERSION, facts->kernel,
           facts->podman_version ? facts->podman_version : "-");
    /* The worst first. */
    for (int level = DOCTOR_N_LEVELS - 1; level >= 0; level--) {
        for (guint i = 0; i < report->len; i++) {
            const doctor_finding *finding = report->pdata[i];
            if ((int)finding->level != level)
                continue;
            counts[level]++;
            if (level != DOCTOR_OK || doctor_given.all)
                doctor_show_finding(finding);
        }
    }
    print_count(counts[DOCTOR_ERROR], "error");
    print_count(counts[DOCTOR_WARNING], "warning");
    print_count(counts[DOCTOR_NOTE], "note");
    printf("%u checks passed: %s\n", counts[DOCTOR_OK],
           counts[DOCTOR_ERROR] ? "boxes do not work here yet" : "boxes work here");
}

/* What the user's configuration names instead of $SSH_AUTH_SOCK; a broken one has its own message
 * elsewhere. */
static void probe_configured_agent(doctor_facts *facts)
{
    g_autofree char *here = g_get_current_dir();
    g_autoptr(config) read = config_load(here, NULL, NULL, TRUST_SKIP, NULL);
    g_autofree char *upstream = read ? agent_upstream_socket(config_settings(read)) : NULL;
    if (upstream)
        doctor_probe_upstream(facts, upstream);
}

static int run_doctor(const struct command_call *call, GError **error)
{
    g_auto(doctor_facts) facts = {0};

    doctor_probe(&facts);
    probe_configured_agent(&facts);
    g_autoptr(GPtrArray) report = doctor_report(&facts);
    if (call->json)
        print_report_json(&facts, report);
    else
        print_report(&facts, report);
    return doctor_exit_status(report);
}

const struct command command_doctor = {
    .name = "doctor",
    .group = GROUP_SETUP,
    .operands = "",
    .summary = "check this machine and suggest fixes",
    .details =
        "The exit status is 0 when boxes work here (notes and warnings do not count), 69 when\n"
        "Podman cannot be reached, 125 for any other error.",
    .options = doctor_options,
    .run = run_doctor,
    .flags = COMMAND_JSON,
    .json = "print JSON, all findings",
};

json_t *doctor_show_json(const GPtrArray *report)
{
    json_t *list = json_array();

    for (guint i = 0; i < report->len; i++) {
        const doctor_finding *finding = report->pdata[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:o}", "id", finding->id, "level",
                                        doctor_level_name(finding->level), "what",
                                        json_text(finding->what), "fix", json_text(finding->fix)));
    }
    return list;
}

static const char *colour(doctor_level level, gboolean on)
{
    static const char *const codes[] = {"\033[32m", "\033[36m", "\033[33m", "\033[31m"};
    G_STATIC_ASSERT(G_N_ELEMENTS(codes) == DOCTOR_N_LEVELS);
    if (!log_has_colours(STDOUT_FILENO))
        return "";
    return on ? codes[level] : "\033[0m";
}

void doctor_show_finding(const doctor_finding *finding)
{
    printf("%s%-8s%s %s\n", colour(finding->level, TRUE), doctor_level_name(finding->level),
           colour(finding->level, FALSE), finding->what);
    if (finding->fix)
        printf("%8s fix: %s\n", "", finding->fix);
}
