#include "box/session/running_session.h"

#include <errno.h>

#include "common/error.h"
#include "common/text.h"
#include "console/log.h"

/* As timeout(1) and shells have them. */
#define STATUS_TIMED_OUT 124
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127

static int set_chdir_error(const char *folder, int code, GError **error)
{
    g_autofree char *safe = text_safe(folder, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot change to '%s' in the box: %s", safe,
                g_strerror(code));
    return -1;
}

static int report_failure(const session_options *options, const char *folder,
                          const struct session_failed *failure, GError **error)
{
    const char *program = options->command ? options->command[0] : "the shell";
    g_autofree char *safe = text_safe(program, -1);
    switch (failure->stage) {
    case SESSION_STAGE_EXEC:
        if (options->unattended)
            return failure->error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
        log_error("'%s': %s in this box", safe,
                  failure->error == ENOENT ? "command not found" : g_strerror(failure->error));
        if (failure->error == ENOENT && options->not_found_hint)
            log_note("%s", options->not_found_hint);
        return failure->error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
    case SESSION_STAGE_CHDIR:
        return set_chdir_error(folder, failure->error, error);
    case SESSION_STAGE_GUARD:
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the guard of the box's protected files cannot be reached: %s; see 'box logs'",
                    g_strerror(failure->error));
        return -1;
    default:
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box could not start the session: %s",
                    g_strerror(failure->error));
        return -1;
    }
}

static int exited(const session_options *options, const struct client_result *result,
                  GError **error)
{
    switch (result->reason) {
    case SESSION_TIMED_OUT:
        if (!options->unattended)
            log_error("timed out after %g s", (double)options->timeout_ms / 1000);
        return STATUS_TIMED_OUT;
    case SESSION_UNGUARDED:
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_FAILED,
            "the guard of the box's protected files crashed, so this session was ended; start it "
            "again, and see 'box logs'");
        return -1;
    default:
        return result->status;
    }
}

int session_exit_status(const session_options *options, const char *folder,
                        const struct client_result *result, GError **error)
{
    switch (result->outcome) {
    case CLIENT_EXITED:
        return exited(options, result, error);
    case CLIENT_DETACHED:
        return 0;
    case CLIENT_FAILED:
        return report_failure(options, folder, &result->failure, error);
    case CLIENT_LOST:
    case CLIENT_REFUSED:
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box was stopped");
        return -1;
    case CLIENT_ERROR:
        break;
    }
    if (result->failure.error == ETIMEDOUT)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the box does not answer: try 'box restart', and see 'box logs'");
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "session: %s",
                    g_strerror(result->failure.error));
    return -1;
}
