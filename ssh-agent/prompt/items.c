#include "items.h"

#include <string.h>

#include "common/error.h"
#include "common/text.h"

/* Ceilings of texts in bytes, as in items.h. */
#define LABEL_MAX 32
#define VALUE_MAX 120
#define CLAIM_MAX 1024
#define WARNING_MAX 200
#define ID_MAX 128

char *items_text(json_t *object, const char *name, gsize max)
{
    json_t *text = json_object_get(object, name);
    if (!json_is_string(text) || !json_string_length(text))
        return NULL;
    return text_safe_max(json_string_value(text), json_string_length(text), max);
}

static char *take_or_empty(json_t *object, const char *name, gsize max)
{
    char *text = items_text(object, name, max);
    return text ? text : g_strdup("");
}

/* An identifier goes back as it came, so it is plain or nothing. */
static char *take_id(json_t *object)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "+/=:_.-";
    json_t *text = json_object_get(object, "id");
    const char *id = json_string_value(text);

    if (!id || !*id || json_string_length(text) > ID_MAX ||
        strspn(id, plain) != json_string_length(text))
        return NULL;
    return g_strdup(id);
}

gint64 items_number(json_t *object, const char *name, gint64 max, gint64 otherwise)
{
    json_t *number = json_object_get(object, name);
    gint64 value = json_integer_value(number);
    return json_is_integer(number) && value > 0 && value <= max ? value : otherwise;
}

/* Choices and keys are three texts each, and a fact begins with three. */
#define TEXTS 3
G_STATIC_ASSERT(G_STRUCT_OFFSET(question_fact, aside) == TEXTS * sizeof(char *));
G_STATIC_ASSERT(sizeof(question_choice) == TEXTS * sizeof(char *));
G_STATIC_ASSERT(sizeof(question_key) == TEXTS * sizeof(char *));

static void texts_free(gpointer data)
{
    char **texts = data;
    for (int i = 0; i < TEXTS; i++)
        g_free(texts[i]);
    g_free(texts);
}

static void fact_free(gpointer data)
{
    g_free(((question_fact *)data)->aside);
    texts_free(data);
}

static gpointer fact_read(json_t *item, gsize max)
{
    question_fact *fact = g_new0(question_fact, 1);
    fact->label = items_text(item, "label", LABEL_MAX);
    fact->value = items_text(item, "value", max);
    fact->aside = items_text(item, "aside", LABEL_MAX);
    fact->detail = items_text(item, "detail", max);
    if (fact->label && (fact->value || json_is_string(json_object_get(item, "value")))) {
        fact->value = fact->value ? fact->value : g_strdup("");
        return fact;
    }
    fact_free(fact);
    return NULL;
}

static gpointer known_read(json_t *item)
{
    return fact_read(item, VALUE_MAX);
}

static gpointer claim_read(json_t *item)
{
    return fact_read(item, CLAIM_MAX);
}

static void program_free(gpointer data)
{
    question_program *program = data;
    g_free(program->name);
    g_free(program->command);
    g_free(program);
}

static gpointer program_read(json_t *item)
{
    if (!json_is_object(item))
        return NULL;
    question_program *program = g_new0(question_program, 1);
    program->name = take_or_empty(item, "name", NAME_MAX_BYTES);
    program->command = take_or_empty(item, "command", CLAIM_MAX);
    program->pid = items_number(item, "pid", G_MAXINT32, 0);
    program->host_pid = items_number(item, "host_pid", G_MAXINT32, 0);
    return program;
}

static gpointer warning_read(json_t *item)
{
    if (!json_is_string(item) || !json_string_length(item))
        return NULL;
    return text_safe_max(json_string_value(item), json_string_length(item), WARNING_MAX);
}

static gpointer choice_read(json_t *item)
{
    static const char *const reserved[] = {"deny", "mute", "timeout", "password", "keys", NULL};
    question_choice *choice = g_new0(question_choice, 1);
    choice->id = take_id(item);
    choice->text = items_text(item, "text", NAME_MAX_BYTES);
    choice->scope = items_text(item, "scope", VALUE_MAX);
    if (choice->id && choice->text && !g_strv_contains(reserved, choice->id))
        return choice;
    texts_free(choice);
    return NULL;
}

static gpointer key_read(json_t *item)
{
    question_key *key = g_new0(question_key, 1);
    key->id = take_id(item);
    key->label = items_text(item, "label", NAME_MAX_BYTES);
    key->type = take_or_empty(item, "type", LABEL_MAX);
    if (key->id && key->label)
        return key;
    texts_free(key);
    return NULL;
}

/* One row a list of the question. */
static const struct {
    const char *name;
    gsize max;
    gsize field;
    gpointer (*read)(json_t *item); /* NULL: not valid */
    GDestroyNotify free;
} lists[] = {
    {"known", QUESTION_KNOWN_MAX, G_STRUCT_OFFSET(question, known), known_read, fact_free},
    {"claimed", QUESTION_CLAIMED_MAX, G_STRUCT_OFFSET(question, claimed), claim_read, fact_free},
    {"chain", QUESTION_CHAIN_MAX, G_STRUCT_OFFSET(question, chain), program_read, program_free},
    {"warnings", QUESTION_WARNINGS_MAX, G_STRUCT_OFFSET(question, warnings), warning_read, g_free},
    {"choices", QUESTION_CHOICES_MAX, G_STRUCT_OFFSET(question, choices), choice_read, texts_free},
    {"keys", QUESTION_KEYS_MAX, G_STRUCT_OFFSET(question, keys), key_read, texts_free},
};

static gboolean fail(GError **error, gsize row, const char *what)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "the question's \"%s\" %s", lists[row].name,
                what);
    return FALSE;
}

static gboolean read_list(question *self, json_t *root, gsize row, GError **error)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(lists[row].free);
    json_t *from = json_object_get(root, lists[row].name), *item;
    gsize i;

    G_STRUCT_MEMBER(GPtrArray *, self, lists[row].field) = list;
    if (from && (!json_is_array(from) || json_array_size(from) > lists[row].max))
        return fail(error, row, "is no list, or too long");
    json_array_foreach (from, i, item) {
        gpointer one = lists[row].read(item);
        if (!one)
            return fail(error, row, "has a wrong item");
        g_ptr_array_add(list, one);
    }
    return TRUE;
}

static gboolean ids_are_unique(const GPtrArray *list)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    /* Both kinds of items that have one begin with their id. */
    G_STATIC_ASSERT(G_STRUCT_OFFSET(question_choice, id) == 0);
    G_STATIC_ASSERT(G_STRUCT_OFFSET(question_key, id) == 0);
    for (guint i = 0; i < list->len; i++) {
        if (!g_hash_table_add(seen, *(char **)g_ptr_array_index(list, i)))
            return FALSE;
    }
    return TRUE;
}

gboolean items_read(question *self, json_t *root, GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
        if (!read_list(self, root, i, error))
            return FALSE;
    }
    if (ids_are_unique(self->choices) && ids_are_unique(self->keys))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "the question's ids are not unique");
    return FALSE;
}

void items_free(question *self)
{
    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
        GPtrArray *list = G_STRUCT_MEMBER(GPtrArray *, self, lists[i].field);
        if (list)
            g_ptr_array_unref(list);
    }
}
