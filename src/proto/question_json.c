/* Questions as JSON: what programs send each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text.h"
#include "proto/question.h"

#define VERSION 1

/*
 * The text NAME of OBJECT, a new string; NULL when it is absent or of another type. Escaped here,
 * as a JSON text may contain NUL, which would end the builder's string. The builder then only cuts
 * it.
 */
static char *text_of(const json_t *object, const char *name)
{
    json_t *text = json_object_get(object, name);
    if (!json_is_string(text))
        return NULL;
    return text_safe_max(json_string_value(text), (gssize)json_string_length(text), G_MAXSIZE);
}

static gint64 number_of(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static void read_fact(question *self, const json_t *item,
                      void (*add)(question *, const char *, const char *, const char *,
                                  const char *))
{
    g_autofree char *label = text_of(item, "label"), *value = text_of(item, "value");
    g_autofree char *detail = text_of(item, "detail"), *aside = text_of(item, "aside");
    add(self, label, value, detail, aside);
}

static void read_known(question *self, const json_t *item)
{
    read_fact(self, item, question_add_known);
}

static void read_claim(question *self, const json_t *item)
{
    read_fact(self, item, question_add_claim);
}

static void read_program(question *self, const json_t *item)
{
    g_autofree char *name = text_of(item, "name"), *command = text_of(item, "command");
    question_add_program(self, name, command, number_of(item, "pid"), number_of(item, "host_pid"));
}

static void read_choice(question *self, const json_t *item)
{
    g_autofree char *text = text_of(item, "text"), *scope = text_of(item, "scope");
    enum question_answer answer;
    if (!question_answer_parse(json_string_value(json_object_get(item, "id")), &answer))
        answer = QUESTION_ANSWER_DENY; /* not a choice, so the builder refuses it */
    question_add_choice(self, answer, text ? text : "", scope);
}

static void read_key(question *self, const json_t *item)
{
    g_autofree char *id = text_of(item, "id"), *label = text_of(item, "label");
    g_autofree char *type = text_of(item, "type");
    question_add_key(self, id, label, type);
}

static void read_warning(question *self, const json_t *item)
{
    g_autofree char *text =
        text_safe_max(json_string_value(item), (gssize)json_string_length(item), G_MAXSIZE);
    question_add_warning(self, text);
}

static const struct {
    const char *name, *noun;
    json_type type;
    void (*read)(question *self, const json_t *item);
} lists[] = {
    {"known", "known facts", JSON_OBJECT, read_known},
    {"claimed", "claims", JSON_OBJECT, read_claim},
    {"chain", "programs", JSON_OBJECT, read_program},
    {"warnings", "warnings", JSON_STRING, read_warning},
    {"choices", "choices", JSON_OBJECT, read_choice},
    {"keys", "keys", JSON_OBJECT, read_key},
};

static gboolean fail_json(GError **error, const char *what, const char *problem)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "the question's %s %s", what, problem);
    return FALSE;
}

static gboolean read_lists(question *self, const json_t *root, GError **error)
{
    for (gsize l = 0; l < G_N_ELEMENTS(lists); l++) {
        json_t *list = json_object_get(root, lists[l].name), *item;
        size_t i;
        if (list && !json_is_array(list))
            return fail_json(error, lists[l].noun, "are not a list");
        json_array_foreach (list, i, item) {
            if (json_typeof(item) != lists[l].type)
                return fail_json(error, lists[l].noun, "have an invalid item");
            lists[l].read(self, item);
            if (self->invalid)
                return question_check(self, error);
        }
    }
    return TRUE;
}

/* An invalid colour reads as OTHERWISE. */
static guint32 read_colour(const json_t *box, guint32 otherwise)
{
    const char *text = json_string_value(json_object_get(box, "colour"));
    if (!text || strlen(text) != 7 || text[0] != '#' ||
        strspn(text + 1, "0123456789abcdefABCDEF") != 6)
        return otherwise;
    return (guint32)g_ascii_strtoull(text + 1, NULL, 16);
}

static void read_texts(question *self, const json_t *root, enum question_verdict verdict)
{
    g_autofree char *phrase = text_of(root, "phrase"), *headline = text_of(root, "headline");
    g_autofree char *words = text_of(root, "verdict_text"), *note = text_of(root, "note");
    g_autofree char *address = text_of(root, "address");
    question_set_identity(self, phrase, read_colour(json_object_get(root, "box"), self->colour));
    question_set_headline(self, headline);
    question_set_verdict(self, verdict, words);
    question_set_note(self, note);
    if (question_kind_traits(self->kind)->address_label)
        question_set_address(self, address);
    if (json_is_true(json_object_get(root, "mute")))
        question_offer_mute(self);
    if (json_is_true(json_object_get(root, "never")))
        question_offer_never(self);
    question_set_timeout(self, number_of(root, "timeout"));
}

static gboolean read_kind(const json_t *root, enum question_kind *kind)
{
    const char *word = json_string_value(json_object_get(root, "kind"));
    for (int i = 0; word && i < QUESTION_KIND_COUNT; i++) {
        *kind = (enum question_kind)i;
        if (strcmp(question_kind_traits(*kind)->word, word) == 0)
            return TRUE;
    }
    return FALSE;
}

/* A question without a verdict has none; another type or word is an error. */
static gboolean read_verdict(const json_t *root, enum question_verdict *verdict)
{
    json_t *value = json_object_get(root, "verdict");
    const char *word = json_string_value(value);
    *verdict = QUESTION_VERDICT_NONE;
    for (int i = 0; word && i < QUESTION_VERDICT_COUNT; i++) {
        *verdict = (enum question_verdict)i;
        if (strcmp(question_verdict_word(*verdict), word) == 0)
            return TRUE;
    }
    return !value;
}

static gboolean read_head(const json_t *root, enum question_kind *kind,
                          enum question_verdict *verdict, GError **error)
{
    if (number_of(root, "version") != VERSION)
        return fail_json(error, "version", "is not 1");
    if (!read_kind(root, kind))
        return fail_json(error, "kind", "is unknown");
    return read_verdict(root, verdict) || fail_json(error, "verdict", "is unknown");
}

question *question_from_json(const json_t *root, GError **error)
{
    enum question_kind kind = 0;
    enum question_verdict verdict = 0;
    if (!read_head(root, &kind, &verdict, error))
        return NULL;
    const json_t *box = json_object_get(root, "box");
    g_autofree char *name = text_of(box, "name"), *project = text_of(box, "project");
    g_autoptr(question) self = question_new(kind, name, project);
    read_texts(self, root, verdict);
    if (!read_lists(self, root, error) || !question_check(self, error))
        return NULL;
    return g_steal_pointer(&self);
}

question *question_parse(const char *text, gsize length, GError **error)
{
    if (length > QUESTION_MAX) {
        fail_json(error, "text", "is too long");
        return NULL;
    }
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    question *self = NULL;
    if (json_is_object(root))
        self = question_from_json(root, error);
    else
        fail_json(error, "text", "is not a JSON object");
    json_decref(root);
    return self;
}

question *question_read(int fd, GError **error)
{
    g_autofree char *text = g_malloc(QUESTION_MAX + 1);
    gsize length = 0;
    while (length <= QUESTION_MAX) {
        ssize_t n = read(fd, text + length, QUESTION_MAX + 1 - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "cannot read the question: %s",
                        g_strerror(errno));
            return NULL;
        }
        if (n == 0)
            break;
        length += (gsize)n;
    }
    return question_parse(text, length, error);
}

static void set_text(json_t *object, const char *name, const char *text)
{
    if (text)
        json_object_set_new(object, name, json_string(text));
}

static json_t *facts_to_json(const GPtrArray *facts)
{
    json_t *list = json_array();
    for (guint i = 0; i < facts->len; i++) {
        const question_fact *fact = facts->pdata[i];
        json_t *item = json_object();
        set_text(item, "label", fact->label);
        set_text(item, "value", fact->value);
        set_text(item, "detail", fact->detail);
        set_text(item, "aside", fact->aside);
        json_array_append_new(list, item);
    }
    return list;
}

/* Unknown process IDs are left out. */
static json_t *chain_to_json(const GPtrArray *chain)
{
    json_t *list = json_array();
    for (guint i = 0; i < chain->len; i++) {
        const question_program *program = chain->pdata[i];
        json_t *item = json_object();
        set_text(item, "name", program->name);
        set_text(item, "command", program->command);
        if (program->pid)
            json_object_set_new(item, "pid", json_integer(program->pid));
        if (program->host_pid)
            json_object_set_new(item, "host_pid", json_integer(program->host_pid));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *choices_to_json(const GPtrArray *choices)
{
    json_t *list = json_array();
    for (guint i = 0; i < choices->len; i++) {
        const question_choice *choice = choices->pdata[i];
        json_t *item = json_object();
        set_text(item, "id", question_answer_word(choice->answer));
        set_text(item, "text", choice->text);
        set_text(item, "scope", choice->scope);
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *keys_to_json(const GPtrArray *keys)
{
    json_t *list = json_array();
    for (guint i = 0; i < keys->len; i++) {
        const question_key *key = keys->pdata[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "id", key->id, "label", key->label,
                                              "type", key->type));
    }
    return list;
}

static json_t *warnings_to_json(const GPtrArray *warnings)
{
    json_t *list = json_array();
    for (guint i = 0; i < warnings->len; i++)
        json_array_append_new(list, json_string(warnings->pdata[i]));
    return list;
}

static json_t *box_to_json(const question *self)
{
    char colour[8];
    json_t *box = json_object();
    g_snprintf(colour, sizeof colour, "#%06x", self->colour);
    set_text(box, "name", self->box);
    set_text(box, "project", self->project);
    set_text(box, "colour", colour);
    return box;
}

json_t *question_to_json(const question *self)
{
    json_t *root = json_object();
    json_object_set_new(root, "version", json_integer(VERSION));
    set_text(root, "kind", question_kind_traits(self->kind)->word);
    json_object_set_new(root, "box", box_to_json(self));
    set_text(root, "phrase", self->phrase);
    set_text(root, "headline", self->headline);
    set_text(root, "verdict", question_verdict_word(self->verdict));
    json_object_set_new(root, "verdict_text",
                        self->verdict_text ? json_string(self->verdict_text) : json_null());
    set_text(root, "note", self->note);
    set_text(root, "address", self->address);
    json_object_set_new(root, "known", facts_to_json(self->known));
    json_object_set_new(root, "claimed", facts_to_json(self->claimed));
    json_object_set_new(root, "chain", chain_to_json(self->chain));
    json_object_set_new(root, "warnings", warnings_to_json(self->warnings));
    json_object_set_new(root, "choices", choices_to_json(self->choices));
    if (self->keys->len > 0)
        json_object_set_new(root, "keys", keys_to_json(self->keys));
    json_object_set_new(root, "mute", json_boolean(self->mute));
    if (self->never)
        json_object_set_new(root, "never", json_true());
    json_object_set_new(root, "timeout", json_integer(self->timeout));
    return root;
}

char *question_dump(const question *self, GError **error)
{
    if (!question_check(self, error))
        return NULL;
    json_t *root = question_to_json(self);
    char *dumped = json_dumps(root, JSON_COMPACT);
    g_autofree char *text = g_strdup(dumped);
    free(dumped);
    json_decref(root);
    if (strlen(text) <= QUESTION_MAX)
        return g_steal_pointer(&text);
    fail_json(error, "text", "is too long");
    return NULL;
}
