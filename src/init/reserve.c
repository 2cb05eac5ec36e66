#include "init/reserve.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/packet.h"
#include "init/reserve_calls.h"
#include "init/reserve_rights.h"
#include "init/reserve_serve.h"

int reserve_install(int door, int nested)
{
    int listener = reserve_filter(nested);
    if (listener < 0)
        return -1;
    ssize_t sent = packet_send(door, "", 1, &listener, 1);
    close(listener);
    return sent == 1 ? 0 : -1;
}

/* Beside what it says: PID 1 that starts another guard has doors and questions open, at which
 * somebody may wait until all that have them close them. */
static void keep_alone(int fd)
{
    if (fd > STDERR_FILENO + 1)
        close_range(STDERR_FILENO + 1, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0u, 0);
}

int reserve_start_guard(const struct init_options *options, enum reserve_kind kind, int *door)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t pid = fork();
    if (pid != 0) {
        close(pair[1]);
        if (pid < 0)
            close(pair[0]);
        *door = pid < 0 ? -1 : pair[0];
        return (int)pid;
    }
    keep_alone(pair[1]);
    prctl(PR_SET_NAME, "box-guard");
    /* PID 1 reads its signals from a descriptor. Those that end everything else are not for us:
     * without a guard nobody can write, and who is told to end wants to save first. */
    sigset_t none;
    sigemptyset(&none);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (reserve_rights_begin(options, kind) < 0)
        _exit(1);
    reserve_serve(options, kind, pair[1]);
    _exit(0);
}
