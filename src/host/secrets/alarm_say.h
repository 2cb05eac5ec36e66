/* litterbox-secrets --alarm BOX: tells the user what the supervisor has heard (alarm.h there),
 * which is on stdin: the sessions of the box, and the desktop where there is one. Does not return.
 */
#pragma once

void alarm_say(const char *box) __attribute__((noreturn));
