#include "box/helpers/agent_start.h"

#include "box/helpers/agent.h"
#include "common/paths.h"
#include "host/supervisor/helper_start.h"

/* For its start, and for that of another one which is just ending. */
#define TIMEOUT_MS 5000
#define POLL_INTERVAL_MS 10

static const struct helper ssh_agent = {
    .name = "agent", .program = "litterbox-ssh-agent", .timeout_ms = TIMEOUT_MS};

int agent_start(GError **error)
{
    static const char *const arguments[] = {"--supervised", NULL};
    g_autofree char *folder = paths_runtime(AGENT_FOLDER, error);
    struct helper_request request = {folder, 0, arguments};
    gint64 end = g_get_monotonic_time() + TIMEOUT_MS * 1000;
    do {
        if (!folder || helper_start(&ssh_agent, &request, NULL, error) == HELPER_NOT_READY)
            return -1;
        int fd = agent_connect();
        if (fd >= 0)
            return fd;
        g_usleep(POLL_INTERVAL_MS * 1000); /* it is just ending */
    } while (g_get_monotonic_time() < end);
    g_autofree char *log = helper_log_path(&ssh_agent, folder);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the SSH agent does not answer; '%s' may say why", log);
    return -1;
}
