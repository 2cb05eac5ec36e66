/* Checks of what the SSH agent uses: upstream agent, known_hosts, display, locked memory. */
#include "doctor/doctor.h"

/* Bytes that the agent locks for a full key store: OpenSSL's arena, and three pages per secret. */
#define LOCKABLE_MIN (1024 * 1024)

static void check_agent(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->agent_is_there)
        doctor_report_addf(report, "ssh-agent", DOCTOR_OK, NULL,
                           "litterbox-ssh-agent is installed");
    else
        doctor_report_addf(report, "ssh-agent", DOCTOR_WARNING, "install Litterbox again",
                           "litterbox-ssh-agent is missing: boxes have no SSH keys");
}

static void check_upstream(const doctor_facts *facts, GPtrArray *report)
{
    if (!facts->upstream)
        doctor_report_addf(
            report, "ssh-upstream", DOCTOR_NOTE,
            "start an ssh-agent, name its socket in [ssh] upstream, or use 'box keys'",
            "SSH_AUTH_SOCK is not set: boxes get no keys from your own agent");
    else if (facts->upstream_answers)
        doctor_report_add(report, "ssh-upstream", DOCTOR_OK,
                          g_strdup_printf("your SSH agent: %s", facts->upstream), NULL);
    else
        doctor_report_add(
            report, "ssh-upstream", DOCTOR_NOTE,
            g_strdup_printf("your SSH agent at '%s' does not answer", facts->upstream),
            g_strdup("restart it"));
}

static void check_known_hosts(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->known_hosts)
        doctor_report_addf(report, "ssh-known-hosts", DOCTOR_OK, NULL, "a known_hosts file exists");
    else
        doctor_report_addf(
            report, "ssh-known-hosts", DOCTOR_NOTE, "connect to your hosts once outside of boxes",
            "no known_hosts: questions about logins show only fingerprints of hosts, "
            "except for well-known forges");
}

static void check_prompt(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->wayland || facts->x11)
        doctor_report_addf(report, "ssh-prompt", DOCTOR_OK, NULL, "questions appear in a window");
    else
        doctor_report_addf(report, "ssh-prompt", DOCTOR_NOTE, "answer with 'box agent approve'",
                           "no display: 'box agent pending' shows questions from boxes");
}

static void check_memory(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->lockable >= LOCKABLE_MIN)
        doctor_report_addf(report, "ssh-memory", DOCTOR_OK, NULL, "keys can be kept out of swap");
    else
        doctor_report_addf(
            report, "ssh-memory", facts->swap ? DOCTOR_WARNING : DOCTOR_NOTE,
            "raise 'memlock' in /etc/security/limits.conf to 8192 and log in again",
            "only %" G_GUINT64_FORMAT " KiB of memory can be locked: unlocked keys %s",
            facts->lockable / 1024,
            facts->swap ? "may be written to swap" : "would be written to swap if there were any");
}

const doctor_check doctor_ssh_checks[] = {
    check_agent, check_upstream, check_known_hosts, check_prompt, check_memory, NULL,
};
