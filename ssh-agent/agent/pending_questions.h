/*
 * The questions that wait for the user: which one is shown, for how long, and which are refused
 * without asking. Plain policy, without a clock, a window or a socket of its own.
 *
 *   - One question of a box is shown in a window at a time. Those that are not shown in windows,
 *     for want of a display, all are: they are lines in terminals, and a program whose question is
 *     not shown seems to hang.
 *   - At most PENDING_BOX_MAX of a box wait. While PENDING_ALL_MAX wait, a box may have one: so
 *     hostile boxes cannot keep the user's others from asking.
 *   - The same question asked twice is one question with two waiters. A refusal answers all of
 *     them. An approval answers only the first, whose program the text describes. The others get
 *     QUESTION_ANSWER_AGAIN, as do all of them when the first leaves.
 *   - A question that is not answered within its timeout, which begins when it is shown, is
 *     refused.
 *   - While questions are held (screen locked) none is shown, but their timeouts run.
 *
 * Which boxes may not ask for a while:
 *
 *   - after a refusal, a failed prompt, or two timeouts in a row, questions of the box are refused
 *     for RATE_LIMIT_COOLDOWN_SECONDS, a time that doubles with each further one;
 *   - the same after RATE_LIMIT_WITHDRAWN_MAX questions that were shown and withdrawn by the box,
 *     as windows that come and go are a nuisance as well;
 *   - an answer that allows ends all that;
 *   - a muted box may not ask at all until its time is over.
 *
 * Questions of a kind that limits itself are counted apart, and of their answers only timeouts
 * count: a host that the user denies says nothing about the next one, nor about SSH keys.
 *
 * Times are of CLOCK_BOOTTIME, in microseconds.
 */
#pragma once

#include "proto/question.h"

/* In place of a box's name, which is never empty: of questions that the user's own `box` asks. They
 * have a queue and limits as those of a box. */
#define PENDING_NO_BOX ""

#define PENDING_BOX_MAX 4
#define PENDING_ALL_MAX 32

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

typedef struct pending_question {
    guint64 id;
    char *same; /* equal for the same question; NULL: never the same as another */
    question *asked;
    char *asker; /* its box, or PENDING_NO_BOX; not owned */
    gboolean shown;
    gint64 since; /* when it was shown; before that, when it was asked */
    GPtrArray *waiters;
} pending_question;

typedef struct pending_questions pending_questions;

typedef void (*question_answered)(gpointer waiter, const question_reply *reply);
typedef struct {
    void (*show)(const pending_question *which, gpointer data);
    void (*hide)(const pending_question *which, gpointer data); /* only of those that were shown */
    /* Once for each waiter, and never from within pending_questions_ask(). */
    question_answered answered;
    /* FALSE: WHICH is not shown in a window, and so keeps no other one waiting. NULL: all are. */
    gboolean (*in_window)(const pending_question *which, gpointer data);
} pending_hooks;

pending_questions *pending_questions_new(const pending_hooks *hooks, gpointer data);
void pending_questions_free(pending_questions *self);

/* TRUE when the same question of BOX is open: WAITER then waits for its answer, too. */
gboolean pending_questions_join(pending_questions *self, const char *box, const char *same,
                                gpointer waiter, gint64 now);
/*
 * Asks for WAITER. Takes ASKED, a valid question. Unless it returns
 * QUESTION_REFUSAL_NONE nobody is asked, and WAITER gets no answer.
 */
enum question_refusal pending_questions_ask(pending_questions *self, question *asked,
                                            const char *same, gpointer waiter, gint64 now);
/* WAITER needs no answer any more. If it was the first to ask, the question is withdrawn. */
void pending_questions_leave(pending_questions *self, gpointer waiter, gint64 now);
/* FALSE when there is no such question, or REPLY does not fit it (question_accepts()). */
gboolean pending_questions_answer(pending_questions *self, guint64 id, const question_reply *reply,
                                  gint64 now);
/* The same for an answer that is only a word. */
gboolean pending_questions_answer_word(pending_questions *self, guint64 id,
                                       enum question_answer answer, gint64 now);
/* Withdraws every question of BOX (NULL: of all), with QUESTION_ANSWER_WITHDRAWN. No cooldown
 * follows. */
void pending_questions_drop(pending_questions *self, const char *box, gint64 now);
void pending_questions_mute(pending_questions *self, const char *box, gint64 until);
/* Why a question of KIND and BOX would be refused at NOW. */
enum question_refusal pending_questions_check(const pending_questions *self, const char *box,
                                              enum question_kind kind, gint64 now);
void pending_questions_hold(pending_questions *self, gboolean hold, gint64 now);
/* Ends the questions whose time is over, and shows those that IN_WINDOW() lets go on. */
void pending_questions_tick(pending_questions *self, gint64 now);
/* Forgets cooldown and mute of a box that has stopped. */
void pending_questions_forget(pending_questions *self, const char *box);

/* NULL: there is none, or it has been answered. */
const pending_question *pending_questions_find(const pending_questions *self, guint64 id);
/* Of pending_question, in the order of asking; owned by SELF. */
const GPtrArray *pending_questions_all(const pending_questions *self);
/* Whole seconds until WHICH times out. */
gint64 pending_question_seconds_left(const pending_question *which, gint64 now);
