/* Facts about machines for the tests of doctor, and assertions on their findings. */
#pragma once

#include "doctor/doctor.h"

#include <string.h>

/* A desktop without problems. */
G_GNUC_UNUSED static doctor_facts fine(void)
{
    return (doctor_facts){
        .uid = 1000,
        .user = "ann",
        .subuids = 65536,
        .subgids = 65536,
        .id_helper = "/usr/bin/newuidmap",
        .installer = "sudo apt-get install",
        .init = "/usr/libexec/litterbox/box-init",
        .init_is_there = TRUE,
        .kernel = "6.12.1",
        .openat2 = TRUE,
        .close_range = TRUE,
        .seccomp = TRUE,
        .landlock = 6,
        .max_user_namespaces = 100000,
        .userns = TRUE,
        .cgroups = CGROUPS_V2,
        .controllers = "cpu memory pids",
        .tun = TRUE,
        .nft = TRUE,
        .resolver = TRUE,
        .fuse = TRUE,
        .systemd = TRUE,
        .linger = TRUE,
        .pasta = "/usr/bin/pasta",
        .wayland = "/run/user/1000/wayland-0",
        .sound = "/run/user/1000/pulse/native",
        .gpus = 1,
        .agent_is_there = TRUE,
        .upstream = "/run/user/1000/ssh-agent",
        .upstream_answers = TRUE,
        .known_hosts = TRUE,
        .lockable = 8 << 20,
        .swap = TRUE,
        .git_is_there = TRUE,
        .bare_repository = "explicit",
        .podman_installed = TRUE,
        .podman_version = "5.4.2",
        .socket = "/run/user/1000/podman/podman.sock",
        .socket_found = "user's socket",
        .rootless = TRUE,
        .storage_driver = "overlay",
        .storage_folder = "/home/ann/.local/share/containers/storage",
        .storage_free = 100LL << 30,
        .runtime_name = "crun",
        .mapped_uids = 65537,
        .podman_seccomp = TRUE,
    };
}

/* The same machine without Podman. */
G_GNUC_UNUSED static doctor_facts without_podman(void)
{
    doctor_facts facts = fine();

    facts.podman_installed = facts.rootless = FALSE;
    facts.podman_problem = "podman is not installed: install podman 4.3 or newer";
    facts.podman_version = facts.socket = facts.socket_found = NULL;
    facts.storage_driver = facts.storage_folder = facts.runtime_name = NULL;
    facts.storage_free = -1;
    facts.mapped_uids = 0;
    facts.podman_seccomp = FALSE;
    return facts;
}

static const doctor_finding *find(const GPtrArray *report, const char *id)
{
    for (guint i = 0; i < report->len; i++) {
        const doctor_finding *finding = report->pdata[i];
        if (strcmp(finding->id, id) == 0)
            return finding;
    }
    return NULL;
}

/* FACTS lead to the finding ID of LEVEL, whose fix contains FIX (NULL: it has none). */
static void expect(const doctor_facts *facts, const char *id, doctor_level level, const char *fix)
{
    g_autoptr(GPtrArray) report = doctor_report(facts);
    const doctor_finding *finding = find(report, id);

    g_assert_nonnull(finding);
    g_assert_cmpstr(doctor_level_name(finding->level), ==, doctor_level_name(level));
    if (fix)
        g_assert_nonnull(strstr(finding->fix ? finding->fix : "", fix));
    else
        g_assert_null(finding->fix);
}
