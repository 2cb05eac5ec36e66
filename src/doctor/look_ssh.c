#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/paths.h"
#include "common/text.h"
#include "doctor/doctor.h"

/* Connects and no more: an agent that hangs must not hang the doctor. */
static gboolean answers(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return FALSE;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    memcpy(address.sun_path, path, strlen(path) + 1);
    gboolean yes = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return yes;
}

/* Below a line of headings, a line each. */
static gboolean has_swap(void)
{
    g_autofree char *text = NULL;
    return g_file_get_contents("/proc/swaps", &text, NULL, NULL) && strstr(text, "\n/");
}

void doctor_look_upstream(doctor_facts *self, const char *path)
{
    g_free(self->upstream);
    self->upstream = path && *path ? text_safe(path, -1) : NULL;
    self->upstream_answers = path && *path && answers(path);
}

void doctor_look_ssh(doctor_facts *self)
{
    g_autofree char *agent = paths_libexec("litterbox-ssh-agent");
    g_autofree char *hosts = g_build_filename(paths_home(), ".ssh", "known_hosts", NULL);

    self->agent_is_there = access(agent, X_OK) == 0;
    doctor_look_upstream(self, g_getenv("SSH_AUTH_SOCK"));
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
        self->lockable = limit.rlim_cur;
    self->swap = has_swap();
    self->known_hosts = access(hosts, R_OK) == 0 || access("/etc/ssh/ssh_known_hosts", R_OK) == 0;
}
