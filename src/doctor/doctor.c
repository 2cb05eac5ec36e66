/* Collects facts, runs the checks, and sums up their findings. */
#include "doctor/doctor.h"

#include <string.h>

#include "common/text.h"

static const char *const level_names[] = {"ok", "note", "warning", "error"};
G_STATIC_ASSERT(G_N_ELEMENTS(level_names) == DOCTOR_N_LEVELS);

const char *doctor_level_name(doctor_level level)
{
    return level_names[level];
}

void doctor_facts_clear(doctor_facts *self)
{
    char **texts[] = {
        &self->user,
        &self->id_helper,
        &self->runtime_problem,
        &self->installer,
        &self->init,
        &self->kernel,
        &self->controllers,
        &self->pasta,
        &self->slirp4netns,
        &self->fuse_overlayfs,
        &self->fake_route,
        &self->wayland,
        &self->x11,
        &self->podman_problem,
        &self->podman_version,
        &self->socket,
        &self->socket_found,
        &self->storage_driver,
        &self->storage_folder,
        &self->runtime_name,
        &self->cgroup_manager,
        &self->storage_backing,
        &self->upstream,
        &self->shims_add,
        &self->shims_hidden,
        &self->shims_stale,
        &self->apps_stale,
        &self->sound,
        &self->gpu_problem,
        &self->bare_repository,
    };

    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        g_clear_pointer(texts[i], g_free);
}

void doctor_probe(doctor_facts *self)
{
    *self = (doctor_facts){.storage_free = -1, .max_user_namespaces = -1};
    doctor_probe_user(self);
    doctor_probe_desktop(self);
    doctor_probe_ssh(self);
    doctor_probe_git(self);
    doctor_probe_kernel(self);
    doctor_probe_podman(self);
    doctor_probe_network(self);
}

static void finding_free(gpointer data)
{
    doctor_finding *finding = data;

    g_free(finding->what);
    g_free(finding->fix);
    g_free(finding);
}

GPtrArray *doctor_report_new(void)
{
    return g_ptr_array_new_with_free_func(finding_free);
}

void doctor_report_add(GPtrArray *report, const char *id, doctor_level level, char *what, char *fix)
{
    doctor_finding *finding = g_new0(doctor_finding, 1);

    finding->id = id;
    finding->level = level;
    /* Both may contain versions, paths, and text from Podman. */
    finding->what = text_safe(what, -1);
    finding->fix = fix ? text_safe(fix, -1) : NULL;
    g_free(what);
    g_free(fix);
    g_ptr_array_add(report, finding);
}

void doctor_report_addf(GPtrArray *report, const char *id, doctor_level level, const char *fix,
                        const char *format, ...)
{
    va_list values;

    va_start(values, format);
    doctor_report_add(report, id, level, g_strdup_vprintf(format, values), g_strdup(fix));
    va_end(values);
}

char *doctor_install_command(const doctor_facts *facts, const char *package)
{
    return facts->installer ? g_strdup_printf("%s %s", facts->installer, package)
                            : g_strdup_printf("install %s", package);
}

char *doctor_subids_command(const doctor_facts *facts)
{
    return g_strdup_printf("sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "
                           "%s, then: podman system migrate",
                           facts->user);
}

GPtrArray *doctor_report(const doctor_facts *facts)
{
    const doctor_check *const groups[] = {
        doctor_podman_checks,  doctor_network_checks, doctor_user_checks, doctor_kernel_checks,
        doctor_desktop_checks, doctor_ssh_checks,     doctor_git_checks};
    GPtrArray *report = doctor_report_new();

    for (gsize i = 0; i < G_N_ELEMENTS(groups); i++)
        for (const doctor_check *check = groups[i]; *check; check++)
            (*check)(facts, report);
    return report;
}

doctor_level doctor_worst_level(const GPtrArray *report)
{
    doctor_level worst = DOCTOR_OK;

    for (guint i = 0; i < report->len; i++) {
        const doctor_finding *finding = report->pdata[i];
        worst = MAX(worst, finding->level);
    }
    return worst;
}

int doctor_exit_status(const GPtrArray *report)
{
    int status = 0;

    for (guint i = 0; i < report->len; i++) {
        const doctor_finding *finding = report->pdata[i];
        if (finding->level != DOCTOR_ERROR)
            continue;
        if (strcmp(finding->id, "podman") == 0 || strcmp(finding->id, "socket") == 0)
            return 69;
        status = 125;
    }
    return status;
}
