#include "host/gate-asker/host_question.h"

#include <string.h>

#include "common/text.h"
#include "proto/peer_process.h"

/* Names of servers are rarely so long, and names that carry data always are. */
#define LONG_NAME 80

/* What the gate lets pass on PORT. */
static const char *use_of(guint16 port)
{
    switch (port) {
    case 443:
        return "TLS, as of https, to this name";
    case 80:
        return "HTTP, which is not encrypted";
    case 22:
        return "SSH";
    default:
        return "any protocol";
    }
}

static void add_facts(question *self, const struct gate_question *asked)
{
    g_autofree char *port = g_strdup_printf("%u", asked->port), *scripts = NULL;
    g_autofree char *letters = host_name_unicode(asked->name, &scripts);
    question_add_known(self, "Port", port, NULL, use_of(asked->port));
    if (letters) {
        g_autofree char *warning = g_strdup_printf(
            "The name is not in plain letters (%s). It may only look like a name you know.",
            scripts);
        question_add_known(self, "Reads as", letters, NULL, NULL);
        question_add_warning(self, warning);
    }
    if (strlen(asked->name) > LONG_NAME)
        question_add_warning(self, "The name is long. To look it up tells its owner all of it, "
                                   "whatever the box has written there.");
}

static void add_choices(question *self, const struct gate_question *asked)
{
    g_autofree char *scope =
        g_strdup_printf("connections of box %s to %s:%u", self->box, asked->name, asked->port);
    question_add_choice(self, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_add_choice(self, QUESTION_ANSWER_UNTIL_STOP, NULL, scope);
    question_add_choice(self, QUESTION_ANSWER_ALWAYS, NULL, scope);
    question_offer_never(self);
}

question *host_question_new(const struct box *self, const struct gate_question *asked, pid_t asker,
                            pid_t outermost, gboolean is_build)
{
    question *made = question_new(QUESTION_NETWORK, self->name, self->project);
    g_autofree char *name = text_safe_max(asked->name, -1, QUESTION_NAME_MAX);
    g_autofree char *headline = g_strdup_printf("Connect to %s, port %u", name, asked->port);
    g_autofree char *address = g_strdup_printf("%s:%u", asked->name, asked->port);
    question_set_headline(made, headline);
    question_set_address(made, address);
    if (is_build)
        question_add_known(made, "For", "a build of the box's image", NULL, NULL);
    add_facts(made, asked);
    add_choices(made, asked);
    if (asker)
        peer_process_add_chain(made, asker, outermost);
    if (made->chain->len == 0)
        question_add_known(made, "Program", "not found", NULL, NULL);
    return made;
}

char *host_question_rule(const struct gate_question *asked, gboolean denies)
{
    struct network_rule rule = {.kind = RULE_NAME, .denies = denies, .port = asked->port};
    char text[NETWORK_RULE_SIZE];
    g_strlcpy(rule.name, asked->name, sizeof rule.name);
    network_rule_text(&rule, text);
    return g_strdup_printf("%s %s", denies ? "deny" : "allow", text);
}
