#include "box/helpers/agent_start.h"

#include "box/helpers/agent.h"
#include "box/background.h"
#include "common/paths.h"

#define READY_MS 5000
#define LOOK_US 10000
#define LOOKS 20

/* What it says on stderr is kept in the state folder: it has no terminal. */
static gboolean spawn(const char *messages, GError **error)
{
    static const char *const arguments[] = {"--ready", NULL};
    g_autofree char *program = paths_libexec("litterbox-ssh-agent");
    background wanted = {program, arguments, -1, messages, READY_MS, FALSE};
    return background_start(&wanted, NULL, error);
}

int agent_start(GError **error)
{
    g_autofree char *path = paths_state("agent.err");
    gint64 end = g_get_monotonic_time() + READY_MS * 1000;
    do {
        if (!spawn(path, error))
            return -1;
        /* Ours gives way to another's: one that is starting, or one that is just ending, after
         * which ours has to be started again. */
        for (int i = 0; i < LOOKS; i++) {
            int fd = agent_connect();
            if (fd >= 0)
                return fd;
            g_usleep(LOOK_US);
        }
    } while (g_get_monotonic_time() < end);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the SSH agent did not start; '%s' may say why",
                path);
    return -1;
}
