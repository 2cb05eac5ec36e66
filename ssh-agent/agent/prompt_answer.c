#include "ssh-agent/agent/prompt_answer.h"

#include "ssh-agent/agent/questions.h"

void prompt_answer_read(prompt_answer *self, const char *text, gsize length)
{
    gboolean ended = length >= 2 && !text[length - 2];
    *self = (prompt_answer){.status = ended ? (guchar)text[length - 1] : 255};
    if (self->status == 0)
        self->all = json_loadb(text, length - 2, JSON_REJECT_DUPLICATES, NULL);
    const char *choice = json_string_value(json_object_get(self->all, "answer"));
    self->choice = g_strdup(choice ? choice : ANSWER_FAILED);
}

void prompt_answer_clear(prompt_answer *self)
{
    g_clear_pointer(&self->choice, g_free);
    json_decref(self->all);
    self->all = NULL;
}
