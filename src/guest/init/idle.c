#include "guest/init/idle.h"

#include <limits.h>

#include "guest/init/left_running.h"
#include "guest/init/session_table.h"
#include "sys/clock.h"
#include "sys/debug.h"

/* A new box waits this long for its first session, even if idle_stop is shorter. */
#define FIRST_SESSION_MS 30000
/* From an event to the look: not to be in the way of the next session, and not to look more often
 * where sessions or processes end all the time. */
#define LOOK_MS 1000
/* What changes without the end of a child of PID 1 is seen after this time. */
#define LOOK_AGAIN_MS 30000
#define HOUR_MS (3600 * 1000)

static const struct init_options *idle_options;
static int had_session;
static int64_t since;   /* the box is idle */
static int is_kept;     /* by what was left running when we looked last */
static int64_t look_at; /* the next look; INT64_MAX: none is due */

void idle_init(const struct init_options *of_box)
{
    idle_options = of_box;
    since = clock_ms();
    look_at = INT64_MAX;
}

void idle_session_ended(void)
{
    had_session = 1;
    is_kept = 0;
    since = clock_ms();
    look_at = since + LOOK_MS;
}

void idle_child_ended(void)
{
    if (is_kept && look_at > clock_ms() + LOOK_MS)
        look_at = clock_ms() + LOOK_MS;
}

static int can_stop(void)
{
    return session_table_count() == 0 && idle_options->idle_stop != SETTINGS_NEVER;
}

static int64_t left_ms(void)
{
    int64_t limit = idle_options->idle_stop * 1000;
    if (!had_session && limit < FIRST_SESSION_MS)
        limit = FIRST_SESSION_MS;
    int64_t left = since + limit - clock_ms();
    return left > 0 ? left : 0;
}

static void look(void)
{
    struct session_left left;
    is_kept = idle_options->keep_alive == KEEP_ALIVE_PROCESSES &&
              (left_running_find(idle_options, &left) < 0 || left.processes > 0);
    if (is_kept)
        since = clock_ms();
    look_at = is_kept ? clock_ms() + LOOK_AGAIN_MS : INT64_MAX;
    debug_log(DEBUG_INIT, is_kept ? "what sessions have left running keeps the box"
                                  : "nothing is left running that keeps the box");
}

int idle_timeout(void)
{
    int64_t due = HOUR_MS, look_in = look_at - clock_ms();
    if (!can_stop())
        return HOUR_MS;
    if (!is_kept && left_ms() < due)
        due = left_ms();
    if (look_in < due)
        due = look_in;
    return due > 0 ? (int)due : 0;
}

int idle_is_over(void)
{
    if (!can_stop())
        return 0;
    if (clock_ms() >= look_at || (!is_kept && left_ms() == 0))
        look();
    if (is_kept || left_ms() > 0)
        return 0;
    debug_log(DEBUG_INIT, "idle for %lld s: ends", (long long)idle_options->idle_stop);
    return 1;
}

struct session_info idle_info(void)
{
    int counts = can_stop() && !is_kept;
    return (struct session_info){.sessions = (uint32_t)session_table_count(),
                                 .idle_left = counts ? (uint32_t)(left_ms() / 1000) : UINT32_MAX};
}
