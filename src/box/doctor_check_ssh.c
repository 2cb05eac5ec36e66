/* What the SSH agent needs: a display or a terminal, a real agent, known_hosts. */
#include "box/doctor_check.h"

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

const doctor_check doctor_ssh_checks[] = {
    check_agent, check_upstream, check_known_hosts, check_prompt, NULL,
};
