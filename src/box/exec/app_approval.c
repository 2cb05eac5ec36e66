#include "box/exec/app_approval.h"

#include <string.h>

#include "box/helpers/agent.h"
#include "box/session/connection.h"
#include "config/config.h"
#include "console/ask.h"
#include "proto/question.h"

/* Does not cut a phrase: what stands in its middle may be what matters. */
static gboolean fits(const GPtrArray *news)
{
    for (guint i = 0; i < news->len; i++) {
        if (strlen(news->pdata[i]) > QUESTION_VALUE_MAX)
            return FALSE;
    }
    return news->len < QUESTION_KNOWN_MAX;
}

static question *approval_question(const struct box *self, gboolean is_new, const GPtrArray *news)
{
    question *asked = question_new(QUESTION_APPLY, self->name, self->project);
    g_autofree char *headline =
        g_strdup_printf("Start box %s with what its project asks for", self->name);
    question_set_headline(asked, headline);
    question_add_known(asked, "File",
                       is_new ? "litterbox.toml, new here"
                              : "litterbox.toml, changed since you approved it",
                       NULL, NULL);
    for (guint i = 0; i < news->len; i++)
        question_add_known(asked, "New", news->pdata[i], NULL, NULL);
    if (news->len == 0)
        question_add_known(asked, "New", "nothing beyond your own configuration", NULL, NULL);
    question_set_note(asked, "'box trust', in a terminal, shows all of the file.");
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_offer_mute(asked);
    return asked;
}

static gboolean is_untrusted(const struct box *self)
{
    g_autoptr(GError) problem = NULL;
    config_free(config_load(self->project, self->base, NULL, TRUST_REQUIRE, &problem));
    return g_error_matches(problem, BOX_ERROR, BOX_ERROR_UNTRUSTED);
}

void app_approval_ask(const struct box *self)
{
    if (ask_can() || box_find_init(self) || !is_untrusted(self))
        return;
    g_autoptr(trust) state = trust_check(self->project, NULL);
    /* No window asks about a file that is gone: 'box trust' shows what it kept the box from. */
    g_autoptr(GPtrArray) news =
        state && state->contents ? trust_news(self->project, state, NULL) : NULL;
    if (!news || !fits(news))
        return;
    g_autoptr(question) asked = approval_question(self, !state->approved, news);
    /* What is approved is what was read before the question, whatever the box writes meanwhile. */
    if (agent_ask(asked))
        trust_approve_seen(self->project, state, NULL);
}
