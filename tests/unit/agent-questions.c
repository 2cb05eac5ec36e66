/* Who is asked, when, and what a no does to the next question. */
#include "ssh-agent/agent/questions.h"

#include <string.h>

#define SECOND ((gint64)G_USEC_PER_SEC)

typedef struct {
    GString *shown; /* boxes, in the order of showing; "-box" when hidden */
} stage;

typedef struct {
    char *choice; /* NULL: no answer yet */
} asker;

static void on_show(const question *which, gpointer data)
{
    g_string_append_printf(((stage *)data)->shown, "+%s", which->box);
}

static void on_hide(const question *which, gpointer data)
{
    g_string_append_printf(((stage *)data)->shown, "-%s", which->box);
}

static void on_answer(gpointer waiter, const char *choice, const json_t *detail)
{
    asker *self = waiter;
    g_assert_null(self->choice); /* once */
    self->choice = g_strdup(choice);
}

static questions *begin(stage *on)
{
    static const questions_hooks hooks = {on_show, on_hide, on_answer};
    on->shown = g_string_new(NULL);
    return questions_new(&hooks, on);
}

static void finish(questions *all, stage *on)
{
    questions_free(all);
    g_string_free(on->shown, TRUE);
}

static const char *ask(questions *all, const char *box, const char *same, asker *who, gint64 now)
{
    json_t *text =
        json_pack("{s:b, s:[{s:s}, {s:s}]}", "mute", TRUE, "choices", "id", "once", "id", "5m");
    g_clear_pointer(&who->choice, g_free);
    if (questions_join(all, box, same, who, now)) {
        json_decref(text);
        return NULL;
    }
    return questions_ask(all, box, same, text, who, now);
}

static guint64 id_of(const questions *all, guint index)
{
    return ((const question *)questions_all(all)->pdata[index])->id;
}

static void test_one_of_a_box(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0}, b = {0}, c = {0};
    g_assert_null(ask(all, "x", "1", &a, 0));
    g_assert_null(ask(all, "x", "2", &b, 0));
    g_assert_null(ask(all, "y", "1", &c, 0));
    g_assert_cmpstr(on.shown->str, ==, "+x+y");
    g_assert_true(questions_answer(all, id_of(all, 0), "once", NULL, 0));
    g_assert_cmpstr(a.choice, ==, "once");
    g_assert_null(b.choice);
    g_assert_cmpstr(on.shown->str, ==, "+x+y-x+x");
    questions_leave(all, &b, 0);
    questions_leave(all, &c, 0);
    g_assert_cmpuint(questions_all(all)->len, ==, 0);
    g_free(a.choice);
    finish(all, &on);
}

static void test_same_is_one(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0}, b = {0}, c = {0}, d = {0};
    ask(all, "x", "1", &a, 0);
    ask(all, "x", "1", &b, 0);
    ask(all, "x", "1", &d, 0);
    ask(all, "y", "1", &c, 0); /* of another box: another question */
    g_assert_cmpuint(questions_all(all)->len, ==, 2);
    questions_leave(all, &d, 0);
    g_assert_cmpuint(questions_all(all)->len, ==, 2);
    /* A yes is for one alone. */
    questions_answer(all, id_of(all, 0), "5m", NULL, 0);
    g_assert_cmpstr(a.choice, ==, "5m");
    g_assert_cmpstr(b.choice, ==, ANSWER_AGAIN);
    g_assert_null(c.choice);
    g_assert_null(d.choice);
    /* A no is for all. */
    ask(all, "y", "1", &d, 0);
    questions_answer(all, id_of(all, 0), ANSWER_DENY, NULL, 0);
    g_assert_cmpstr(c.choice, ==, ANSWER_DENY);
    g_assert_cmpstr(d.choice, ==, ANSWER_DENY);
    g_free(a.choice);
    g_free(b.choice);
    g_free(c.choice);
    g_free(d.choice);
    finish(all, &on);
}

/* What is shown tells of who asked first: nobody else gets its answer. */
static void test_first_leaves(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0}, b = {0};
    ask(all, "x", "1", &a, 0);
    ask(all, "x", "1", &b, 0);
    questions_leave(all, &a, 0);
    g_assert_null(a.choice);
    g_assert_cmpstr(b.choice, ==, ANSWER_AGAIN);
    g_assert_cmpuint(questions_all(all)->len, ==, 0);
    g_assert_cmpstr(on.shown->str, ==, "+x-x");
    g_free(b.choice);
    finish(all, &on);
}

static void test_come_and_go(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0}, b = {0};
    for (int i = 0; i < QUESTIONS_LEFT_MAX; i++) {
        g_assert_null(ask(all, "x", "1", &a, 0));
        questions_leave(all, &a, 0);
    }
    g_assert_cmpstr(ask(all, "x", "1", &a, 0), ==, "cooldown");
    /* What waits is not shown, so that it may go. */
    ask(all, "y", "1", &a, 0);
    for (int i = 0; i < 2 * QUESTIONS_LEFT_MAX; i++) {
        g_assert_null(ask(all, "y", "2", &b, 0));
        questions_leave(all, &b, 0);
    }
    g_assert_null(questions_refusal(all, "y", 0));
    questions_drop(all, NULL, 0);
    g_free(a.choice);
    finish(all, &on);
}

static void test_queue_is_short(void)
{
    stage on;
    questions *all = begin(&on);
    asker many[QUESTIONS_MAX + 1] = {0};
    for (int i = 0; i < QUESTIONS_MAX; i++) {
        g_autofree char *same = g_strdup_printf("%d", i);
        g_assert_null(ask(all, "x", same, &many[i], 0));
    }
    g_assert_nonnull(ask(all, "x", "more", &many[QUESTIONS_MAX], 0));
    g_assert_null(many[QUESTIONS_MAX].choice);
    questions_drop(all, NULL, 0);
    for (int i = 0; i < QUESTIONS_MAX; i++) {
        g_assert_cmpstr(many[i].choice, ==, ANSWER_WITHDRAWN);
        g_free(many[i].choice);
    }
    /* Never more than one was on show. */
    g_assert_cmpstr(on.shown->str, ==, "+x-x");
    finish(all, &on);
}

/* However many boxes there are. */
static void test_queue_of_all_is_bounded(void)
{
    stage on;
    questions *all = begin(&on);
    asker many[QUESTIONS_ALL_MAX + 1] = {0};
    for (int i = 0; i < QUESTIONS_ALL_MAX; i++) {
        g_autofree char *box = g_strdup_printf("x%d", i);
        g_assert_null(ask(all, box, NULL, &many[i], 0));
    }
    g_assert_cmpstr(ask(all, "y", NULL, &many[QUESTIONS_ALL_MAX], 0), ==, "queue full");
    questions_leave(all, &many[0], 0);
    g_assert_null(ask(all, "y", NULL, &many[QUESTIONS_ALL_MAX], 0));
    questions_drop(all, NULL, 0);
    for (int i = 0; i <= QUESTIONS_ALL_MAX; i++)
        g_free(many[i].choice);
    finish(all, &on);
}

static void test_wrong_answers(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0};
    ask(all, "x", "1", &a, 0);
    guint64 id = id_of(all, 0);
    g_assert_false(questions_answer(all, id, "15m", NULL, 0));
    g_assert_false(questions_answer(all, id, "", NULL, 0));
    g_assert_false(questions_answer(all, id, "allow", NULL, 0));
    g_assert_false(questions_answer(all, id + 1, "once", NULL, 0));
    g_assert_null(a.choice);
    finish(all, &on);
}

static void test_timeout(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0}, b = {0};
    ask(all, "x", "1", &a, 0);
    ask(all, "x", "2", &b, 0);
    questions_tick(all, (QUESTIONS_SECONDS - 1) * SECOND);
    g_assert_null(a.choice);
    questions_tick(all, QUESTIONS_SECONDS * SECOND);
    g_assert_cmpstr(a.choice, ==, ANSWER_TIMEOUT);
    /* Its time begins when it is shown. */
    g_assert_null(b.choice);
    questions_tick(all, (2 * QUESTIONS_SECONDS - 1) * SECOND);
    g_assert_null(b.choice);
    questions_tick(all, 2 * QUESTIONS_SECONDS * SECOND);
    g_assert_cmpstr(b.choice, ==, ANSWER_TIMEOUT);
    /* Two in a row: nobody is there. */
    g_assert_cmpstr(questions_refusal(all, "x", 2 * QUESTIONS_SECONDS * SECOND + 1), ==,
                    "cooldown");
    g_free(a.choice);
    g_free(b.choice);
    finish(all, &on);
}

static void test_cooldown(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0};
    gint64 now = 0, pause = QUESTIONS_COOLDOWN_SECONDS * SECOND;
    for (int i = 0; i < 3; i++) {
        g_assert_null(ask(all, "x", NULL, &a, now));
        questions_answer(all, id_of(all, 0), ANSWER_DENY, NULL, now);
        g_assert_nonnull(ask(all, "x", NULL, &a, now + pause - 1));
        g_assert_null(ask(all, "y", NULL, &a, now)); /* another box is not punished */
        questions_leave(all, &a, now);
        now += pause;
        pause *= 2;
    }
    g_assert_null(ask(all, "x", NULL, &a, now));
    questions_answer(all, id_of(all, 0), "once", NULL, now);
    g_assert_null(questions_refusal(all, "x", now));
    g_free(a.choice);
    finish(all, &on);
}

/* A question that no prompt can show is not shown again and again. */
static void test_failed(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0};
    ask(all, "x", NULL, &a, 0);
    g_assert_true(questions_answer(all, id_of(all, 0), ANSWER_FAILED, NULL, 0));
    g_assert_cmpstr(a.choice, ==, ANSWER_FAILED);
    g_assert_cmpstr(questions_refusal(all, "x", 0), ==, "cooldown");
    g_free(a.choice);
    finish(all, &on);
}

static void test_mute(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0}, b = {0};
    ask(all, "x", "1", &a, 0);
    ask(all, "x", "2", &b, 0);
    questions_answer(all, id_of(all, 0), ANSWER_MUTE, NULL, 0);
    g_assert_cmpstr(a.choice, ==, ANSWER_MUTE);
    g_assert_cmpstr(b.choice, ==, ANSWER_WITHDRAWN);
    g_assert_cmpstr(questions_refusal(all, "x", QUESTIONS_MUTE_SECONDS * SECOND - 1), ==, "muted");
    g_assert_null(questions_refusal(all, "x", QUESTIONS_MUTE_SECONDS * SECOND));
    questions_mute(all, "x", 5 * SECOND);
    questions_forget(all, "x");
    g_assert_null(questions_refusal(all, "x", 0));
    g_free(a.choice);
    g_free(b.choice);
    finish(all, &on);
}

static void test_held(void)
{
    stage on;
    questions *all = begin(&on);
    asker a = {0}, b = {0};
    ask(all, "x", "1", &a, 0);
    questions_hold(all, TRUE, 10 * SECOND);
    ask(all, "y", "1", &b, 20 * SECOND);
    g_assert_cmpstr(on.shown->str, ==, "+x-x");
    questions_tick(all, QUESTIONS_SECONDS * SECOND);
    g_assert_cmpstr(a.choice, ==, ANSWER_TIMEOUT);
    questions_hold(all, FALSE, 70 * SECOND);
    g_assert_cmpstr(on.shown->str, ==, "+x-x+y");
    questions_leave(all, &b, 70 * SECOND);
    g_free(a.choice);
    finish(all, &on);
}

/* A night behind a locked screen does not make the box wait in the morning. */
static void test_held_is_no_manners(void)
{
    stage on;
    questions *all = begin(&on);
    questions_hold(all, TRUE, 0);
    for (int i = 0; i < 9; i++) {
        asker a = {0};
        gint64 at = i * 100 * SECOND;
        ask(all, "x", "1", &a, at);
        questions_tick(all, at + QUESTIONS_SECONDS * SECOND);
        g_assert_cmpstr(a.choice, ==, ANSWER_TIMEOUT);
        g_free(a.choice);
        g_assert_null(questions_refusal(all, "x", at + QUESTIONS_SECONDS * SECOND));
    }
    finish(all, &on);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/questions/one-of-a-box", test_one_of_a_box);
    g_test_add_func("/agent/questions/same-is-one", test_same_is_one);
    g_test_add_func("/agent/questions/first-leaves", test_first_leaves);
    g_test_add_func("/agent/questions/come-and-go", test_come_and_go);
    g_test_add_func("/agent/questions/queue-is-short", test_queue_is_short);
    g_test_add_func("/agent/questions/queue-of-all-is-bounded", test_queue_of_all_is_bounded);
    g_test_add_func("/agent/questions/wrong-answers", test_wrong_answers);
    g_test_add_func("/agent/questions/timeout", test_timeout);
    g_test_add_func("/agent/questions/cooldown", test_cooldown);
    g_test_add_func("/agent/questions/failed", test_failed);
    g_test_add_func("/agent/questions/mute", test_mute);
    g_test_add_func("/agent/questions/held", test_held);
    g_test_add_func("/agent/questions/held-is-no-manners", test_held_is_no_manners);
    return g_test_run();
}
