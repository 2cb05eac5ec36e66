#include "proto/question_answer.h"

#include <jansson.h>
#include <string.h>

enum {
    BY_PROMPT = 1 << 0, /* litterbox-prompt may write it */
    CHOICE = 1 << 1,    /* a question may list it among its choices */
};

static const struct {
    const char *word;
    unsigned flags;
    const char *button;
} answers[] = {
    [QUESTION_ANSWER_ONCE] = {"once", BY_PROMPT | CHOICE, NULL},
    [QUESTION_ANSWER_5_MINUTES] = {"5m", BY_PROMPT | CHOICE, "Allow for 5 minutes"},
    [QUESTION_ANSWER_15_MINUTES] = {"15m", BY_PROMPT | CHOICE, "Allow for 15 minutes"},
    [QUESTION_ANSWER_UNTIL_STOP] = {"box", BY_PROMPT | CHOICE, "Until the box stops"},
    [QUESTION_ANSWER_ALWAYS] = {"always", BY_PROMPT | CHOICE, "Always for this box"},
    [QUESTION_ANSWER_PASSWORD] = {"password", BY_PROMPT, NULL},
    [QUESTION_ANSWER_KEYS] = {"keys", BY_PROMPT, NULL},
    [QUESTION_ANSWER_DENY] = {"deny", BY_PROMPT, NULL},
    [QUESTION_ANSWER_NEVER] = {"never", BY_PROMPT, "Never for this box"},
    [QUESTION_ANSWER_MUTE] = {"mute", BY_PROMPT, NULL},
    [QUESTION_ANSWER_TIMEOUT] = {"timeout", BY_PROMPT, NULL},
    [QUESTION_ANSWER_NOBODY] = {"nobody", 0, NULL},
    [QUESTION_ANSWER_AGAIN] = {"again", 0, NULL},
    [QUESTION_ANSWER_FAILED] = {"failed", 0, NULL},
    [QUESTION_ANSWER_WITHDRAWN] = {"withdrawn", 0, NULL},
};
G_STATIC_ASSERT(G_N_ELEMENTS(answers) == QUESTION_ANSWER_COUNT);

const char *question_answer_word(enum question_answer self)
{
    return answers[self].word;
}

gboolean question_answer_parse(const char *word, enum question_answer *answer)
{
    for (int i = 0; word && i < QUESTION_ANSWER_COUNT; i++) {
        if (strcmp(answers[i].word, word) != 0)
            continue;
        *answer = (enum question_answer)i;
        return TRUE;
    }
    return FALSE;
}

gboolean question_answer_is_choice(enum question_answer self)
{
    return answers[self].flags & CHOICE;
}

const char *question_answer_button(enum question_answer self)
{
    return answers[self].button;
}

/* NULL when there is none. The copy inside jansson's value, ordinary memory, is wiped. */
static char *take_password(const json_t *root)
{
    json_t *typed = json_object_get(root, "password");
    if (!json_is_string(typed))
        return NULL;
    char *password = g_strdup(json_string_value(typed));
    explicit_bzero((char *)json_string_value(typed), json_string_length(typed));
    return password;
}

/* NULL unless all of the list's items are texts. */
static GPtrArray *take_keys(const json_t *root)
{
    json_t *list = json_object_get(root, "keys"), *item;
    size_t i;
    if (!json_is_array(list) || json_array_size(list) > QUESTION_KEYS_MAX)
        return NULL;
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);
    json_array_foreach (list, i, item) {
        if (!json_is_string(item))
            return NULL;
        g_ptr_array_add(keys, g_strdup(json_string_value(item)));
    }
    return g_steal_pointer(&keys);
}

static gboolean reply_fill(question_reply *self, const json_t *root)
{
    const char *word = json_string_value(json_object_get(root, "answer"));
    if (!question_answer_parse(word, &self->answer) || !(answers[self->answer].flags & BY_PROMPT))
        return FALSE;
    if (self->answer == QUESTION_ANSWER_PASSWORD)
        self->password = take_password(root);
    if (self->answer == QUESTION_ANSWER_KEYS)
        self->keys = take_keys(root);
    return (self->answer == QUESTION_ANSWER_PASSWORD) == (self->password != NULL) &&
           (self->answer == QUESTION_ANSWER_KEYS) == (self->keys != NULL);
}

void question_reply_parse(question_reply *self, const char *line, gsize length)
{
    json_t *root = length <= QUESTION_REPLY_MAX
                       ? json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL)
                       : NULL;
    *self = (question_reply){0};
    if (!reply_fill(self, root)) {
        question_reply_clear(self);
        self->answer = QUESTION_ANSWER_FAILED;
    }
    json_decref(root);
}

int question_reply_parse_output(question_reply *self, const char *output, gsize length)
{
    gboolean ended = length >= 2 && output[length - 2] == '\0';
    int status = ended ? (guchar)output[length - 1] : 255;
    question_reply_parse(self, output, status == 0 ? length - 2 : 0);
    return status;
}

void question_reply_clear(question_reply *self)
{
    if (self->password)
        explicit_bzero(self->password, strlen(self->password));
    g_clear_pointer(&self->password, g_free);
    g_clear_pointer(&self->keys, g_ptr_array_unref);
}
