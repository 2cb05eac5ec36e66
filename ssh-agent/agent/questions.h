/*
 * The questions that wait for the user: which one is shown, for how long, and when nobody is asked
 * at all. Plain policy, without a clock, a window or a socket of its own.
 *
 *   - one question of a box is shown at a time, and at most QUESTIONS_MAX of it wait; of all boxes
 *     together QUESTIONS_ALL_MAX;
 *   - the same question asked twice is one question with two who wait for the answer. A no is for
 *     all of them; a yes is for the first alone, whom the text tells of. Then, and when the first
 *     goes away, the others have to ask again;
 *   - what is not answered within QUESTIONS_SECONDS of being shown is a no;
 *   - after a no, or two timeouts in a row, the box is not listened to for a while, which doubles
 *     with each further one; a yes ends that. The same when questions are taken back on and on;
 *   - a muted box is not listened to at all;
 *   - while they are held back (screen locked), nothing is shown, and the time runs.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#define QUESTIONS_MAX 4
#define QUESTIONS_ALL_MAX 32
#define QUESTIONS_SECONDS 60
/* "Deny and mute". */
#define QUESTIONS_MUTE_SECONDS 600
#define QUESTIONS_COOLDOWN_SECONDS 5
/* Windows that a box may make appear and vanish again, without a yes in between. */
#define QUESTIONS_LEFT_MAX 5
#define QUESTIONS_COOLDOWN_MAX_SECONDS 300

#define ANSWER_DENY "deny"
#define ANSWER_MUTE "mute"
#define ANSWER_TIMEOUT "timeout"
/* There is no display, and the question is of a kind that a terminal can ask as well. */
#define ANSWER_NOBODY "nobody"
/* The question was another's who asked the same; the yes was for that one. */
#define ANSWER_AGAIN "again"
/* The prompt ended without an answer. A no, and the box waits as after one, but nobody said it. */
#define ANSWER_FAILED "failed"
/* Taken back without anybody's answer: a lock, the box's or the agent's end, a mute. */
#define ANSWER_WITHDRAWN "withdrawn"

typedef struct questions questions;

typedef struct {
    guint64 id;
    char *box;
    char *same;   /* equal for the same question; NULL: like no other */
    json_t *text; /* what the prompt gets */
    gboolean shown;
    gint64 since; /* when it was shown, or asked */
    GPtrArray *waiters;
} question;

/* CHOICE is one of the text's choices or an ANSWER_…; DETAIL is the prompt's whole answer or NULL.
 */
typedef void (*question_answered)(gpointer waiter, const char *choice, const json_t *detail);
typedef struct {
    void (*show)(const question *which, gpointer data);
    void (*hide)(const question *which, gpointer data); /* only of those that were shown */
    question_answered answered; /* once for each waiter, in no case from within questions_ask() */
} questions_hooks;

questions *questions_new(const questions_hooks *hooks, gpointer data);
void questions_free(questions *self);

/* TRUE when the same question of BOX is open: WAITER then waits for its answer, too. */
gboolean questions_join(questions *self, const char *box, const char *same, gpointer waiter,
                        gint64 now);
/*
 * Asks for WAITER. Takes TEXT and sets its "id". NULL, or the reason why nobody is asked (then
 * WAITER hears nothing more).
 */
const char *questions_ask(questions *self, const char *box, const char *same, json_t *text,
                          gpointer waiter, gint64 now);
/* WAITER is not interested any more; a question that it asked goes. */
void questions_leave(questions *self, gpointer waiter, gint64 now);
/* FALSE when there is no such question, or CHOICE is none of its choices. */
gboolean questions_answer(questions *self, guint64 id, const char *choice, const json_t *detail,
                          gint64 now);
/* Takes back every question of BOX (NULL: of all): a no that nobody said, and that starts no
 * cooldown. */
void questions_drop(questions *self, const char *box, gint64 now);
void questions_mute(questions *self, const char *box, gint64 until);
/* NULL, or why BOX is not listened to at NOW. */
const char *questions_refusal(questions *self, const char *box, gint64 now);
void questions_hold(questions *self, gboolean hold, gint64 now);
/* Lets time pass: timeouts. */
void questions_tick(questions *self, gint64 now);
/* Forgets cooldown and mute of a box that has stopped. */
void questions_forget(questions *self, const char *box);

/* NULL: there is none, or it has been answered. */
question *questions_find(const questions *self, guint64 id);
/* Of question, in the order of asking; owned by SELF. */
const GPtrArray *questions_all(const questions *self);
