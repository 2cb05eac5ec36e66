/* What the SSH agent uses: upstream agent, known_hosts, display, locked memory. */
#include "doctor/doctor.h"

#include <string.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/socket.h>

#include "common/paths.h"
#include "common/text.h"
#include "net/unix_socket.h"

/* Bytes that the agent locks for a full key store: OpenSSL's arena, and three pages per secret. */
#define LOCKABLE_MIN (1024 * 1024)

/* Connects without sending anything, so that an agent that hangs cannot block `box doctor`. */
static gboolean answers(const char *path)
{
    int fd = unix_socket_connect(path, SOCK_STREAM | SOCK_NONBLOCK);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* /proc/swaps has a line of headings and a line for each swap area. */
static gboolean has_swap(void)
{
    g_autofree char *text = NULL;
    return g_file_get_contents("/proc/swaps", &text, NULL, NULL) && strstr(text, "\n/");
}

void doctor_probe_upstream(doctor_facts *self, const char *path)
{
    g_free(self->upstream);
    self->upstream = path && *path ? text_safe(path, -1) : NULL;
    self->upstream_answers = path && *path && answers(path);
}

void doctor_probe_ssh(doctor_facts *self)
{
    g_autofree char *agent = paths_libexec("litterbox-ssh-agent");
    g_autofree char *hosts = g_build_filename(paths_home(), ".ssh", "known_hosts", NULL);

    self->agent_is_there = access(agent, X_OK) == 0;
    doctor_probe_upstream(self, g_getenv("SSH_AUTH_SOCK"));
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
        self->lockable = limit.rlim_cur;
    self->swap = has_swap();
    self->known_hosts = access(hosts, R_OK) == 0 || access("/etc/ssh/ssh_known_hosts", R_OK) == 0;
}

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
            "no known_hosts file: questions about logins show only fingerprints of hosts, except "
            "for well-known forges");
}

static void check_prompt(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->wayland || facts->x11)
        doctor_report_addf(report, "ssh-prompt", DOCTOR_OK, NULL, "questions appear in a window");
    else
        doctor_report_addf(report, "ssh-prompt", DOCTOR_NOTE, "answer with 'box consent approve'",
                           "no display: 'box consent pending' lists requests from boxes");
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
