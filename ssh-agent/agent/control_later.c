#include "ssh-agent/agent/control_later.h"

#include "ssh-agent/agent/asker.h"
#include "ssh-agent/agent/offers.h"

typedef struct {
    asking asking; /* first: what questions.c hands back */
    agent *agent;
    control_client *from;
} ask_job;

static void on_asker_gone(gpointer data)
{
    ask_job *self = data;
    questions_leave(self->agent->questions, self, agent_now());
    g_free(self);
}

static void on_answer(gpointer data, const char *choice, const json_t *detail)
{
    ask_job *self = data;
    json_t *answer = control_ok();
    json_object_set_new(answer, "answer", json_string(choice));
    control_answer(self->from, answer);
    g_free(self);
}

json_t *control_ask(agent *self, control_client *from, const json_t *request)
{
    const json_t *given = json_object_get(request, "question");
    const char *box = json_string_value(json_object_get(json_object_get(given, "box"), "name"));
    if (!box)
        return control_error("a question needs a box");
    if (!asker_has_display(self))
        return json_pack("{s:b, s:s}", "ok", TRUE, "answer", ANSWER_NOBODY);
    json_t *question_text = json_deep_copy(given);
    g_autofree char *phrase = identity_phrase(self), *colour = identity_colour(self, box);
    json_object_set_new(question_text, "phrase", json_string(phrase));
    json_object_set_new(json_object_get(question_text, "box"), "colour", json_string(colour));
    json_object_set_new(question_text, "timeout", json_integer(QUESTIONS_SECONDS));
    ask_job *job = g_new0(ask_job, 1);
    *job = (ask_job){{on_answer}, self, from};
    const char *refusal =
        questions_ask(self->questions, box, NULL, question_text, job, agent_now());
    if (refusal) {
        g_free(job);
        return json_pack("{s:b, s:s}", "ok", TRUE, "answer", ANSWER_DENY);
    }
    control_on_gone(from, on_asker_gone, job);
    agent_tick(self);
    return NULL;
}

typedef struct {
    offers *offers;
    control_client *from;
} keys_job;

static void on_keys_gone(gpointer data)
{
    keys_job *self = data;
    offers_free(self->offers);
    g_free(self);
}

static void on_keys(const json_t *keys, gpointer data)
{
    keys_job *self = data;
    json_t *answer = control_ok();
    json_object_set_new(answer, "keys", json_deep_copy(keys));
    control_answer(self->from, answer);
    g_free(self);
}

json_t *control_keys(agent *self, control_client *from, const json_t *request)
{
    keys_job *job = g_new0(keys_job, 1);
    job->from = from;
    job->offers =
        offers_find(self, json_string_value(json_object_get(request, "upstream")), on_keys, job);
    control_on_gone(from, on_keys_gone, job);
    return NULL;
}
