/*
 * Fuzzes the output of a prompt. The first byte selects the kind of question. Only an answer that
 * fits the question, as a whole line with exit status 0, allows anything.
 */
#include <stdint.h>
#include <string.h>

#include "ssh-agent/agent/pending_questions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const question *asked;
    guint answers;
    const question_reply *from;
    int status;
} waiter;

static void on_show(const pending_question *which, gpointer data)
{
}

static void on_answered(gpointer data, const question_reply *reply)
{
    waiter *self = data;
    self->answers++;
    g_assert_true(question_accepts(self->asked, reply->answer));
    if (!question_allows(self->asked, reply->answer))
        return;
    g_assert_cmpint(self->status, ==, 0);
    g_assert_true(reply == self->from);
    g_assert_true((reply->answer == QUESTION_ANSWER_PASSWORD) == (reply->password != NULL));
    g_assert_true((reply->answer == QUESTION_ANSWER_KEYS) == (reply->keys != NULL));
}

static question *new_question(enum question_kind kind)
{
    question *asked = question_new(kind, "shop", NULL);
    const question_traits *traits = question_kind_traits(kind);
    question_set_headline(asked, "h");
    if (traits->address_hint)
        question_set_address(asked, "https://example.org/");
    if (traits->replies == QUESTION_ANSWER_KEYS)
        question_add_key(asked, "SHA256:a", "work", "RSA");
    if (traits->replies == QUESTION_ANSWER_ONCE)
        question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    if (traits->may_last)
        question_add_choice(asked, QUESTION_ANSWER_5_MINUTES, NULL, "s");
    question_offer_mute(asked);
    question_offer_never(asked);
    return asked;
}

/* As prompt_client.c does it. */
static void answer(pending_questions *all, const question_reply *reply)
{
    const pending_question *which = pending_questions_all(all)->pdata[0];
    guint64 id = which->id;
    if (!pending_questions_answer(all, id, reply, 1))
        g_assert_true(pending_questions_answer_word(all, id, QUESTION_ANSWER_FAILED, 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const pending_hooks hooks = {on_show, on_show, on_answered};
    if (size < 1)
        return 0;
    enum question_kind kind = (enum question_kind)(data[0] % QUESTION_KIND_COUNT);
    g_autofree char *copy = g_memdup2(data + 1, size - 1);
    g_auto(question_reply) reply;
    int status = question_reply_parse_output(&reply, copy, size - 1);
    g_assert_true(status == 0 || reply.answer == QUESTION_ANSWER_FAILED);

    g_autoptr(question) asked = new_question(kind);
    waiter self = {.asked = asked, .from = &reply, .status = status};
    pending_questions *all = pending_questions_new(&hooks, NULL);
    g_assert_cmpint(pending_questions_ask(all, new_question(kind), NULL, &self, 0), ==,
                    QUESTION_REFUSAL_NONE);
    answer(all, &reply);
    g_assert_cmpuint(self.answers, ==, 1);
    g_assert_cmpuint(pending_questions_all(all)->len, ==, 0);
    pending_questions_free(all);
    return 0;
}
