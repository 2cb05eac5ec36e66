#include "cli/commands/doctor_show.h"

#include <stdio.h>
#include <unistd.h>

#include "console/log.h"
#include "console/output.h"

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
