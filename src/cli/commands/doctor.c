#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/commands/commands.h"
#include "box/json.h"
#include "build-config.h"
#include "config/config.h"
#include "doctor/doctor.h"

static struct {
    gboolean json, all;
} set;

static const option options[] = {
    {"json", 0, OPTION_FLAG, &set.json, NULL, "print JSON, all findings"},
    {"all", 'a', OPTION_FLAG, &set.all, NULL, "also what is in order"},
    {0},
};

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *findings_json(const GPtrArray *report)
{
    json_t *list = json_array();

    for (guint i = 0; i < report->len; i++) {
        const doctor_finding *finding = report->pdata[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "id", finding->id, "level",
                                              doctor_level_name(finding->level), "what",
                                              text_or_null(finding->what), "fix",
                                              text_or_null(finding->fix)));
    }
    return list;
}

static void print_json(const doctor_facts *facts, const GPtrArray *report)
{
    json_print(json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "version", BOX_VERSION,
                         "usable", doctor_worst(report) < DOCTOR_ERROR, "worst",
                         doctor_level_name(doctor_worst(report)), "kernel",
                         text_or_null(facts->kernel), "podman", text_or_null(facts->podman_version),
                         "socket", text_or_null(facts->socket), "socket_found",
                         text_or_null(facts->socket_found), "findings", findings_json(report)));
}

static const char *colour(doctor_level level, gboolean on)
{
    static const char *const codes[] = {"\033[32m", "\033[36m", "\033[33m", "\033[31m"};
    const char *no = g_getenv("NO_COLOR"), *term = g_getenv("TERM");

    G_STATIC_ASSERT(G_N_ELEMENTS(codes) == N_DOCTOR_LEVELS);
    if (!isatty(STDOUT_FILENO) || (no && *no) || g_strcmp0(term, "dumb") == 0)
        return "";
    return on ? codes[level] : "\033[0m";
}

static void print_finding(const doctor_finding *finding)
{
    printf("%s%-8s%s %s\n", colour(finding->level, TRUE), doctor_level_name(finding->level),
           colour(finding->level, FALSE), finding->what);
    if (finding->fix)
        printf("%8s fix: %s\n", "", finding->fix);
}

static void print_count(guint count, const char *what)
{
    printf("%u %s%s, ", count, what, count == 1 ? "" : "s");
}

static void print_text(const doctor_facts *facts, const GPtrArray *report)
{
    guint counts[N_DOCTOR_LEVELS] = {0};

    printf("box %s, Linux %s, podman %s\n", BOX_VERSION, facts->kernel,
           facts->podman_version ? facts->podman_version : "-");
    /* The worst first. */
    for (int level = N_DOCTOR_LEVELS - 1; level >= 0; level--) {
        for (guint i = 0; i < report->len; i++) {
            const doctor_finding *finding = report->pdata[i];
            if ((int)finding->level != level)
                continue;
            counts[level]++;
            if (level != DOCTOR_OK || set.all)
                print_finding(finding);
        }
    }
    print_count(counts[DOCTOR_ERROR], "error");
    print_count(counts[DOCTOR_WARNING], "warning");
    print_count(counts[DOCTOR_NOTE], "note");
    printf("%u in order: %s\n", counts[DOCTOR_OK],
           counts[DOCTOR_ERROR] ? "boxes do not work here yet" : "boxes work here");
}

/* What the user's configuration names instead of $SSH_AUTH_SOCK; a broken one has its own message
 * elsewhere. */
static void look_at_configured_agent(doctor_facts *facts)
{
    g_autofree char *here = g_get_current_dir();
    g_autoptr(config) read = config_load(here, NULL, NULL, TRUST_SKIP, NULL);
    g_autofree char *upstream = read ? agent_upstream(config_settings(read)) : NULL;
    if (upstream)
        doctor_look_upstream(facts, upstream);
}

static int run(const arguments *given, GError **error)
{
    g_auto(doctor_facts) facts = {0};

    (void)given;
    (void)error;
    doctor_look(&facts);
    look_at_configured_agent(&facts);
    g_autoptr(GPtrArray) report = doctor_report(&facts);
    if (set.json)
        print_json(&facts, report);
    else
        print_text(&facts, report);
    return doctor_exit_status(report);
}

const command command_doctor = {
    .name = "doctor",
    .group = GROUP_SETUP,
    .arguments = "",
    .summary = "say what this machine lacks for boxes, and how to mend it",
    .details =
        "The exit status is 0 when boxes work here (notes and warnings do not count), 69 when\n"
        "Podman cannot be reached, 125 for any other error.",
    .options = options,
    .run = run,
};
