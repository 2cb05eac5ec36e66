#include "ssh-agent/agent/rate_limit.h"

#define SECOND ((gint64)G_USEC_PER_SEC)

typedef struct {
    gint64 cooldown_until, muted_until;
    gint64 cooldown; /* length of the last one */
    guint timeouts;  /* in a row */
    guint withdrawn; /* since the last answer that allowed */
} box_history;

struct rate_limit {
    GHashTable *boxes; /* name -> box_history */
};

const char *question_refusal_word(enum question_refusal self)
{
    static const char *const words[] = {
        [QUESTION_REFUSAL_NONE] = NULL,
        [QUESTION_REFUSAL_MUTED] = "muted",
        [QUESTION_REFUSAL_COOLDOWN] = "cooldown",
        [QUESTION_REFUSAL_QUEUE_FULL] = "queue full",
    };
    G_STATIC_ASSERT(G_N_ELEMENTS(words) == QUESTION_REFUSAL_COUNT);
    return words[self];
}

rate_limit *rate_limit_new(void)
{
    rate_limit *self = g_new0(rate_limit, 1);
    self->boxes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void rate_limit_free(rate_limit *self)
{
    g_hash_table_unref(self->boxes);
    g_free(self);
}

static box_history *history_of(rate_limit *self, const char *box)
{
    box_history *history = g_hash_table_lookup(self->boxes, box);
    if (!history) {
        history = g_new0(box_history, 1);
        g_hash_table_insert(self->boxes, g_strdup(box), history);
    }
    return history;
}

enum question_refusal rate_limit_check(const rate_limit *self, const char *box, gint64 now)
{
    const box_history *history = g_hash_table_lookup(self->boxes, box);
    if (history && now < history->muted_until)
        return QUESTION_REFUSAL_MUTED;
    return history && now < history->cooldown_until ? QUESTION_REFUSAL_COOLDOWN
                                                    : QUESTION_REFUSAL_NONE;
}

static void start_cooldown(box_history *history, gint64 now)
{
    history->cooldown = history->cooldown
                            ? MIN(history->cooldown * 2, RATE_LIMIT_COOLDOWN_MAX_SECONDS * SECOND)
                            : RATE_LIMIT_COOLDOWN_SECONDS * SECOND;
    history->cooldown_until = now + history->cooldown;
    history->timeouts = history->withdrawn = 0;
}

void rate_limit_count_answer(rate_limit *self, const char *box, enum question_answer answer,
                             gint64 now)
{
    box_history *history = history_of(self, box);
    switch (answer) {
    case QUESTION_ANSWER_TIMEOUT:
        if (++history->timeouts >= 2)
            start_cooldown(history, now);
        break;
    case QUESTION_ANSWER_DENY:
    case QUESTION_ANSWER_FAILED:
        start_cooldown(history, now);
        break;
    case QUESTION_ANSWER_MUTE:
        history->muted_until = now + RATE_LIMIT_MUTE_SECONDS * SECOND;
        break;
    case QUESTION_ANSWER_NOBODY:
        break;
    default:
        *history = (box_history){0};
    }
}

void rate_limit_count_withdrawn(rate_limit *self, const char *box, gint64 now)
{
    box_history *history = history_of(self, box);
    if (++history->withdrawn >= RATE_LIMIT_WITHDRAWN_MAX)
        start_cooldown(history, now);
}

void rate_limit_mute(rate_limit *self, const char *box, gint64 until)
{
    history_of(self, box)->muted_until = until;
}

void rate_limit_forget(rate_limit *self, const char *box)
{
    g_hash_table_remove(self->boxes, box);
}
