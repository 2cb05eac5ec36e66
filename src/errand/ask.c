#include "host/desktop-helper/ask.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent_start.h"
#include "proto/json_line.h"
#include "common/text.h"
#include "host/desktop-helper/login_port.h"

/* As much of a name as a headline has room for. */
#define NAME_MAX_BYTES 64

static void add_fact(json_t *facts, const char *label, const char *value)
{
    if (value)
        json_array_append_new(facts, json_pack("{s:s, s:s}", "label", label, "value", value));
}

static json_t *facts_of(const errand *self, const url *page)
{
    json_t *facts = json_array();
    add_fact(facts, "Host", page->host);
    add_fact(facts, "Reads as", page->letters);
    add_fact(facts, "User", page->user);
    add_fact(facts, "Mail to", page->mail);
    if (page->login_port) {
        g_autofree char *port = g_strdup_printf("%d of this computer leads into box %s for %d "
                                                "minutes, or until the login is answered",
                                                page->login_port, self->box, LOGIN_MINUTES);
        add_fact(facts, "Port", port);
    }
    return facts;
}

static json_t *warnings_of(const url *page)
{
    json_t *warnings = json_array();
    if (page->letters) {
        g_autofree char *text = g_strdup_printf(
            "The host's name is not in plain letters (%s). It may only look like a name you know.",
            page->scripts);
        json_array_append_new(warnings, json_string(text));
    }
    if (page->user)
        json_array_append_new(
            warnings, json_string("What stands in front of the \"@\" is not the host, whatever it "
                                  "looks like."));
    if (page->is_here)
        json_array_append_new(
            warnings, json_string("This address is a service of this computer, not of the box."));
    return warnings;
}

static json_t *question_for(const errand *self, const url *page)
{
    g_autofree char *project = text_safe(self->project, -1);
    g_autofree char *name = text_safe_max(page->host ? page->host : page->mail, -1, NAME_MAX_BYTES);
    g_autofree char *headline = page->host
                                    ? g_strdup_printf("Open a page of %s in your browser", name)
                                    : g_strdup("Write a mail in your mail program");
    return json_pack(
        "{s:i, s:s, s:{s:s, s:s}, s:s, s:s, s:s, s:s, s:o, s:[], s:[], s:o, s:[{s:s, s:s}], s:b}",
        "version", 1, "kind", "open", "box", "name", self->box, "project", project, "headline",
        headline, "verdict", "none", "verdict_text", "", "address", page->text, "known",
        facts_of(self, page), "claimed", "chain", "warnings", warnings_of(page), "choices", "id",
        "once", "text", "Open", "mute", TRUE);
}

/* FALSE: who asked has gone first. */
static gboolean wait_for(int agent)
{
    struct pollfd polls[] = {{.fd = agent, .events = POLLIN}, {.fd = ERRAND_CONNECTION}};
    while (poll(polls, 2, -1) < 0 && errno == EINTR)
        ;
    return polls[0].revents || !polls[1].revents;
}

static ask_answer understand(json_t *answer)
{
    static const struct {
        const char *word;
        ask_answer meaning;
    } words[] = {{"once", ASK_YES}, {"timeout", ASK_LATE}, {"nobody", ASK_NOBODY}};
    const char *choice = json_string_value(json_object_get(answer, "answer"));
    ask_answer meaning = choice ? ASK_NO : ASK_NOBODY;
    for (gsize i = 0; choice && i < G_N_ELEMENTS(words); i++)
        if (strcmp(words[i].word, choice) == 0)
            meaning = words[i].meaning;
    json_decref(answer);
    return meaning;
}

/* Takes REQUEST. */
static gboolean tell(int agent, json_t *request)
{
    gboolean sent = line_send(agent, request);
    json_decref(request);
    return sent;
}

ask_answer ask_open(const errand *self, const url *page)
{
    json_t *display = agent_display();
    if (json_object_size(display) == 0) {
        json_decref(display);
        return ASK_NOBODY;
    }
    int agent = agent_connect();
    if (agent < 0)
        agent = agent_start(NULL);
    ask_answer meaning = ASK_NOBODY;
    gboolean told = tell(agent, json_pack("{s:s, s:o}", "op", "hello", "display", display));
    if (agent >= 0 && told) {
        json_decref(agent_answer(agent, NULL));
        tell(agent, json_pack("{s:s, s:o}", "op", "ask", "question", question_for(self, page)));
        meaning = wait_for(agent) ? understand(agent_answer(agent, NULL)) : ASK_GONE;
    }
    if (agent >= 0)
        close(agent);
    return meaning;
}
