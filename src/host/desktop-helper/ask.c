#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "host/desktop-helper/desktop_helper.h"
#include "proto/question.h"

typedef enum {
    ASK_YES,
    ASK_NO,     /* or questions of this box are muted */
    ASK_LATE,   /* the question timed out */
    ASK_AGAIN,  /* the user has answered another program of the box, or that one has left */
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
           : answer == QUESTION_ANSWER_AGAIN  ? ASK_AGAIN
           : answer == QUESTION_ANSWER_NOBODY ? ASK_NOBODY
                                              : ASK_NO;
}

/* The agent shows the question: it limits how often a box may ask
 * (ssh-agent/agent/pending_questions.h). */
static ask_answer ask_user(const question *asked)
{
    int agent = agent_ask_begin(asked);
    if (agent < 0)
        return ASK_NOBODY;
    if (wait_for_answer(agent))
        return outcome_of(asked, agent_ask_end(agent));
    close(agent);
    return ASK_GONE;
}

gboolean desktop_helper_ask(const question *asked)
{
    switch (ask_user(asked)) {
    case ASK_YES:
        return TRUE;
    case ASK_NO:
        desktop_helper_answer(REQUEST_REFUSED,
                              "the user said no, or will not be asked again so soon");
        return FALSE;
    case ASK_LATE:
        desktop_helper_answer(REQUEST_REFUSED, "nobody answered the question on the desktop");
        return FALSE;
    case ASK_AGAIN:
        desktop_helper_answer(REQUEST_REFUSED,
                              "the question was that of another program of the box: ask again");
        return FALSE;
    case ASK_NOBODY:
        desktop_helper_answer(REQUEST_UNABLE, "there is no desktop to ask the user on");
        return FALSE;
    case ASK_GONE:
        return FALSE;
    }
    return FALSE;
}
