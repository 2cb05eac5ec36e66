/* notice.c: tells the person at a session of a box what its programs wait for
 * (proto/session_notice.h). */
#pragma once

#include "ssh-agent/agent/agent.h"

/* Tells of a question that waits: what is asked, and the commands that answer it. FALSE: nobody
 * listens. */
gboolean notice_question(const pending_question *which, gint64 now);
/* For a request of ASKER that was refused, WHY as in the log: tells what can be done about it,
 * where something can. */
void notice_refusal(const char *box, pid_t asker, const char *why);
