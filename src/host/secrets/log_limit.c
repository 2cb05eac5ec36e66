#include "host/secrets/say_limit.h"

#include <stdint.h>
#include <stdio.h>

#include "net/token_bucket.h"
#include "sys/clock.h"

/* Lines that are known, the last one that came first. */
#define PLACES 32

/* FNV-1a. A box that finds two lines with one hash has the second one counted with the first. */
static uint64_t hash_line(const char *line)
{
    uint64_t value = 0xcbf29ce484222325;
    for (; *line; line++)
        value = (value ^ (unsigned char)*line) * 0x100000001b3;
    return value;
}

static bool is_alike_too_often(const char *line, int64_t now)
{
    static struct place {
        uint64_t hash;
        struct token_bucket limit;
    } places[PLACES];
    struct place found = {hash_line(line),
                          {.burst = SAY_ALIKE_BURST, .refill_ms = SAY_ALIKE_REFILL_MS}};
    int at = 0;
    while (at < PLACES - 1 && places[at].hash != found.hash)
        at++;
    if (places[at].hash == found.hash)
        found = places[at];
    for (; at > 0; at--)
        places[at] = places[at - 1];
    bool is_allowed = token_bucket_take(&found.limit, now);
    places[0] = found;
    return !is_allowed;
}

void say_limited(bool is_alarm, const char *line)
{
    static struct token_bucket lines = {.burst = SAY_BURST, .refill_ms = SAY_REFILL_MS};
    static struct token_bucket alarms = {.burst = SAY_ALARMS_BURST,
                                         .refill_ms = SAY_ALARMS_REFILL_MS};
    static unsigned long left_out;
    int64_t now = clock_ms();
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
