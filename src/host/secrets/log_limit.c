#include "host/secrets/log_limit.h"

#include <stdio.h>

#include "net/token_bucket.h"
#include "sys/clock.h"

/* Lines in a row, and then one in that time: of the same text, of any, and with an alarm. */
#define ALIKE_BURST 20
#define ALIKE_REFILL_MS 5000
#define LINES_BURST 200
#define LINES_REFILL_MS 1000
#define ALARMS_BURST 50
#define ALARMS_REFILL_MS 10000
/* Texts that are known, the last one that came first. */
#define PLACES 32

static gboolean is_alike_too_often(const char *line, gint64 now)
{
    /* A box that finds two texts with one hash has the second one counted with the first. */
    static struct place {
        guint hash;
        struct token_bucket limit;
    } places[PLACES];
    struct place found = {g_str_hash(line), {.burst = ALIKE_BURST, .refill_ms = ALIKE_REFILL_MS}};
    int at = 0;
    while (at < PLACES - 1 && places[at].hash != found.hash)
        at++;
    if (places[at].hash == found.hash)
        found = places[at];
    for (; at > 0; at--)
        places[at] = places[at - 1];
    gboolean is_allowed = token_bucket_take(&found.limit, now);
    places[0] = found;
    return !is_allowed;
}

void log_limited(gboolean is_alarm, const char *line)
{
    static struct token_bucket lines = {.burst = LINES_BURST, .refill_ms = LINES_REFILL_MS};
    static struct token_bucket alarms = {.burst = ALARMS_BURST, .refill_ms = ALARMS_REFILL_MS};
    static unsigned long left_out;
    gint64 now = clock_ms();
    if ((!is_alarm && is_alike_too_often(line, now)) ||
        !token_bucket_take(is_alarm ? &alarms : &lines, now)) {
        left_out++;
        return;
    }
    if (left_out > 0)
        fprintf(stderr, "%lu lines were left out: a program of the box makes too many\n", left_out);
    left_out = 0;
    fprintf(stderr, "%s\n", line);
}
