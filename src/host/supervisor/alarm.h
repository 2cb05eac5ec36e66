/*
 * Alarms: lines of a worker's log that also reach the user, at once. The supervisor has all of its
 * rights and few lines of code, so it starts "PROGRAM ALARM_OPTION BOX" of the helper's own program
 * for each, with the text behind ALARM_PREFIX on stdin, and does not wait for it. The text is
 * untrusted, as a box may have taken over the worker. A few in a row reach the user, then one in a
 * while. libc only.
 */
#pragma once

#include <stddef.h>

#define ALARM_PREFIX "alarm: "
#define ALARM_OPTION "--alarm"

/* Looks at the line TEXT of the worker of PROGRAM, which serves BOX. */
void alarm_hear(const char *program, const char *box, const char *text, size_t length);
