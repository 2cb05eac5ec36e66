/* When questions are shown, and what an answer means for the next question. */
#include "ssh-agent/agent/pending_questions.h"

#include <string.h>

#define SECOND ((gint64)G_USEC_PER_SEC)

#define TIMEOUT 60

typedef struct {
    GString *shown; /* boxes, in the order in which they are shown; "-box": hidden */
} stage;

typedef struct {
    gboolean answered;
    enum question_answer answer;
} asker;

static void on_show(const pending_question *which, gpointer data)
{
    const char *box = which->asked->box;
    g_string_append_printf(((stage *)data)->shown, "+%s", box ? box : "user");
}

static void on_hide(const pending_question *which, gpointer data)
{
    const char *box = which->asked->box;
    g_string_append_printf(((stage *)data)->shown, "-%s", box ? box : "user");
}

static void on_answer(gpointer waiter, const question_reply *reply)
{
    asker *self = waiter;
    g_assert_false(self->answered);
    *self = (asker){TRUE, reply->answer};
}

static pending_questions *begin(stage *on)
{
    static const pending_hooks hooks = {on_show, on_hide, on_answer};
    on->shown = g_string_new(NULL);
    return pending_questions_new(&hooks, on);
}

static void finish(pending_questions *all, stage *on)
{
    pending_questions_free(all);
    g_string_free(on->shown, TRUE);
}

static enum question_refusal ask(pending_questions *all, const char *box, const char *same,
                                 asker *who, gint64 now)
{
    *who = (asker){0};
    if (pending_questions_join(all, box, same, who, now))
        return QUESTION_REFUSAL_NONE;
    question *asked = question_new(QUESTION_SIGN, box, NULL);
    question_set_headline(asked, "h");
    question_set_timeout(asked, TIMEOUT);
    question_offer_mute(asked);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_add_choice(asked, QUESTION_ANSWER_5_MINUTES, NULL, "s");
    return pending_questions_ask(all, asked, same, who, now);
}

static guint64 id_of(const pending_questions *all, guint index)
{
    return ((const pending_question *)pending_questions_all(all)->pdata[index])->id;
}

static void assert_answer(const asker *who, enum question_answer answer)
{
    g_assert_true(who->answered);
    g_assert_cmpint(who->answer, ==, answer);
}

static void assert_asked(enum question_refusal refusal)
{
    g_assert_cmpint(refusal, ==, QUESTION_REFUSAL_NONE);
}

static void test_one_shown_per_box(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0}, b = {0}, c = {0};
    assert_asked(ask(all, "x", "1", &a, 0));
    assert_asked(ask(all, "x", "2", &b, 0));
    assert_asked(ask(all, "y", "1", &c, 0));
    g_assert_cmpstr(on.shown->str, ==, "+x+y");
    g_assert_true(pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_ONCE, 0));
    assert_answer(&a, QUESTION_ANSWER_ONCE);
    g_assert_false(b.answered);
    g_assert_cmpstr(on.shown->str, ==, "+x+y-x+x");
    pending_questions_leave(all, &b, 0);
    pending_questions_leave(all, &c, 0);
    g_assert_cmpuint(pending_questions_all(all)->len, ==, 0);
    finish(all, &on);
}

static gboolean never(const pending_question *which, gpointer data)
{
    return FALSE;
}

/* The stage is told "!" when a window could not be opened. */
static gboolean unless_told(const pending_question *which, gpointer data)
{
    return !strchr(((stage *)data)->shown->str, '!');
}

static void test_a_window_that_fails_keeps_no_other_waiting(void)
{
    static const pending_hooks hooks = {on_show, on_hide, on_answer, unless_told};
    stage on = {g_string_new(NULL)};
    pending_questions *all = pending_questions_new(&hooks, &on);
    asker a = {0}, b = {0};
    assert_asked(ask(all, "x", "1", &a, 0));
    assert_asked(ask(all, "x", "2", &b, 0));
    pending_questions_tick(all, SECOND);
    g_assert_cmpstr(on.shown->str, ==, "+x");
    g_string_append(on.shown, "!");
    pending_questions_tick(all, SECOND);
    g_assert_cmpstr(on.shown->str, ==, "+x!+x");
    pending_questions_tick(all, SECOND);
    g_assert_cmpstr(on.shown->str, ==, "+x!+x");
    finish(all, &on);
}

static void test_all_shown_without_windows(void)
{
    static const pending_hooks hooks = {on_show, on_hide, on_answer, never};
    stage on = {g_string_new(NULL)};
    pending_questions *all = pending_questions_new(&hooks, &on);
    asker a = {0}, b = {0};
    assert_asked(ask(all, "x", "1", &a, 0));
    assert_asked(ask(all, "x", "2", &b, 10 * SECOND));
    g_assert_cmpstr(on.shown->str, ==, "+x+x");
    /* Each has its own time, from when it was asked. */
    pending_questions_tick(all, TIMEOUT * SECOND);
    assert_answer(&a, QUESTION_ANSWER_TIMEOUT);
    g_assert_false(b.answered);
    pending_questions_tick(all, (TIMEOUT + 10) * SECOND);
    assert_answer(&b, QUESTION_ANSWER_TIMEOUT);
    g_assert_cmpstr(on.shown->str, ==, "+x+x-x-x");
    finish(all, &on);
}

static void test_same_question(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0}, b = {0}, c = {0}, d = {0};
    ask(all, "x", "1", &a, 0);
    ask(all, "x", "1", &b, 0);
    ask(all, "x", "1", &d, 0);
    ask(all, "y", "1", &c, 0); /* of another box: another question */
    g_assert_cmpuint(pending_questions_all(all)->len, ==, 2);
    pending_questions_leave(all, &d, 0);
    g_assert_cmpuint(pending_questions_all(all)->len, ==, 2);
    /* An approval answers one waiter. */
    pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_5_MINUTES, 0);
    assert_answer(&a, QUESTION_ANSWER_5_MINUTES);
    assert_answer(&b, QUESTION_ANSWER_AGAIN);
    g_assert_false(c.answered);
    g_assert_false(d.answered);
    /* A refusal answers all. */
    ask(all, "y", "1", &d, 0);
    pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_DENY, 0);
    assert_answer(&c, QUESTION_ANSWER_DENY);
    assert_answer(&d, QUESTION_ANSWER_DENY);
    finish(all, &on);
}

/* The window describes the program that asked first: no other one gets its answer. */
static void test_first_leaves(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0}, b = {0};
    ask(all, "x", "1", &a, 0);
    ask(all, "x", "1", &b, 0);
    pending_questions_leave(all, &a, 0);
    g_assert_false(a.answered);
    assert_answer(&b, QUESTION_ANSWER_AGAIN);
    g_assert_cmpuint(pending_questions_all(all)->len, ==, 0);
    g_assert_cmpstr(on.shown->str, ==, "+x-x");
    finish(all, &on);
}

static void test_withdrawn_often(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0}, b = {0};
    for (int i = 0; i < RATE_LIMIT_WITHDRAWN_MAX; i++) {
        assert_asked(ask(all, "x", "1", &a, 0));
        pending_questions_leave(all, &a, 0);
    }
    g_assert_cmpint(ask(all, "x", "1", &a, 0), ==, QUESTION_REFUSAL_COOLDOWN);
    /* Withdrawing a question that was not shown has no consequences. */
    ask(all, "y", "1", &a, 0);
    for (int i = 0; i < 2 * RATE_LIMIT_WITHDRAWN_MAX; i++) {
        assert_asked(ask(all, "y", "2", &b, 0));
        pending_questions_leave(all, &b, 0);
    }
    assert_asked(pending_questions_check(all, "y", QUESTION_SIGN, 0));
    pending_questions_drop(all, NULL, 0);
    finish(all, &on);
}

static void test_limit_of_a_box(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker many[PENDING_BOX_MAX + 1] = {0};
    for (int i = 0; i < PENDING_BOX_MAX; i++) {
        g_autofree char *same = g_strdup_printf("%d", i);
        assert_asked(ask(all, "x", same, &many[i], 0));
    }
    g_assert_cmpint(ask(all, "x", "more", &many[PENDING_BOX_MAX], 0), !=, QUESTION_REFUSAL_NONE);
    g_assert_false(many[PENDING_BOX_MAX].answered);
    pending_questions_drop(all, NULL, 0);
    for (int i = 0; i < PENDING_BOX_MAX; i++)
        assert_answer(&many[i], QUESTION_ANSWER_WITHDRAWN);
    /* Never more than one was shown. */
    g_assert_cmpstr(on.shown->str, ==, "+x-x");
    finish(all, &on);
}

/* The limit of all boxes together leaves each box one question. */
static void test_limit_of_all(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker many[PENDING_ALL_MAX + 2] = {0};
    for (int i = 0; i < PENDING_ALL_MAX; i++) {
        g_autofree char *box = g_strdup_printf("x%d", i / PENDING_BOX_MAX);
        assert_asked(ask(all, box, NULL, &many[i], 0));
    }
    assert_asked(ask(all, "y", NULL, &many[PENDING_ALL_MAX], 0));
    g_assert_cmpint(ask(all, "y", NULL, &many[PENDING_ALL_MAX + 1], 0), ==,
                    QUESTION_REFUSAL_QUEUE_FULL);
    pending_questions_leave(all, &many[0], 0);
    pending_questions_leave(all, &many[1], 0);
    assert_asked(ask(all, "y", NULL, &many[PENDING_ALL_MAX + 1], 0));
    pending_questions_drop(all, NULL, 0);
    finish(all, &on);
}

static void test_wrong_answers(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0};
    ask(all, "x", "1", &a, 0);
    guint64 id = id_of(all, 0);
    g_assert_false(pending_questions_answer_word(all, id, QUESTION_ANSWER_15_MINUTES, 0));
    g_assert_false(pending_questions_answer_word(all, id, QUESTION_ANSWER_PASSWORD, 0));
    g_assert_false(pending_questions_answer_word(all, id, QUESTION_ANSWER_AGAIN, 0));
    g_assert_false(pending_questions_answer_word(all, id + 1, QUESTION_ANSWER_ONCE, 0));
    g_assert_false(a.answered);
    finish(all, &on);
}

static void test_timeout(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0}, b = {0};
    ask(all, "x", "1", &a, 0);
    ask(all, "x", "2", &b, 0);
    pending_questions_tick(all, (TIMEOUT - 1) * SECOND);
    g_assert_false(a.answered);
    pending_questions_tick(all, TIMEOUT * SECOND);
    assert_answer(&a, QUESTION_ANSWER_TIMEOUT);
    /* Its time begins when it is shown. */
    g_assert_false(b.answered);
    pending_questions_tick(all, (2 * TIMEOUT - 1) * SECOND);
    g_assert_false(b.answered);
    pending_questions_tick(all, 2 * TIMEOUT * SECOND);
    assert_answer(&b, QUESTION_ANSWER_TIMEOUT);
    /* Two timeouts in a row start a cooldown. */
    g_assert_cmpint(pending_questions_check(all, "x", QUESTION_SIGN, 2 * TIMEOUT * SECOND + 1), ==,
                    QUESTION_REFUSAL_COOLDOWN);
    finish(all, &on);
}

static void test_cooldown(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0};
    gint64 now = 0, pause = RATE_LIMIT_COOLDOWN_SECONDS * SECOND;
    for (int i = 0; i < 3; i++) {
        assert_asked(ask(all, "x", NULL, &a, now));
        pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_DENY, now);
        g_assert_cmpint(ask(all, "x", NULL, &a, now + pause - 1), !=, QUESTION_REFUSAL_NONE);
        assert_asked(ask(all, "y", NULL, &a, now)); /* other boxes have no cooldown */
        pending_questions_leave(all, &a, now);
        now += pause;
        pause *= 2;
    }
    assert_asked(ask(all, "x", NULL, &a, now));
    pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_ONCE, now);
    assert_asked(pending_questions_check(all, "x", QUESTION_SIGN, now));
    finish(all, &on);
}

/* A failed prompt starts a cooldown. */
static void test_failed(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0};
    ask(all, "x", NULL, &a, 0);
    g_assert_true(pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_FAILED, 0));
    assert_answer(&a, QUESTION_ANSWER_FAILED);
    g_assert_cmpint(pending_questions_check(all, "x", QUESTION_SIGN, 0), ==,
                    QUESTION_REFUSAL_COOLDOWN);
    finish(all, &on);
}

static void test_mute(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0}, b = {0};
    ask(all, "x", "1", &a, 0);
    ask(all, "x", "2", &b, 0);
    pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_MUTE, 0);
    assert_answer(&a, QUESTION_ANSWER_MUTE);
    assert_answer(&b, QUESTION_ANSWER_WITHDRAWN);
    g_assert_cmpint(
        pending_questions_check(all, "x", QUESTION_SIGN, RATE_LIMIT_MUTE_SECONDS * SECOND - 1), ==,
        QUESTION_REFUSAL_MUTED);
    assert_asked(
        pending_questions_check(all, "x", QUESTION_SIGN, RATE_LIMIT_MUTE_SECONDS * SECOND));
    pending_questions_mute(all, "x", 5 * SECOND);
    pending_questions_forget(all, "x");
    assert_asked(pending_questions_check(all, "x", QUESTION_SIGN, 0));
    finish(all, &on);
}

static void test_held(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0}, b = {0};
    ask(all, "x", "1", &a, 0);
    pending_questions_hold(all, TRUE, 10 * SECOND);
    ask(all, "y", "1", &b, 20 * SECOND);
    g_assert_cmpstr(on.shown->str, ==, "+x-x");
    pending_questions_tick(all, TIMEOUT * SECOND);
    assert_answer(&a, QUESTION_ANSWER_TIMEOUT);
    pending_questions_hold(all, FALSE, 70 * SECOND);
    g_assert_cmpstr(on.shown->str, ==, "+x-x+y");
    pending_questions_leave(all, &b, 70 * SECOND);
    finish(all, &on);
}

/* Timeouts while the screen is locked start no cooldown. */
static void test_held_starts_no_cooldown(void)
{
    stage on;
    pending_questions *all = begin(&on);
    pending_questions_hold(all, TRUE, 0);
    for (int i = 0; i < 9; i++) {
        asker a = {0};
        gint64 at = i * 100 * SECOND;
        ask(all, "x", "1", &a, at);
        pending_questions_tick(all, at + TIMEOUT * SECOND);
        assert_answer(&a, QUESTION_ANSWER_TIMEOUT);
        assert_asked(pending_questions_check(all, "x", QUESTION_SIGN, at + TIMEOUT * SECOND));
    }
    finish(all, &on);
}

static void ask_network(pending_questions *all, asker *who, gint64 now)
{
    *who = (asker){0};
    question *asked = question_new(QUESTION_NETWORK, "x", NULL);
    question_set_headline(asked, "h");
    question_set_address(asked, "a.example.com:443");
    question_offer_never(asked);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    assert_asked(pending_questions_ask(all, asked, NULL, who, now));
}

/* A host that is refused says nothing about the next one, nor about keys; and the other way round.
 */
static void test_limits_itself(void)
{
    static const enum question_answer refusals[] = {QUESTION_ANSWER_DENY, QUESTION_ANSWER_NEVER,
                                                    QUESTION_ANSWER_FAILED};
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0};
    for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
        ask_network(all, &a, 0);
        g_assert_true(pending_questions_answer_word(all, id_of(all, 0), refusals[i], 0));
        assert_answer(&a, refusals[i]);
    }
    for (int i = 0; i <= RATE_LIMIT_WITHDRAWN_MAX; i++) {
        ask_network(all, &a, 0);
        pending_questions_leave(all, &a, 0);
    }
    assert_asked(pending_questions_check(all, "x", QUESTION_NETWORK, 0));
    ask(all, "x", "1", &a, 0);
    pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_DENY, 0);
    g_assert_cmpint(pending_questions_check(all, "x", QUESTION_SIGN, 0), ==,
                    QUESTION_REFUSAL_COOLDOWN);
    for (int i = 0; i < 2; i++) {
        ask_network(all, &a, 0);
        pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_TIMEOUT, 0);
    }
    g_assert_cmpint(pending_questions_check(all, "x", QUESTION_NETWORK, 0), ==,
                    QUESTION_REFUSAL_COOLDOWN);
    pending_questions_mute(all, "x", SECOND);
    g_assert_cmpint(pending_questions_check(all, "x", QUESTION_NETWORK, 0), ==,
                    QUESTION_REFUSAL_MUTED);
    finish(all, &on);
}

static enum question_refusal ask_value(pending_questions *all, const char *same, asker *who,
                                       gint64 now)
{
    *who = (asker){0};
    if (pending_questions_join(all, PENDING_NO_BOX, same, who, now))
        return QUESTION_REFUSAL_NONE;
    question *asked = question_new(QUESTION_VALUE, NULL, NULL);
    question_set_headline(asked, "h");
    question_set_address(asked, "a.example.com");
    question_set_timeout(asked, TIMEOUT);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    return pending_questions_ask(all, asked, same, who, now);
}

/* Questions of the user's own `box` have a queue, and limits, apart from those of boxes. */
static void test_without_a_box(void)
{
    stage on;
    pending_questions *all = begin(&on);
    asker a = {0}, same = {0}, b = {0}, x = {0}, more[PENDING_BOX_MAX];
    assert_asked(ask_value(all, "1", &a, 0));
    assert_asked(ask_value(all, "1", &same, 0));
    assert_asked(ask_value(all, "2", &b, 0));
    assert_asked(ask(all, "x", "1", &x, 0));
    g_assert_cmpstr(on.shown->str, ==, "+user+x");
    g_assert_false(pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_MUTE, 0));
    g_assert_true(pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_ONCE, 0));
    assert_answer(&a, QUESTION_ANSWER_ONCE);
    assert_answer(&same, QUESTION_ANSWER_AGAIN);
    g_assert_cmpstr(on.shown->str, ==, "+user+x-user+user");
    pending_questions_hold(all, TRUE, 0);
    pending_questions_hold(all, FALSE, 0);
    g_assert_cmpstr(on.shown->str, ==, "+user+x-user+user-user-x+user+x");
    g_assert_true(pending_questions_answer_word(all, id_of(all, 0), QUESTION_ANSWER_DENY, 0));
    assert_answer(&b, QUESTION_ANSWER_DENY);
    g_assert_cmpint(ask_value(all, "1", &a, SECOND), ==, QUESTION_REFUSAL_COOLDOWN);
    assert_asked(pending_questions_check(all, "x", QUESTION_SIGN, SECOND));
    for (int i = 0; i < PENDING_BOX_MAX; i++)
        assert_asked(ask_value(all, NULL, &more[i], 10 * SECOND));
    g_assert_cmpint(ask_value(all, NULL, &a, 10 * SECOND), ==, QUESTION_REFUSAL_QUEUE_FULL);
    pending_questions_drop(all, NULL, 10 * SECOND);
    assert_answer(&more[0], QUESTION_ANSWER_WITHDRAWN);
    assert_answer(&x, QUESTION_ANSWER_WITHDRAWN);
    finish(all, &on);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent-pending-questions/one-shown-per-box", test_one_shown_per_box);
    g_test_add_func("/agent-pending-questions/all-shown-without-windows",
                    test_all_shown_without_windows);
    g_test_add_func("/agent-pending-questions/same-question-is-shared", test_same_question);
    g_test_add_func("/agent-pending-questions/first-leaves", test_first_leaves);
    g_test_add_func("/agent-pending-questions/withdrawing-often-starts-cooldown",
                    test_withdrawn_often);
    g_test_add_func("/agent-pending-questions/a-window-that-fails",
                    test_a_window_that_fails_keeps_no_other_waiting);
    g_test_add_func("/agent-pending-questions/limit-of-a-box", test_limit_of_a_box);
    g_test_add_func("/agent-pending-questions/limit-of-all-boxes", test_limit_of_all);
    g_test_add_func("/agent-pending-questions/wrong-answers", test_wrong_answers);
    g_test_add_func("/agent-pending-questions/timeout", test_timeout);
    g_test_add_func("/agent-pending-questions/cooldown", test_cooldown);
    g_test_add_func("/agent-pending-questions/failed-prompt-starts-cooldown", test_failed);
    g_test_add_func("/agent-pending-questions/mute", test_mute);
    g_test_add_func("/agent-pending-questions/limits-itself", test_limits_itself);
    g_test_add_func("/agent-pending-questions/held", test_held);
    g_test_add_func("/agent-pending-questions/timeout-while-held-starts-no-cooldown",
                    test_held_starts_no_cooldown);
    g_test_add_func("/agent-pending-questions/without-a-box", test_without_a_box);
    return g_test_run();
}
