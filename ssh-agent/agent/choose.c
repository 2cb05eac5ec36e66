#include "ssh-agent/agent/choose.h"

#include <string.h>

#include "ssh-agent/agent/asker.h"
#include "ssh-agent/agent/caller.h"
#include "ssh-agent/agent/frame.h"
#include "ssh-agent/agent/offers.h"
#include "ssh-agent/agent/wishes.h"
#include "ssh-agent/prompt/bounds.h"

struct choosing {
    asking asking; /* first: what questions.c hands back */
    agent_box *box;
    offers *looking; /* NULL: found */
    json_t *found;   /* what was offered */
    json_t *chain;   /* who asked */
    gboolean asked;
};

static void forget(choosing *self)
{
    self->box->choosing = NULL;
    offers_free(self->looking);
    json_decref(self->found);
    json_decref(self->chain);
    g_free(self);
}

void choose_forget(agent_box *box)
{
    choosing *self = box->choosing;
    if (!self)
        return;
    if (self->asked)
        questions_leave(box->agent->questions, self, agent_now());
    forget(self);
}

/* What was offered as FINGERPRINT, a new reference; NULL: nothing was. */
static json_t *offered(const json_t *found, const char *fingerprint)
{
    json_t *each;
    size_t i;
    json_array_foreach ((json_t *)found, i, each) {
        const char *id = json_string_value(json_object_get(each, "id"));
        if (g_strcmp0(id, fingerprint) == 0)
            return json_pack("{s:s, s:O}", "fingerprint", id, "label",
                             json_object_get(each, "label"));
    }
    return NULL;
}

static void on_answer(gpointer data, const char *choice, const json_t *detail)
{
    choosing *self = data;
    agent_box *box = self->box;
    g_autoptr(GError) error = NULL;
    gboolean some = strcmp(choice, "keys") == 0, none = strcmp(choice, ANSWER_DENY) == 0;
    json_t *each, *chosen = json_array();
    size_t i;
    self->asked = FALSE;
    if (some) {
        json_array_foreach (json_object_get(detail, "keys"), i, each)
            json_array_append_new(chosen, offered(self->found, json_string_value(each)));
    }
    /* The user's no, too, is an answer for good. Without the user's word the box may be asked about
     * again when it has been closed. */
    if ((some || none) && !wishes_attach(box->base, chosen, &error))
        g_message("%s", error->message);
    json_decref(chosen);
    forget(self);
    boxes_reload(box->agent);
}

/* Of KEYS, as `box keys attach` gets them, those that a question has room for. There a fingerprint
 * is an id, and nothing is without a name. */
static json_t *to_offer(const json_t *keys)
{
    json_t *list = json_array(), *each;
    size_t i;
    json_array_foreach ((json_t *)keys, i, each) {
        json_t *id = json_object_get(each, "fingerprint"), *label = json_object_get(each, "label");
        if (i == QUESTION_KEYS_MAX)
            break;
        json_array_append_new(list, json_pack("{s:O, s:O, s:O}", "id", id, "label",
                                              json_string_length(label) ? label : id, "type",
                                              json_object_get(each, "type")));
    }
    return list;
}

static void on_found(const json_t *keys, gpointer data)
{
    choosing *self = data;
    agent *daemon = self->box->agent;
    self->looking = NULL; /* it frees itself */
    self->found = to_offer(keys);
    if (json_array_size(self->found) == 0) {
        forget(self);
        return;
    }
    json_t *text = frame_new(self->box, "keys", "Which SSH keys may this box ask for?");
    json_object_set_new(
        text, "verdict_text",
        json_string("It sees those that you choose, no others. Each signature will be asked for."));
    if (json_array_size(keys) > QUESTION_KEYS_MAX)
        json_array_append_new(
            json_object_get(text, "warnings"),
            json_string(
                "You have more keys than fit in here: 'box keys attach' takes any of them."));
    json_object_set(text, "chain", self->chain);
    json_object_set(text, "keys", self->found);
    if (questions_ask(daemon->questions, self->box->name, NULL, text, self, agent_now())) {
        forget(self);
        return;
    }
    self->asked = TRUE;
    agent_tick(daemon);
}

void choose_offer(agent_box *box, pid_t pid)
{
    if (box->choosing || box->offered || !asker_has_display(box->agent) ||
        wishes_were_asked(box->base))
        return;
    box->offered = TRUE;
    choosing *self = g_new0(choosing, 1);
    self->asking.answered = on_answer;
    self->box = box;
    self->chain = caller_chain(pid, box->pid);
    box->choosing = self;
    self->looking = offers_find(box->agent, box->upstream, on_found, self);
}
