/* The question whether a page may be opened. The agent, which has the user's attention to share out
 * among boxes (ssh-agent/agent/pending_questions.h), shows it. */
#pragma once

#include "host/desktop-helper/errand.h"
#include "host/desktop-helper/url.h"

typedef enum {
    ASK_YES,
    ASK_NO,     /* or the box is not listened to for a while */
    ASK_LATE,   /* nobody has answered */
    ASK_NOBODY, /* there is no display, or the agent does not work */
    ASK_GONE,   /* who asked does not wait any more */
} ask_answer;

ask_answer ask_open(const errand *self, const url *page);
