#include "question.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "items.h"

/* Ceilings of texts in bytes, as in items.h. */
#define PATH_MAX_BYTES 120
#define HEADLINE_MAX 140
#define SENTENCE_MAX 200
/* How much longer a text may become when it is made harmless: a byte as \xHH. */
#define QUESTION_TEXT_FACTOR 4
#define TIMEOUT_DEFAULT 60
#define TIMEOUT_MAX 3600
#define COLOUR_DEFAULT 0x5e5c64

static gboolean fail(GError **error, const char *what)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "the question's %s", what);
    return FALSE;
}

/* The index of the text NAME of ROOT in WORDS; -1 for anything else. */
static int read_word(json_t *root, const char *name, const char *const *words)
{
    const char *word = json_string_value(json_object_get(root, name));
    for (int i = 0; word && words[i]; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
    }
    return -1;
}

static guint32 read_colour(json_t *box)
{
    const char *text = json_string_value(json_object_get(box, "colour"));
    if (!text || strlen(text) != 7 || text[0] != '#' ||
        strspn(text + 1, "0123456789abcdefABCDEF") != 6)
        return COLOUR_DEFAULT;
    return g_ascii_strtoull(text + 1, NULL, 16);
}

/* Whoever says yes has to have seen all of it. */
static char *read_address(json_t *root)
{
    json_t *text = json_object_get(root, "address");
    if (!json_is_string(text) || json_string_length(text) > QUESTION_ADDRESS_MAX)
        return NULL;
    return items_text(root, "address", QUESTION_TEXT_FACTOR * QUESTION_ADDRESS_MAX);
}

static void read_texts(question *self, json_t *root)
{
    json_t *box = json_object_get(root, "box");

    self->box = items_text(box, "name", NAME_MAX_BYTES);
    self->project = items_text(box, "project", PATH_MAX_BYTES);
    self->colour = read_colour(box);
    self->phrase = items_text(root, "phrase", NAME_MAX_BYTES);
    self->headline = items_text(root, "headline", HEADLINE_MAX);
    self->verdict_text = items_text(root, "verdict_text", SENTENCE_MAX);
    self->note = items_text(root, "note", SENTENCE_MAX);
    self->address = read_address(root);
    self->mute = json_is_true(json_object_get(root, "mute"));
    self->timeout = items_number(root, "timeout", TIMEOUT_MAX, TIMEOUT_DEFAULT);
}

static gboolean fill(question *self, json_t *root, GError **error)
{
    static const char *const kinds[] = {"sign", "sudo", "password", "keys", "open", NULL};
    static const char *const verdicts[] = {"none", "verified", "unverified", NULL};
    int kind = read_word(root, "kind", kinds), verdict = read_word(root, "verdict", verdicts);

    if (json_integer_value(json_object_get(root, "version")) != 1)
        return fail(error, "version is not 1");
    if (kind < 0)
        return fail(error, "kind is unknown");
    if (verdict < 0 && json_object_get(root, "verdict"))
        return fail(error, "verdict is unknown");
    self->kind = kind;
    self->verdict = MAX(verdict, 0);
    read_texts(self, root);
    if (!self->headline)
        return fail(error, "headline is missing");
    if (!items_read(self, root, error))
        return FALSE;
    if (kind == QUESTION_OPEN && !self->address)
        return fail(error, "address is missing, or too long");
    if (kind != QUESTION_PASSWORD && kind != QUESTION_KEYS && !self->choices->len)
        return fail(error, "choices are missing");
    if (kind == QUESTION_KEYS && !self->keys->len)
        return fail(error, "keys are missing");
    return TRUE;
}

question *question_parse(const char *text, gsize length, GError **error)
{
    json_error_t wrong;
    json_t *root = length <= QUESTION_MAX
                       ? json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &wrong)
                       : NULL;
    if (!json_is_object(root)) {
        json_decref(root);
        fail(error, length > QUESTION_MAX ? "text is too long" : "text is no JSON object");
        return NULL;
    }
    question *self = g_new0(question, 1);
    gboolean good = fill(self, root, error);
    json_decref(root);
    if (good)
        return self;
    question_free(self);
    return NULL;
}

question *question_read(int fd, GError **error)
{
    g_autofree char *text = g_malloc(QUESTION_MAX + 1);
    gsize length = 0;

    while (length <= QUESTION_MAX) {
        ssize_t got = read(fd, text + length, QUESTION_MAX + 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL, "cannot read the question: %s",
                        g_strerror(errno));
            return NULL;
        }
        if (got == 0)
            break;
        length += got;
    }
    return question_parse(text, length, error);
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
    items_free(self);
    g_free(self);
}
