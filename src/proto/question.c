#include "proto/question.h"

#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text.h"

/* A grey, for a box whose colour is not known. */
#define COLOUR_DEFAULT 0x5e5c64

void question_fact_free(gpointer data)
{
    question_fact *fact = data;
    g_free(fact->label);
    g_free(fact->value);
    g_free(fact->detail);
    g_free(fact->aside);
    g_free(fact);
}

static void program_free(gpointer data)
{
    question_program *program = data;
    g_free(program->name);
    g_free(program->command);
    g_free(program);
}

static void choice_free(gpointer data)
{
    question_choice *choice = data;
    g_free(choice->text);
    g_free(choice->scope);
    g_free(choice);
}

static void key_free(gpointer data)
{
    question_key *key = data;
    g_free(key->id);
    g_free(key->label);
    g_free(key->type);
    g_free(key);
}

question *question_new(enum question_kind kind, const char *box, const char *project)
{
    question *self = g_new0(question, 1);
    self->kind = kind;
    self->colour = COLOUR_DEFAULT;
    self->descriptor = -1;
    self->timeout = QUESTION_TIMEOUT;
    self->known = g_ptr_array_new_with_free_func(question_fact_free);
    self->claimed = g_ptr_array_new_with_free_func(question_fact_free);
    self->chain = g_ptr_array_new_with_free_func(program_free);
    self->warnings = g_ptr_array_new_with_free_func(g_free);
    self->choices = g_ptr_array_new_with_free_func(choice_free);
    self->keys = g_ptr_array_new_with_free_func(key_free);
    self->box = box && *box ? text_safe_max(box, -1, QUESTION_NAME_MAX) : NULL;
    self->project = project && *project ? text_safe_max(project, -1, QUESTION_PROJECT_MAX) : NULL;
    return self;
}

void question_set_descriptor(question *self, int fd)
{
    if (self->descriptor >= 0)
        close(self->descriptor);
    self->descriptor = fd;
}

void question_free(question *self)
{
    if (!self)
        return;
    g_free(self->box);
    g_free(self->project);
    g_free(self->phrase);
    g_free(self->headline);
    g_free(self->verdict_text);
    g_free(self->note);
    g_free(self->address);
    g_ptr_array_unref(self->known);
    g_ptr_array_unref(self->claimed);
    g_ptr_array_unref(self->chain);
    g_ptr_array_unref(self->warnings);
    g_ptr_array_unref(self->choices);
    g_ptr_array_unref(self->keys);
    g_clear_error(&self->invalid);
    question_set_descriptor(self, -1);
    g_free(self);
}

static void fail_question(question *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void fail_question(question *self, const char *format, ...)
{
    if (self->invalid)
        return;
    va_list args;
    va_start(args, format);
    self->invalid = g_error_new_valist(BOX_ERROR, BOX_ERROR_PROTOCOL, format, args);
    va_end(args);
}

/* TEXT made harmless and cut to MAX bytes, a new string; NULL when there is none. */
static char *harmless(const char *text, gsize max)
{
    return text && *text ? text_safe_max(text, -1, max) : NULL;
}

static char *harmless_or_empty(const char *text, gsize max)
{
    return text_safe_max(text, -1, max);
}

static void replace(char **field, char *text)
{
    g_free(*field);
    *field = text;
}

void question_set_headline(question *self, const char *text)
{
    replace(&self->headline, harmless(text, QUESTION_HEADLINE_MAX));
}

void question_set_verdict(question *self, enum question_verdict verdict, const char *text)
{
    self->verdict = verdict;
    replace(&self->verdict_text, harmless(text, QUESTION_SENTENCE_MAX));
}

void question_set_note(question *self, const char *text)
{
    replace(&self->note, harmless(text, QUESTION_SENTENCE_MAX));
}

/* The limit is for the harmless text, so that what one program accepts the next one accepts. */
void question_set_address(question *self, const char *text)
{
    replace(&self->address, NULL);
    if (text && strlen(text) <= QUESTION_ADDRESS_MAX)
        self->address = harmless(text, G_MAXSIZE);
    if (!self->address || strlen(self->address) > QUESTION_ADDRESS_MAX)
        fail_question(self, "the question's address is missing, or too long");
}

void question_set_identity(question *self, const char *phrase, guint32 colour)
{
    replace(&self->phrase, harmless(phrase, QUESTION_NAME_MAX));
    self->colour = colour & 0xFFFFFF;
}

void question_offer_mute(question *self)
{
    self->mute = question_kind_traits(self->kind)->may_mute;
}

void question_offer_never(question *self)
{
    self->never = question_kind_traits(self->kind)->may_never;
}

void question_set_timeout(question *self, gint64 seconds)
{
    self->timeout =
        seconds > 0 && seconds <= QUESTION_TIMEOUT_MAX ? (int)seconds : QUESTION_TIMEOUT;
}

/* Adds ITEM to LIST, called NAME in errors, which then owns it. Fails unless it is VALID and LIST
 * has at most MAX items. */
static void add_item(question *self, GPtrArray *list, const char *name, guint max, gpointer item,
                     gboolean valid)
{
    g_ptr_array_add(list, item);
    if (!valid)
        fail_question(self, "the question's %s have an invalid item", name);
    else if (list->len > max)
        fail_question(self, "the question's %s have more than %u items", name, max);
}

static question_fact *new_fact(const char *label, const char *value, const char *detail,
                               const char *aside, gsize max)
{
    question_fact *fact = g_new0(question_fact, 1);
    fact->label = harmless(label, QUESTION_LABEL_MAX);
    fact->value = harmless_or_empty(value, max);
    fact->detail = harmless(detail, max);
    fact->aside = harmless(aside, QUESTION_LABEL_MAX);
    return fact;
}

void question_add_known(question *self, const char *label, const char *value, const char *detail,
                        const char *aside)
{
    question_fact *fact = new_fact(label, value, detail, aside, QUESTION_VALUE_MAX);
    add_item(self, self->known, "known facts", QUESTION_KNOWN_MAX, fact, fact->label && value);
}

void question_add_claim(question *self, const char *label, const char *value, const char *detail,
                        const char *aside)
{
    question_fact *fact = new_fact(label, value, detail, aside, QUESTION_CLAIM_MAX);
    add_item(self, self->claimed, "claims", QUESTION_CLAIMED_MAX, fact, fact->label && value);
}

static gint64 valid_pid(gint64 pid)
{
    return pid > 0 && pid <= G_MAXINT32 ? pid : 0;
}

void question_add_program(question *self, const char *name, const char *command, gint64 pid,
                          gint64 host_pid)
{
    question_program *program = g_new0(question_program, 1);
    program->name = harmless_or_empty(name, QUESTION_NAME_MAX);
    program->command = harmless_or_empty(command, QUESTION_CLAIM_MAX);
    program->pid = valid_pid(pid);
    program->host_pid = valid_pid(host_pid);
    add_item(self, self->chain, "programs", QUESTION_CHAIN_MAX, program, TRUE);
}

void question_add_warning(question *self, const char *text)
{
    char *warning = harmless_or_empty(text, QUESTION_SENTENCE_MAX);
    add_item(self, self->warnings, "warnings", QUESTION_WARNINGS_MAX, warning, *warning != '\0');
}

static gboolean lists_choice(const question *self, enum question_answer answer)
{
    for (guint i = 0; i < self->choices->len; i++) {
        const question_choice *choice = self->choices->pdata[i];
        if (choice->answer == answer)
            return TRUE;
    }
    return FALSE;
}

void question_add_choice(question *self, enum question_answer answer, const char *text,
                         const char *scope)
{
    const question_traits *kind = question_kind_traits(self->kind);
    gboolean valid = kind->replies == QUESTION_ANSWER_ONCE && question_answer_is_choice(answer) &&
                     (kind->may_last || !scope || !*scope);
    const char *words =
        answer == QUESTION_ANSWER_ONCE ? kind->allow : question_answer_button(answer);
    question_choice *choice = g_new0(question_choice, 1);
    if (lists_choice(self, answer))
        fail_question(self, "the question's choices are not unique");
    choice->answer = answer;
    choice->text = harmless(text ? text : words, QUESTION_NAME_MAX);
    choice->scope = harmless(scope, QUESTION_VALUE_MAX);
    add_item(self, self->choices, "choices", QUESTION_CHOICES_MAX, choice, valid && choice->text);
}

static gboolean is_id(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "+/=:_.-";
    return text && *text && strlen(text) <= QUESTION_ID_MAX && !text[strspn(text, plain)];
}

void question_add_key(question *self, const char *id, const char *label, const char *type)
{
    question_key *key = g_new0(question_key, 1);
    gboolean wanted = question_kind_traits(self->kind)->replies == QUESTION_ANSWER_KEYS;
    for (guint i = 0; i < self->keys->len; i++)
        if (g_strcmp0(((const question_key *)self->keys->pdata[i])->id, id) == 0)
            fail_question(self, "the question's keys are not unique");
    key->id = g_strdup(id);
    key->label = harmless(label, QUESTION_NAME_MAX);
    key->type = harmless_or_empty(type, QUESTION_LABEL_MAX);
    add_item(self, self->keys, "keys", QUESTION_KEYS_MAX, key, wanted && is_id(id) && key->label);
}

gboolean question_check(const question *self, GError **error)
{
    const question_traits *kind = question_kind_traits(self->kind);
    const char *missing = NULL;
    if (self->invalid) {
        g_propagate_error(error, g_error_copy(self->invalid));
        return FALSE;
    }
    if (kind->of_user && self->box) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                    "a question of this kind cannot be a box's");
        return FALSE;
    }
    if (!self->headline)
        missing = "headline is";
    else if (kind->address_label && !self->address)
        missing = "address is";
    else if (kind->replies == QUESTION_ANSWER_ONCE && self->choices->len == 0)
        missing = "choices are";
    else if (kind->replies == QUESTION_ANSWER_KEYS && self->keys->len == 0)
        missing = "keys are";
    if (missing)
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "the question's %s missing", missing);
    return !missing;
}

gboolean question_allows(const question *self, enum question_answer answer)
{
    enum question_answer replies = question_kind_traits(self->kind)->replies;
    return replies == QUESTION_ANSWER_ONCE ? lists_choice(self, answer) : answer == replies;
}

gboolean question_accepts(const question *self, enum question_answer answer)
{
    switch (answer) {
    case QUESTION_ANSWER_DENY:
    case QUESTION_ANSWER_TIMEOUT:
    case QUESTION_ANSWER_NOBODY:
    case QUESTION_ANSWER_FAILED:
        return TRUE;
    case QUESTION_ANSWER_MUTE:
        return self->mute;
    case QUESTION_ANSWER_NEVER:
        return self->never;
    default:
        return question_allows(self, answer);
    }
}
