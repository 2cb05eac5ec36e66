/*
 * Bytes as what a prompt wrote until its end, for each kind of question: the first byte chooses.
 * Only an answer that the question has, as a whole line with exit status 0, is a yes.
 */
#include <stdint.h>
#include <string.h>

#include "ssh-agent/agent/prompt_answer.h"
#include "ssh-agent/agent/questions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const texts[] = {
    "{\"kind\":\"sign\",\"mute\":true,\"choices\":[{\"id\":\"once\"},{\"id\":\"5m\"},{}]}",
    "{\"kind\":\"sudo\",\"choices\":[{\"id\":\"once\"}]}",
    "{\"kind\":\"password\",\"choices\":[{\"id\":\"once\"}]}",
    "{\"kind\":\"keys\",\"keys\":[{\"id\":\"SHA256:a\"}]}",
};
/* The yes of each. */
static const char *const allowed[][3] = {
    {"once", "5m", NULL}, {"once", NULL}, {"password", NULL}, {"keys", NULL}};
static const char *const refusals[] = {ANSWER_DENY, ANSWER_TIMEOUT, ANSWER_NOBODY, ANSWER_FAILED,
                                       NULL};

typedef struct {
    guint kind, answers;
    const prompt_answer *from;
} waiter;

static void on_show(const question *which, gpointer data)
{
}

static void on_answered(gpointer data, const char *choice, const json_t *detail)
{
    waiter *self = data;
    self->answers++;
    gboolean is_no =
        g_strv_contains(refusals, choice) || (self->kind == 0 && strcmp(choice, ANSWER_MUTE) == 0);
    g_assert_true(is_no || g_strv_contains(allowed[self->kind], choice));
    g_assert_true(is_no || self->from->status == 0);
    g_assert_true(is_no || detail == self->from->all);
}

/* As asker.c does it. */
static void answer(questions *all, const prompt_answer *from)
{
    const question *asked = questions_all(all)->pdata[0];
    guint64 id = asked->id;
    if (!questions_answer(all, id, from->choice, from->all, 1))
        g_assert_true(questions_answer(all, id, ANSWER_FAILED, NULL, 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const questions_hooks hooks = {on_show, on_show, on_answered};
    if (size < 1)
        return 0;
    g_autofree char *copy = g_memdup2(data + 1, size - 1);
    g_auto(prompt_answer) from;
    prompt_answer_read(&from, copy, size - 1);
    g_assert_nonnull(from.choice);
    g_assert_true(from.status == 0 || !from.all);

    waiter self = {.kind = data[0] % G_N_ELEMENTS(texts), .from = &from};
    questions *all = questions_new(&hooks, NULL);
    json_t *text = json_loads(texts[self.kind], 0, NULL);
    g_assert_null(questions_ask(all, "shop", NULL, text, &self, 0));
    answer(all, &from);
    g_assert_cmpuint(self.answers, ==, 1);
    g_assert_cmpuint(questions_all(all)->len, ==, 0);
    questions_free(all);
    return 0;
}
