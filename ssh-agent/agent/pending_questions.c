#include "ssh-agent/agent/pending_questions.h"

#include <string.h>

#define SECOND ((gint64)G_USEC_PER_SEC)

/* The limits: which boxes may not ask for a while. */

typedef struct {
    gint64 cooldown_until, muted_until;
    gint64 cooldown; /* length of the last one */
    guint timeouts;  /* in a row */
    guint withdrawn; /* since the last answer that allowed */
} box_history;

typedef struct {
    GHashTable *boxes; /* name -> box_history */
    GHashTable *apart; /* the same, of kinds that limit themselves */
} rate_limit;

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

static rate_limit *rate_limit_new(void)
{
    rate_limit *self = g_new0(rate_limit, 1);
    self->boxes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->apart = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

static void rate_limit_free(rate_limit *self)
{
    g_hash_table_unref(self->boxes);
    g_hash_table_unref(self->apart);
    g_free(self);
}

static box_history *history_in(GHashTable *table, const char *box)
{
    box_history *history = g_hash_table_lookup(table, box);
    if (!history) {
        history = g_new0(box_history, 1);
        g_hash_table_insert(table, g_strdup(box), history);
    }
    return history;
}

static GHashTable *table_of(const rate_limit *self, enum question_kind kind)
{
    return question_kind_traits(kind)->limits_itself ? self->apart : self->boxes;
}

/* QUESTION_REFUSAL_MUTED or _COOLDOWN where BOX may not ask a question of KIND at NOW. */
static enum question_refusal rate_limit_check(const rate_limit *self, const char *box,
                                              enum question_kind kind, gint64 now)
{
    const box_history *all = g_hash_table_lookup(self->boxes, box);
    const box_history *history = g_hash_table_lookup(table_of(self, kind), box);
    if (all && now < all->muted_until)
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

/* A question of BOX was answered. */
static void rate_limit_count_answer(rate_limit *self, const char *box, enum question_kind kind,
                                    enum question_answer answer, gint64 now)
{
    box_history *history = history_in(table_of(self, kind), box);
    switch (answer) {
    case QUESTION_ANSWER_TIMEOUT:
        if (++history->timeouts >= 2)
            start_cooldown(history, now);
        break;
    case QUESTION_ANSWER_DENY:
    case QUESTION_ANSWER_FAILED:
        if (!question_kind_traits(kind)->limits_itself)
            start_cooldown(history, now);
        break;
    case QUESTION_ANSWER_MUTE:
        history_in(self->boxes, box)->muted_until = now + RATE_LIMIT_MUTE_SECONDS * SECOND;
        break;
    case QUESTION_ANSWER_NOBODY:
        break;
    default:
        *history = (box_history){0};
    }
}

/* BOX has withdrawn a question that was shown. */
static void rate_limit_count_withdrawn(rate_limit *self, const char *box, enum question_kind kind,
                                       gint64 now)
{
    box_history *history = history_in(self->boxes, box);
    if (!question_kind_traits(kind)->limits_itself &&
        ++history->withdrawn >= RATE_LIMIT_WITHDRAWN_MAX)
        start_cooldown(history, now);
}

/* BOX has stopped: its next run starts without a limit. */
static void rate_limit_forget(rate_limit *self, const char *box)
{
    g_hash_table_remove(self->boxes, box);
    g_hash_table_remove(self->apart, box);
}

struct pending_questions {
    pending_hooks hooks;
    gpointer data;
    GPtrArray *list; /* of pending_question */
    rate_limit *limits;
    guint64 last_id;
    gboolean held;
};

static void pending_question_free(gpointer data)
{
    pending_question *self = data;
    g_free(self->same);
    question_free(self->asked);
    g_ptr_array_unref(self->waiters);
    g_free(self);
}

pending_questions *pending_questions_new(const pending_hooks *hooks, gpointer data)
{
    pending_questions *self = g_new0(pending_questions, 1);
    self->hooks = *hooks;
    self->data = data;
    self->list = g_ptr_array_new();
    self->limits = rate_limit_new();
    return self;
}

void pending_questions_free(pending_questions *self)
{
    if (!self)
        return;
    g_ptr_array_set_free_func(self->list, pending_question_free);
    g_ptr_array_unref(self->list);
    rate_limit_free(self->limits);
    g_free(self);
}

static gboolean is_of(const pending_question *self, const char *box)
{
    return strcmp(self->asker, box) == 0;
}

/* Shows the first question of each box, without windows all of them, unless they are shown already.
 */
static void show_next(pending_questions *self, gint64 now)
{
    g_autoptr(GHashTable) busy = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; !self->held && i < self->list->len; i++) {
        pending_question *each = self->list->pdata[i];
        gboolean in_window = !self->hooks.in_window || self->hooks.in_window(each, self->data);
        if ((in_window && !g_hash_table_add(busy, each->asker)) || each->shown)
            continue;
        each->shown = TRUE;
        each->since = now;
        self->hooks.show(each, self->data);
    }
}

static pending_question *find_same(pending_questions *self, const char *box, const char *same)
{
    for (guint i = 0; same && i < self->list->len; i++) {
        pending_question *each = self->list->pdata[i];
        if (g_strcmp0(each->same, same) == 0 && is_of(each, box))
            return each;
    }
    return NULL;
}

static guint count(const pending_questions *self, const char *box)
{
    guint n = 0;
    for (guint i = 0; i < self->list->len; i++)
        n += is_of(self->list->pdata[i], box);
    return n;
}

enum question_refusal pending_questions_check(const pending_questions *self, const char *box,
                                              enum question_kind kind, gint64 now)
{
    enum question_refusal refusal = rate_limit_check(self->limits, box, kind, now);
    guint most = self->list->len < PENDING_ALL_MAX ? PENDING_BOX_MAX : 1;
    gboolean full = count(self, box) >= most;
    return refusal == QUESTION_REFUSAL_NONE && full ? QUESTION_REFUSAL_QUEUE_FULL : refusal;
}

gboolean pending_questions_join(pending_questions *self, const char *box, const char *same,
                                gpointer waiter, gint64 now)
{
    pending_question *asked = find_same(self, box, same);
    if (!asked ||
        rate_limit_check(self->limits, box, asked->asked->kind, now) != QUESTION_REFUSAL_NONE)
        return FALSE;
    g_ptr_array_add(asked->waiters, waiter);
    return TRUE;
}

enum question_refusal pending_questions_ask(pending_questions *self, question *asked,
                                            const char *same, gpointer waiter, gint64 now)
{
    char *asker = asked->box ? asked->box : (char *)PENDING_NO_BOX;
    enum question_refusal refusal = pending_questions_check(self, asker, asked->kind, now);
    if (refusal != QUESTION_REFUSAL_NONE) {
        question_free(asked);
        return refusal;
    }
    pending_question *added = g_new0(pending_question, 1);
    added->id = ++self->last_id;
    added->same = g_strdup(same);
    added->asked = asked;
    added->asker = asker;
    added->since = now;
    added->waiters = g_ptr_array_new();
    g_ptr_array_add(added->waiters, waiter);
    g_ptr_array_add(self->list, added);
    show_next(self, now);
    return QUESTION_REFUSAL_NONE;
}

/* Removes WHICH from the list before any waiter is called, so that they find it gone. */
static void end(pending_questions *self, pending_question *which, const question_reply *reply,
                gint64 now)
{
    static const question_reply again = {.answer = QUESTION_ANSWER_AGAIN};
    g_ptr_array_remove(self->list, which);
    if (which->shown)
        self->hooks.hide(which, self->data);
    gboolean for_one = question_allows(which->asked, reply->answer);
    while (which->waiters->len > 0) {
        gpointer waiter = g_ptr_array_remove_index(which->waiters, 0);
        self->hooks.answered(waiter, reply);
        if (for_one)
            reply = &again;
    }
    pending_question_free(which);
    show_next(self, now);
}

void pending_questions_leave(pending_questions *self, gpointer waiter, gint64 now)
{
    for (guint i = 0; i < self->list->len; i++) {
        pending_question *each = self->list->pdata[i];
        gboolean was_first = each->waiters->pdata[0] == waiter;
        if (!g_ptr_array_remove(each->waiters, waiter))
            continue;
        if (was_first) {
            if (each->shown)
                rate_limit_count_withdrawn(self->limits, each->asker, each->asked->kind, now);
            end(self, each, &(question_reply){.answer = QUESTION_ANSWER_AGAIN}, now);
        }
        return;
    }
}

static pending_question *find(const pending_questions *self, guint64 id)
{
    for (guint i = 0; i < self->list->len; i++) {
        pending_question *each = self->list->pdata[i];
        if (each->id == id)
            return each;
    }
    return NULL;
}

const pending_question *pending_questions_find(const pending_questions *self, guint64 id)
{
    return find(self, id);
}

gboolean pending_questions_answer(pending_questions *self, guint64 id, const question_reply *reply,
                                  gint64 now)
{
    pending_question *which = find(self, id);
    if (!which || !question_accepts(which->asked, reply->answer))
        return FALSE;
    g_autofree char *box = g_strdup(which->asker);
    gboolean muted = reply->answer == QUESTION_ANSWER_MUTE;
    /* A timeout behind a locked screen does not count: nobody saw the question. */
    if (which->shown || reply->answer != QUESTION_ANSWER_TIMEOUT)
        rate_limit_count_answer(self->limits, box, which->asked->kind, reply->answer, now);
    end(self, which, reply, now);
    /* Otherwise the box's other questions would still be shown. */
    if (muted)
        pending_questions_drop(self, box, now);
    return TRUE;
}

gboolean pending_questions_answer_word(pending_questions *self, guint64 id,
                                       enum question_answer answer, gint64 now)
{
    return pending_questions_answer(self, id, &(question_reply){.answer = answer}, now);
}

/* Of BOX or, with NULL, of all. */
static pending_question *first_of(const pending_questions *self, const char *box)
{
    for (guint i = 0; i < self->list->len; i++) {
        pending_question *each = self->list->pdata[i];
        if (!box || is_of(each, box))
            return each;
    }
    return NULL;
}

void pending_questions_drop(pending_questions *self, const char *box, gint64 now)
{
    static const question_reply withdrawn = {.answer = QUESTION_ANSWER_WITHDRAWN};
    /* Held meanwhile: the end of a question shows the next one. */
    gboolean held = self->held;
    self->held = TRUE;
    for (pending_question *each; (each = first_of(self, box));)
        end(self, each, &withdrawn, now);
    self->held = held;
    show_next(self, now);
}

void pending_questions_mute(pending_questions *self, const char *box, gint64 until)
{
    history_in(self->limits->boxes, box)->muted_until = until;
}

void pending_questions_hold(pending_questions *self, gboolean hold, gint64 now)
{
    self->held = hold;
    for (guint i = 0; hold && i < self->list->len; i++) {
        pending_question *each = self->list->pdata[i];
        if (!each->shown)
            continue;
        each->shown = FALSE;
        self->hooks.hide(each, self->data);
    }
    show_next(self, now);
}

static gint64 end_of(const pending_question *which)
{
    return which->since + which->asked->timeout * SECOND;
}

gint64 pending_question_seconds_left(const pending_question *which, gint64 now)
{
    return MAX(end_of(which) - now, 0) / SECOND;
}

static pending_question *overdue(const pending_questions *self, gint64 now)
{
    for (guint i = 0; i < self->list->len; i++) {
        pending_question *each = self->list->pdata[i];
        if ((each->shown || self->held) && now >= end_of(each))
            return each;
    }
    return NULL;
}

void pending_questions_tick(pending_questions *self, gint64 now)
{
    for (pending_question *each; (each = overdue(self, now));)
        pending_questions_answer_word(self, each->id, QUESTION_ANSWER_TIMEOUT, now);
    show_next(self, now);
}

void pending_questions_forget(pending_questions *self, const char *box)
{
    rate_limit_forget(self->limits, box);
}

const GPtrArray *pending_questions_all(const pending_questions *self)
{
    return self->list;
}
