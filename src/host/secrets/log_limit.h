/*
 * How many lines a box can put into the log: who looks for what it has done must find that behind a
 * flood of refusals, too. libc only.
 */
#pragma once

#include <stdbool.h>

/* Lines in a row, and then one in that time: those that are alike, and all. Those with an alarm
 * have a limit of their own. */
#define SAY_ALIKE_BURST 20
#define SAY_ALIKE_REFILL_MS 5000
#define SAY_BURST 200
#define SAY_REFILL_MS 1000
#define SAY_ALARMS_BURST 50
#define SAY_ALARMS_REFILL_MS 10000

/* Writes LINE to stderr, and before it how many could not be written; or counts it. */
void say_limited(bool is_alarm, const char *line);
