/* Git of the host, which reads repositories in projects. */
#include "doctor/doctor.h"

#include <string.h>

/* From /, and without the caller's repository: what a repository itself sets does not count. */
void doctor_probe_git(doctor_facts *self)
{
    char *argv[] = {(char *)"git",
                    (char *)"-C",
                    (char *)"/",
                    (char *)"config",
                    (char *)"--get",
                    (char *)"safe.bareRepository",
                    NULL};
    g_auto(GStrv) env = g_environ_unsetenv(g_get_environ(), "GIT_DIR");
    self->git_is_there =
        g_spawn_sync(NULL, argv, env, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                     &self->bare_repository, NULL, NULL, NULL);
    if (self->bare_repository)
        g_strchomp(self->bare_repository);
}

static void check_bare_repository(const doctor_facts *facts, GPtrArray *report)
{
    if (!facts->git_is_there)
        doctor_report_addf(report, "git", DOCTOR_OK, NULL, "no git");
    else if (g_strcmp0(facts->bare_repository, "explicit") == 0)
        doctor_report_addf(report, "git", DOCTOR_OK, NULL,
                           "git ignores bare repositories that you do not name");
    else
        doctor_report_addf(
            report, "git", DOCTOR_NOTE, "git -C / config --global safe.bareRepository explicit",
            "git on this machine accepts any folder that looks like a bare repository, and runs "
            "what its configuration names");
}

const doctor_check doctor_git_checks[] = {check_bare_repository, NULL};
