#include "box/exec/session_child.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/exec/sessions.h"
#include "net/event_loop.h"
#include "sys/signals.h"

#define STATUS_FAILED 125

/* All of them first, as one may stand where another is to go. */
static void take_files(const int files[3])
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), moved[3];
    for (int i = 0; i < 3; i++)
        moved[i] = fcntl(files[i] < 0 ? null : files[i], F_DUPFD_CLOEXEC, 3);
    for (int i = 0; i < 3; i++) {
        if (moved[i] < 0 || dup2(moved[i], i) < 0)
            _exit(STATUS_FAILED);
        close(moved[i]);
    }
    if (null > 2)
        close(null);
}

/* All but the first three, ONE and TWO (-1: none): ends of pipes that are open here, too, would
 * never tell their end. */
static void close_others(int one, int two)
{
    int low = MIN(one, two), high = MAX(one, two);
    unsigned next = 3;
    for (int i = 0; i < 2; i++) {
        int keep = i ? high : low;
        if (keep < (int)next)
            continue;
        if (keep > (int)next)
            close_range(next, (unsigned)keep - 1, 0);
        next = (unsigned)keep + 1;
    }
    close_range(next, ~0U, 0);
}

static void run_and_report(struct box *self, const session_options *options, int report)
{
    struct session_child_report said = {0};
    session_options reported = *options;
    GError *error = NULL;
    if (!reported.result)
        reported.result = &said.result;
    said.status = box_run_session(self, &reported, &error);
    if (error)
        g_strlcpy(said.message, error->message, sizeof said.message);
    if (report >= 0 && write(report, &said, sizeof said) != sizeof said)
        _exit(STATUS_FAILED);
    _exit(said.status < 0 ? STATUS_FAILED : said.status);
}

pid_t session_child_start(struct box *self, const session_options *options, const int files[3],
                          int report)
{
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    signals_end_with(parent);
    event_loop_reset();
    signals_reset();
    int safe = report < 0 ? -1 : fcntl(report, F_DUPFD_CLOEXEC, 3);
    take_files(files);
    close_others(safe, options->connection ? *options->connection : -1);
    run_and_report(self, options, safe);
    _exit(STATUS_FAILED);
}

int session_child_reap(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
