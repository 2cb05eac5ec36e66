#include "box/exec/session_json.h"

#include <signal.h>
#include <string.h>

static json_t *signal_json(const struct client_result *result)
{
    gboolean is_signal = result->outcome == CLIENT_EXITED && result->reason == SESSION_SIGNALLED;
    const char *name = is_signal ? sigabbrev_np(result->status - 128) : NULL;
    return name ? json_sprintf("SIG%s", name) : json_null();
}

json_t *session_json(int status, const struct client_result *result, double duration,
                     const output_pieces *output, gboolean plain)
{
    gboolean timed_out = result->outcome == CLIENT_EXITED && result->reason == SESSION_TIMED_OUT;
    return json_pack("{s:o, s:o, s:b, s:f, s:o, s:b}", "status",
                     status < 0 ? json_null() : json_integer(status), "signal", signal_json(result),
                     "timed_out", timed_out, "duration", (double)(gint64)(duration * 1e6) / 1e6,
                     "output", output_pieces_json(output, plain), "truncated",
                     output_pieces_omitted(output) > 0);
}
