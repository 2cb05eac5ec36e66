#include "guest/init/guards.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "guest/guard/guard.h"
#include "sys/crash.h"

/* By enum guard_kind. */
static int pids[GUARDS];
static int sockets[GUARDS] = {-1, -1}; /* to which sessions send their listeners; -1: no guard */
static unsigned generation;

static int is_needed(const struct init_options *options)
{
    return options->reserved_count > 0 || options->git_folder_count > 0;
}

int guards_start(const struct init_options *options)
{
    int done = 0;
    for (int kind = 0; kind < GUARDS && is_needed(options); kind++) {
        if (sockets[kind] < 0) {
            generation++;
            pids[kind] = guard_start(options, (enum guard_kind)kind, &sockets[kind]);
        }
        if (sockets[kind] < 0)
            done = -1;
    }
    return done;
}

int guards_ended(int pid, int status)
{
    for (int kind = 0; kind < GUARDS; kind++) {
        if (pid != pids[kind])
            continue;
        kill(-pid, SIGKILL); /* its workers */
        crash_report_child("box-init", "the guard of protected names", status);
        fprintf(stderr, "box-init: the guard of protected names has ended; starting another\n");
        close(sockets[kind]);
        sockets[kind] = -1;
        pids[kind] = 0;
        generation++;
        return kind;
    }
    return -1;
}

unsigned guards_generation(void)
{
    return generation;
}

const int *guards_pids(void)
{
    return pids;
}

int guards_attach(const struct init_options *options, int root)
{
    int guard = sockets[root ? GUARD_FOR_ROOT : GUARD_FOR_USER];
    if (!is_needed(options))
        return 0;
    errno = EAGAIN;
    return guard < 0 ? -1 : guard_install(guard);
}
