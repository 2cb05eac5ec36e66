/* What the SSH agent needs: a display or a terminal, a real agent, known_hosts. */
#include "doctor/check.h"

/* What the agent locks with a store full of keys: OpenSSL's arena, and three pages a secret. */
#define LOCKABLE_MIN (1024 * 1024)

static void check_agent(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->agent_is_there)
        doctor_say_what(report, "ssh-agent", DOCTOR_OK, NULL, "litterbox-ssh-agent is installed");
    else
        doctor_say_what(report, "ssh-agent", DOCTOR_WARNING, "install Litterbox again",
                        "litterbox-ssh-agent is missing: boxes have no SSH keys");
}

static void check_upstream(const doctor_facts *facts, GPtrArray *report)
{
    if (!facts->upstream)
        doctor_say_what(report, "ssh-upstream", DOCTOR_NOTE,
                        "start an ssh-agent, name its socket in [ssh] upstream, or use 'box keys'",
                        "SSH_AUTH_SOCK is not set here: boxes are offered no keys of an agent");
    else if (facts->upstream_answers)
        doctor_say(report, "ssh-upstream", DOCTOR_OK,
                   g_strdup_printf("your SSH agent: %s", facts->upstream), NULL);
    else
        doctor_say(report, "ssh-upstream", DOCTOR_NOTE,
                   g_strdup_printf("your SSH agent at '%s' does not answer", facts->upstream),
                   g_strdup("start it again"));
}

static void check_known_hosts(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->known_hosts)
        doctor_say_what(report, "ssh-known-hosts", DOCTOR_OK, NULL, "there is a known_hosts file");
    else
        doctor_say_what(report, "ssh-known-hosts", DOCTOR_NOTE,
                        "connect to your hosts once from outside of boxes",
                        "no known_hosts: questions about logins name hosts by fingerprint alone, "
                        "but for the well-known forges");
}

static void check_prompt(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->wayland || facts->x11)
        doctor_say_what(report, "ssh-prompt", DOCTOR_OK, NULL, "questions are asked in a window");
    else
        doctor_say_what(report, "ssh-prompt", DOCTOR_NOTE, "answer with 'box agent approve'",
                        "no display: what boxes ask is shown by 'box agent pending'");
}

static void check_memory(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->lockable >= LOCKABLE_MIN)
        doctor_say_what(report, "ssh-memory", DOCTOR_OK, NULL, "keys can be kept out of swap");
    else
        doctor_say_what(report, "ssh-memory", facts->swap ? DOCTOR_WARNING : DOCTOR_NOTE,
                        "raise 'memlock' in /etc/security/limits.conf to 8192 and log in again",
                        "only %" G_GUINT64_FORMAT " KiB of memory can be locked: unlocked keys %s",
                        facts->lockable / 1024,
                        facts->swap ? "may end up in swap"
                                    : "could be swapped out, were there swap");
}

const doctor_check doctor_ssh_checks[] = {
    check_agent, check_upstream, check_known_hosts, check_prompt, check_memory, NULL,
};
