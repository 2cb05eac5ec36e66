#include "box/strays.h"

#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

/* Of a command line; crun's and runc's are far shorter. */
#define COMMAND_MAX 8192
/* Podman's container IDs; a shorter text would be found in too many places. */
#define ID_LENGTH 64

/* TRUE for "RUNTIME … create … PATH-WITH-THE-ID …". */
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

void strays_kill(const char *id)
{
    g_autoptr(GDir) proc = strlen(id) == ID_LENGTH ? g_dir_open("/proc", 0, NULL) : NULL;
    for (const char *name; proc && (name = g_dir_read_name(proc));) {
        int pid = g_ascii_isdigit(*name) ? atoi(name) : 0;
        /* Held while it is looked at, so that its number cannot pass to another process. */
        int held = pid > 1 ? pidfd_open(pid, 0) : -1;
        if (held < 0)
            continue;
        if (is_creation(name, id))
            pidfd_send_signal(held, SIGKILL, NULL, 0);
        close(held);
    }
}
