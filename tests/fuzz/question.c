/*
 * Fuzzes the parser of questions to the user. An accepted question must be safe to show, within its
 * limits, and possible to answer; and another program that receives it must get the same question.
 */
#include <stdint.h>
#include <string.h>

#include "common/text.h"
#include "proto/question_view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Escaping safe text again must not change it. */
static void check_shown(const char *text)
{
    if (!text)
        return;
    g_autofree char *again = text_safe_max(text, -1, strlen(text) + 16);
    g_assert_cmpstr(again, ==, text);
    g_assert_cmpuint(strlen(text), <=, TEXT_SAFE_MAX);
}

static void check_id(const char *id)
{
    g_assert_nonnull(id);
    for (; *id; id++)
        g_assert_true(g_ascii_isgraph(*id) && *id != '"' && *id != '\\');
}

static void check_facts(const GPtrArray *list, gsize max)
{
    g_assert_cmpuint(list->len, <=, max);
    for (guint i = 0; i < list->len; i++) {
        const question_fact *fact = g_ptr_array_index(list, i);
        g_assert_true(fact->label && fact->value);
        check_shown(fact->label);
        check_shown(fact->value);
        check_shown(fact->aside);
        check_shown(fact->detail);
    }
}

static void check_chain(const GPtrArray *chain)
{
    g_assert_cmpuint(chain->len, <=, QUESTION_CHAIN_MAX);
    for (guint i = 0; i < chain->len; i++) {
        const question_program *program = g_ptr_array_index(chain, i);
        g_assert_true(program->pid >= 0 && program->host_pid >= 0);
        check_shown(program->name);
        check_shown(program->command);
    }
}

static void check_choices(const question *self)
{
    g_assert_cmpuint(self->choices->len, <=, QUESTION_CHOICES_MAX);
    for (guint i = 0; i < self->choices->len; i++) {
        const question_choice *choice = g_ptr_array_index(self->choices, i);
        g_assert_true(question_answer_is_choice(choice->answer));
        g_assert_true(question_allows(self, choice->answer));
        check_shown(choice->text);
        check_shown(choice->scope);
    }
    g_assert_cmpuint(self->keys->len, <=, QUESTION_KEYS_MAX);
    for (guint i = 0; i < self->keys->len; i++) {
        const question_key *key = g_ptr_array_index(self->keys, i);
        check_id(key->id);
        check_shown(key->label);
        check_shown(key->type);
    }
}

static void check(const question *self)
{
    const char *const texts[] = {self->box,      self->project,      self->phrase,
                                 self->headline, self->verdict_text, self->note};

    /* Only the address, which is never cut, may be longer than TEXT_SAFE_MAX. */
    g_assert_true(!question_kind_traits(self->kind)->address_label || self->address);
    g_assert_false(question_kind_traits(self->kind)->of_user && self->box);
    g_assert_false(question_allows(self, QUESTION_ANSWER_NEVER));
    g_assert_true(!self->address || strlen(self->address) <= QUESTION_ADDRESS_MAX);
    g_assert_nonnull(self->headline);
    g_assert_true(self->timeout > 0 && self->colour <= 0xFFFFFF);
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        check_shown(texts[i]);
    for (guint i = 0; i < self->warnings->len; i++)
        check_shown(g_ptr_array_index(self->warnings, i));
    check_facts(self->known, QUESTION_KNOWN_MAX);
    check_facts(self->claimed, QUESTION_CLAIMED_MAX);
    check_chain(self->chain);
    check_choices(self);
}

static void check_round_trip(const question *self)
{
    g_autofree char *text = question_dump(self, NULL);
    if (!text)
        return;
    g_autoptr(question) again = question_parse(text, strlen(text), NULL);
    g_assert_nonnull(again);
    g_autofree char *dumped = question_dump(again, NULL);
    g_assert_cmpstr(dumped, ==, text);
}

/* No control character of a question reaches the terminal. */
static void check_terminal(const question *self)
{
    g_autofree char *text = question_describe(self);
    for (const char *c = text; *c; c = g_utf8_next_char(c))
        g_assert_true(*c == '\n' || text_safe_char(g_utf8_get_char(c)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(question) asked = question_parse((const char *)data, size, &error);

    g_assert_true(!asked == !!error);
    if (asked) {
        check(asked);
        check_round_trip(asked);
        check_terminal(asked);
    }
    return 0;
}
