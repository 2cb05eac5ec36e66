#include "box/session/sudo_asker.h"

#include "box/helpers/agent.h"
#include "common/text.h"
#include "proto/question.h"

/* Bytes of a command in a question; nobody reads more. */
#define COMMAND_MAX 400

static question *new_question(const struct box *about, const char *command)
{
    question *asked = question_new(QUESTION_SUDO, about->name, about->project);
    g_autofree char *headline = g_strdup_printf("Run a command as root of box %s", about->name);
    question_set_headline(asked, headline);
    question_add_known(asked, "As", "root of the box, unprivileged on the host", NULL, NULL);
    question_add_claim(asked, "Command", command, NULL, NULL);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_offer_mute(asked);
    return asked;
}

gboolean sudo_asker_ask(const struct box *about, const char *text, gsize length)
{
    g_autofree char *command = text_safe_max(text, (gssize)length, COMMAND_MAX);
    g_autoptr(question) asked = new_question(about, command);
    return agent_ask(asked);
}
