#include "host/desktop-helper/open.h"

#include "common/text.h"
#include "host/desktop-helper/ask.h"
#include "host/desktop-helper/browser.h"
#include "host/desktop-helper/login.h"

/* As much of an address as a sentence has room for. */
#define QUOTED_MAX 200

static gboolean may_open(const errand *self, const url *page)
{
    if (self->may_open)
        return TRUE;
    switch (ask_open(self, page)) {
    case ASK_YES:
        return TRUE;
    case ASK_NO:
        errand_answer(REQUEST_REFUSED, "the user said no, or will not be asked again so soon");
        return FALSE;
    case ASK_LATE:
        errand_answer(REQUEST_REFUSED, "nobody has answered the question on the desktop");
        return FALSE;
    case ASK_NOBODY:
        errand_answer(REQUEST_UNABLE, "there is no desktop on which the user could be asked");
        return FALSE;
    case ASK_GONE:
        return FALSE;
    }
    return FALSE;
}

void open_page(const errand *self, const char *address)
{
    enum request_outcome outcome = REQUEST_WRONG;
    const char *why = NULL;
    g_autoptr(url) page = url_parse(address, &outcome, &why);
    if (!page) {
        g_autofree char *quoted = text_quoted(address, -1, QUOTED_MAX);
        errand_answer(outcome, "%s is not opened: %s", quoted, why);
        return;
    }
    if (!may_open(self, page))
        return;
    /* Before the page is there that sends the browser to it. */
    gboolean listens = page->login_port && login_begin(self, page->login_port);
    g_autofree char *problem = browser_open(page->text);
    if (problem)
        errand_answer(REQUEST_UNABLE, "%s", problem);
    else if (page->login_port && !listens)
        errand_answer(REQUEST_DONE,
                      "port %d of the host is in use: the login leads there, not to the box",
                      page->login_port);
    else
        errand_answer(REQUEST_DONE, "%s", "");
    if (listens && !problem)
        login_serve();
}
