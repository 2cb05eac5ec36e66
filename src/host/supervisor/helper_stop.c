#include "host/supervisor/helper_stop.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/supervisor/helper_lock.h"

#define LIMIT_MS 5000
#define INTERVAL_MS 10
#define LOCK_SUFFIX ".lock"

/* The process is read once more behind the pidfd: it had not ended by then, so its id is its own.
 */
static void signal_holder(const char *folder, const char *name, pid_t supervisor)
{
    struct helper_holder again;
    int fd = (int)syscall(SYS_pidfd_open, supervisor, 0);
    if (fd < 0)
        return;
    helper_lock_read(folder, name, &again);
    if (again.supervisor == supervisor &&
        (again.state == HELPER_SERVING || again.state == HELPER_PAUSED))
        syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0);
    close(fd);
}

gboolean helper_stop(const char *folder, const char *name)
{
    struct helper_holder holder;
    pid_t told = 0;
    for (int waited = 0; waited < LIMIT_MS; waited += INTERVAL_MS) {
        helper_lock_read(folder, name, &holder);
        if (holder.state == HELPER_ABSENT)
            return TRUE;
        /* While it starts, the file may still name an earlier process. */
        if (holder.state != HELPER_STARTING && holder.supervisor > 0 && holder.supervisor != told) {
            signal_holder(folder, name, holder.supervisor);
            told = holder.supervisor;
        }
        g_usleep(INTERVAL_MS * 1000);
    }
    return FALSE;
}

gboolean helper_stop_all(const char *folder)
{
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    gboolean stopped = TRUE;
    for (const char *file; files && (file = g_dir_read_name(files));) {
        if (!g_str_has_suffix(file, LOCK_SUFFIX))
            continue;
        g_autofree char *name = g_strndup(file, strlen(file) - strlen(LOCK_SUFFIX));
        stopped &= helper_stop(folder, name);
    }
    return stopped;
}
