#include "ssh-agent/agent/sandbox.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "sys/confine.h"
#include "common/fs.h"
#include "common/paths.h"
#include "ssh-agent/agent/places.h"

#define SOCKETS (CONFINE_WRITE | CONFINE_SOCKETS)

void sandbox_harden(void)
{
    struct rlimit locked;
    confine_harden();
    /* With a limit, memory that cannot be locked later would be memory that cannot be had. */
    if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur == RLIM_INFINITY)
        mlockall(MCL_CURRENT | MCL_FUTURE);
}

/* Its own three folders; /proc for who asks; what the C library loads late. Not the user's home:
 * known_hosts comes through the launcher. */
static void restrict_files(void)
{
    g_autofree char *runtime = paths_runtime(PLACES_FOLDER, NULL), *state = paths_state(NULL),
                    *data = paths_data(NULL);
    const struct confine_path paths[] = {{runtime, SOCKETS},
                                         {state, CONFINE_WRITE},
                                         {data, CONFINE_READ},
                                         {"/proc", CONFINE_READ},
                                         {"/usr", CONFINE_READ}};
    if (confine_files(paths, G_N_ELEMENTS(paths)) < 0)
        g_warning("Landlock does not work here: %s", g_strerror(errno));
}

static void restrict_calls(void)
{
    /* GIO makes threads; the real agent is behind a socket; a launcher that hangs is ended. */
    if (confine_calls(CONFINE_THREADS | CONFINE_CONNECT | CONFINE_SIGNALS) < 0)
        g_warning("the system call filter does not work here");
}

void sandbox_enter(void)
{
    g_autofree char *data = paths_data(NULL), *attached = paths_state("attached");
    fs_make_folder(data, 0700, NULL);
    fs_make_folder(attached, 0700, NULL);
    restrict_files();
    restrict_calls();
}
