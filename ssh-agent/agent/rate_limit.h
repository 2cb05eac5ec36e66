/*
 * Which boxes may not ask for a while. Plain policy, without a clock of its own:
 *
 *   - after a refusal, a failed prompt, or two timeouts in a row, questions of the box are refused
 *     for RATE_LIMIT_COOLDOWN_SECONDS, a time that doubles with each further one;
 *   - the same after RATE_LIMIT_WITHDRAWN_MAX questions that were shown and withdrawn by the box,
 * as windows that come and go are a nuisance as well;
 *   - an answer that allows ends all that;
 *   - a muted box may not ask at all until its time is over.
 *
 * Times are of CLOCK_BOOTTIME, in microseconds.
 */
#pragma once

#include <glib.h>

#include "proto/question_answer.h"

#define RATE_LIMIT_COOLDOWN_SECONDS 5
#define RATE_LIMIT_COOLDOWN_MAX_SECONDS 300
#define RATE_LIMIT_WITHDRAWN_MAX 5
/* "Deny and mute". */
#define RATE_LIMIT_MUTE_SECONDS 600

/* Why a question is refused without asking the user. */
enum question_refusal {
    QUESTION_REFUSAL_NONE,
    QUESTION_REFUSAL_MUTED,
    QUESTION_REFUSAL_COOLDOWN,
    QUESTION_REFUSAL_QUEUE_FULL,
    QUESTION_REFUSAL_COUNT
};
/* The word in the log; NULL for QUESTION_REFUSAL_NONE. */
const char *question_refusal_word(enum question_refusal self);

typedef struct rate_limit rate_limit;
rate_limit *rate_limit_new(void);
void rate_limit_free(rate_limit *self);

/* QUESTION_REFUSAL_MUTED or _COOLDOWN where BOX may not ask at NOW. */
enum question_refusal rate_limit_check(const rate_limit *self, const char *box, gint64 now);
/* A question of BOX was answered. */
void rate_limit_count_answer(rate_limit *self, const char *box, enum question_answer answer,
                             gint64 now);
/* BOX has withdrawn a question that was shown. */
void rate_limit_count_withdrawn(rate_limit *self, const char *box, gint64 now);
void rate_limit_mute(rate_limit *self, const char *box, gint64 until);
/* BOX has stopped: its next run starts without a limit. */
void rate_limit_forget(rate_limit *self, const char *box);
