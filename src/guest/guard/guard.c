#include "guest/guard/guard.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest/guard/filter.h"
#include "guest/guard/rights.h"
#include "guest/guard/serve.h"
#include "sys/descriptors.h"

int guard_install(int door)
{
    int listener = guard_filter_install();
    if (listener < 0)
        return -1;
    ssize_t sent = descriptors_send(door, "", 1, &listener, 1, 0);
    close(listener);
    return sent == 1 ? 0 : -1;
}

int guard_start(const struct init_options *options, enum guard_kind kind, int *door)
{
    int pair[2];
    if (guard_filter_build(options->nested, options->hidden_count > 0) < 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pid_t pid = fork();
    if (pid != 0) {
        close(pair[1]);
        if (pid < 0)
            close(pair[0]);
        *door = pid < 0 ? -1 : pair[0];
        return (int)pid;
    }
    /* PID 1 that starts another guard has doors and questions open, at which somebody may wait
     * until all that have them close them. */
    int keep[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, pair[1]};
    descriptors_keep(keep, sizeof keep / sizeof *keep);
    prctl(PR_SET_NAME, GUARD_PROCESS_NAME);
    setsid(); /* PID 1 ends what is left of it by this */
    /* PID 1 reads its signals from a descriptor. Those that end everything else are not for us:
     * without a guard nobody can write, and who is told to end wants to save first. */
    sigset_t none;
    sigemptyset(&none);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (guard_rights_begin(options, kind) < 0)
        _exit(1);
    guard_serve(options, kind, pair[1]);

    _exit(0);
}
