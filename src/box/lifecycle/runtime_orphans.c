#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "box/lifecycle/launch.h"

/* Bytes of a command line; those of crun and runc are far shorter. */
#define COMMAND_MAX 8192
/* Length of Podman's container IDs. A shorter text could occur in other command lines. */
#define ID_LENGTH 64

/* TRUE when the command line of PID is "RUNTIME … create … PATH-WITH-ID …". */
static gboolean is_creation(const char *pid, const char *id)
{
    char command[COMMAND_MAX];
    g_autofree char *path = g_build_filename("/proc", pid, "cmdline", NULL);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, command, sizeof command - 1);
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return FALSE;
    command[length] = '\0';
    gboolean creates = FALSE, names = FALSE;
    for (const char *word = command; word < command + length; word += strlen(word) + 1) {
        creates |= strcmp(word, "create") == 0;
        names |= strstr(word, id) != NULL;
    }
    return creates && names;
}

void runtime_orphans_kill(const char *id)
{
    g_autoptr(GDir) proc = strlen(id) == ID_LENGTH ? g_dir_open("/proc", 0, NULL) : NULL;
    for (const char *name; proc && (name = g_dir_read_name(proc));) {
        int pid = g_ascii_isdigit(*name) ? atoi(name) : 0;
        /* Opened before the check, so that the signal cannot reach a process that reuses the PID.
         */
        int pidfd = pid > 1 ? pidfd_open(pid, 0) : -1;
        if (pidfd < 0)
            continue;
        if (is_creation(name, id))
            pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
        close(pidfd);
    }
}
