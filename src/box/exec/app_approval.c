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

question *app_approval_question(const char *name, const char *project, gboolean is_new,
                                const GPtrArray *news)
{
    if (!fits(news))
        return NULL;
    question *asked = question_new(QUESTION_APPLY, name, project);
    g_autofree char *headline =
        g_strdup_printf("Start box %s with what its project asks for", name);
    question_set_headline(asked, headline);
    question_add_known(asked, "File",
                       is_new ? "litterbox.toml, new here"
                              : "litterbox.toml, changed since you approved it",
                       NULL, NULL);
    for (guint i = 0; i < news->len; i++)
        question_add_known(asked, "New", news->pdata[i], NULL, NULL);
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
    g_autoptr(question) asked =
        news ? app_approval_question(self->name, self->project, !state->approved, news) : NULL;
    /* What is approved is what was read before the question, whatever the box writes meanwhile. */
    if (asked && agent_ask(asked))
        trust_approve_seen(self->project, state, NULL);
}
