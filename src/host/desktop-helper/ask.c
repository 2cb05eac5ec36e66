#include "host/desktop-helper/ask.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "common/text.h"
#include "host/desktop-helper/login_port.h"
#include "proto/question.h"

static void add_known(question *asked, const char *label, const char *value)
{
    if (value)
        question_add_known(asked, label, value, NULL, NULL);
}

static void add_facts(question *asked, const errand *self, const url *page)
{
    add_known(asked, "Host", page->host);
    add_known(asked, "Reads as", page->letters);
    add_known(asked, "User", page->user);
    add_known(asked, "Mail to", page->mail);
    if (page->login_port) {
        g_autofree char *port = g_strdup_printf("%d of this computer leads into box %s for %d "
                                                "minutes, or until the login is answered",
                                                page->login_port, self->box, LOGIN_MINUTES);
        add_known(asked, "Port", port);
    }
}

static void add_warnings(question *asked, const url *page)
{
    if (page->letters) {
        g_autofree char *text = g_strdup_printf(
            "The host's name is not in plain letters (%s). It may only look like a name you know.",
            page->scripts);
        question_add_warning(asked, text);
    }
    if (page->user)
        question_add_warning(asked, "What stands in front of the \"@\" is not the host, whatever "
                                    "it looks like.");
    if (page->is_here)
        question_add_warning(asked, "This address is a service of this computer, not of the box.");
}

static question *question_for(const errand *self, const url *page)
{
    question *asked = question_new(QUESTION_OPEN, self->box, self->project);
    g_autofree char *name = page->host ? text_safe_max(page->host, -1, QUESTION_NAME_MAX) : NULL;
    g_autofree char *headline = name ? g_strdup_printf("Open a page of %s in your browser", name)
                                     : g_strdup("Write a mail in your mail program");
    question_set_headline(asked, headline);
    question_set_address(asked, page->text);
    add_facts(asked, self, page);
    add_warnings(asked, page);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_offer_mute(asked);
    return asked;
}

/* FALSE: who asked has gone first. */
static gboolean wait_for(int agent)
{
    struct pollfd polls[] = {{.fd = agent, .events = POLLIN}, {.fd = ERRAND_CONNECTION}};
    while (poll(polls, 2, -1) < 0 && errno == EINTR)
        ;
    return polls[0].revents || !polls[1].revents;
}

static ask_answer outcome_of(const question *asked, enum question_answer answer)
{
    if (question_allows(asked, answer))
        return ASK_YES;
    return answer == QUESTION_ANSWER_TIMEOUT  ? ASK_LATE
           : answer == QUESTION_ANSWER_NOBODY ? ASK_NOBODY
                                              : ASK_NO;
}

ask_answer ask_open(const errand *self, const url *page)
{
    g_autoptr(question) asked = question_for(self, page);
    int agent = agent_ask_begin(asked);
    if (agent < 0)
        return ASK_NOBODY;
    if (wait_for(agent))
        return outcome_of(asked, agent_ask_end(agent));
    close(agent);
    return ASK_GONE;
}
