#include "host/desktop-helper/open.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "common/text.h"
#include "host/desktop-helper/browser.h"
#include "host/desktop-helper/login.h"
#include "host/desktop-helper/url.h"
#include "proto/question.h"

static void add_known(question *asked, const char *label, const char *value)
{
    if (value)
        question_add_known(asked, label, value, NULL, NULL);
}

static void add_facts(question *asked, const desktop_helper *self, const url *page)
{
    add_known(asked, "Host", page->host);
    add_known(asked, "Reads as", page->unicode);
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
    if (page->unicode) {
        g_autofree char *text = g_strdup_printf(
            "The host's name is not in plain letters (%s). It may only look like a name you know.",
            page->scripts);
        question_add_warning(asked, text);
    }
    if (page->user)
        question_add_warning(asked, "The text before the \"@\" is not the host, whatever it looks "
                                    "like.");
    if (page->is_loopback)
        question_add_warning(asked, "This address is a service of this computer, not of the box.");
}

static question *question_for(const desktop_helper *self, const url *page)
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

typedef enum {
    ASK_YES,
    ASK_NO,     /* or questions of this box are muted */
    ASK_LATE,   /* the question timed out */
    ASK_NOBODY, /* no display, or no agent */
    ASK_GONE,   /* the program in the box has disconnected */
} ask_answer;

/* FALSE when the program in the box disconnects before the user has answered. */
static gboolean wait_for_answer(int agent)
{
    struct pollfd polls[] = {{.fd = agent, .events = POLLIN}, {.fd = DESKTOP_HELPER_CONNECTION}};
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

/* The agent shows the question: it limits how often a box may ask
 * (ssh-agent/agent/pending_questions.h). */
static ask_answer ask_user(const desktop_helper *self, const url *page)
{
    g_autoptr(question) asked = question_for(self, page);
    int agent = agent_ask_begin(asked);
    if (agent < 0)
        return ASK_NOBODY;
    if (wait_for_answer(agent))
        return outcome_of(asked, agent_ask_end(agent));
    close(agent);
    return ASK_GONE;
}

/* Characters of an address that are quoted in an answer. */
#define QUOTED_MAX 200

static gboolean may_open(const desktop_helper *self, const url *page)
{
    if (self->may_open)
        return TRUE;
    switch (ask_user(self, page)) {
    case ASK_YES:
        return TRUE;
    case ASK_NO:
        desktop_helper_answer(REQUEST_REFUSED,
                              "the user said no, or will not be asked again so soon");
        return FALSE;
    case ASK_LATE:
        desktop_helper_answer(REQUEST_REFUSED, "nobody has answered the question on the desktop");
        return FALSE;
    case ASK_NOBODY:
        desktop_helper_answer(REQUEST_UNABLE,
                              "there is no desktop on which the user could be asked");
        return FALSE;
    case ASK_GONE:
        return FALSE;
    }
    return FALSE;
}

void open_page(const desktop_helper *self, const char *address)
{
    enum request_outcome outcome = REQUEST_WRONG;
    const char *why = NULL;
    g_autoptr(url) page = url_parse(address, &outcome, &why);
    if (!page) {
        g_autofree char *quoted = text_quoted(address, -1, QUOTED_MAX);
        desktop_helper_answer(outcome, "%s is not opened: %s", quoted, why);
        return;
    }
    if (!may_open(self, page))
        return;
    /* The page may redirect the browser to the port at once, so listen first. */
    gboolean listens = page->login_port && login_begin(self, page->login_port);
    g_autofree char *problem = browser_open(page->text);
    if (problem)
        desktop_helper_answer(REQUEST_UNABLE, "%s", problem);
    else if (page->login_port && !listens)
        desktop_helper_answer(
            REQUEST_DONE, "port %d of the host is in use: the login leads there, not to the box",
            page->login_port);
    else
        desktop_helper_answer(REQUEST_DONE, "%s", "");
    if (listens && !problem)
        login_serve();
}
