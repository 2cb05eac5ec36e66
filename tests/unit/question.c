/* Questions to the user: the builder, the parser, their limits, and what is shown. */
#include "proto/question.h"

#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "proto/question_view.h"

#define HEAD "{\"version\":1,\"headline\":\"h\""
#define SIGN HEAD ",\"kind\":\"sign\",\"choices\":[{\"id\":\"once\",\"text\":\"Allow once\"}]"

static question *parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    question *self = question_parse(text, strlen(text), &error);
    g_assert_no_error(error);
    return self;
}

static void refuse(const char *text, gsize length, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(question_parse(text, length, &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
    g_assert_cmpstr(error->message, ==, message);
}

static void test_least(void)
{
    g_autoptr(question) self = parse(SIGN "}");
    const question_choice *once = self->choices->pdata[0];

    g_assert_cmpint(self->kind, ==, QUESTION_SIGN);
    g_assert_cmpint(self->verdict, ==, QUESTION_VERDICT_NONE);
    g_assert_cmpint(self->timeout, ==, 60);
    g_assert_cmpstr(self->headline, ==, "h");
    g_assert_cmpint(once->answer, ==, QUESTION_ANSWER_ONCE);
    g_assert_null(once->scope);
    g_assert_null(self->box);
    g_assert_false(self->mute);
    g_assert_cmpuint(self->known->len + self->claimed->len + self->chain->len, ==, 0);
}

static void test_all(void)
{
    g_autoptr(question) self =
        parse(SIGN ",\"box\":{\"name\":\"shop\",\"project\":\"/p\",\"colour\":\"#7A3fb0\"},"
                   "\"phrase\":\"amber otter\",\"verdict\":\"verified\",\"verdict_text\":\"v\","
                   "\"known\":[{\"label\":\"Key\",\"value\":\"work\",\"detail\":\"d\"}],"
                   "\"claimed\":[{\"label\":\"A\",\"value\":\"\"}],"
                   "\"chain\":[{\"name\":\"git\",\"pid\":12,\"host_pid\":4312,\"command\":\"c\"}],"
                   "\"warnings\":[\"w\"],\"note\":\"n\",\"mute\":true,\"timeout\":5}");
    const question_fact *known = self->known->pdata[0], *claimed = self->claimed->pdata[0];
    const question_program *program = self->chain->pdata[0];

    g_assert_cmphex(self->colour, ==, 0x7a3fb0);
    g_assert_cmpint(self->verdict, ==, QUESTION_VERDICT_VERIFIED);
    g_assert_cmpint(self->timeout, ==, 5);
    g_assert_true(self->mute);
    g_assert_cmpstr(known->detail, ==, "d");
    g_assert_cmpstr(claimed->value, ==, "");
    g_assert_null(claimed->detail);
    g_assert_cmpint(program->host_pid, ==, 4312);
    g_assert_cmpstr(self->warnings->pdata[0], ==, "w");
}

/* An optional member of the wrong type counts as absent. */
static void test_odd(void)
{
    g_autoptr(question) self =
        parse(SIGN ",\"box\":[1],\"phrase\":7,\"mute\":1,\"timeout\":-1,\"note\":{},\"known\":[],"
                   "\"chain\":[{\"pid\":-5,\"host_pid\":99999999999}],\"unheard\":{\"of\":1}}");
    const question_program *program = self->chain->pdata[0];

    g_assert_null(self->box);
    g_assert_null(self->phrase);
    g_assert_false(self->mute);
    g_assert_cmpint(self->timeout, ==, 60);
    g_assert_cmpint(program->pid, ==, 0);
    g_assert_cmpint(program->host_pid, ==, 0);
    g_assert_cmpstr(program->name, ==, "");
}

static void test_colour(void)
{
    static const char *const wrong[] = {"red", "#12345", "#1234567", "#12345g", "#-12345", ""};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *text =
            g_strdup_printf(SIGN ",\"box\":{\"name\":\"b\",\"colour\":\"%s\"}}", wrong[i]);
        g_autoptr(question) self = parse(text);
        g_assert_cmphex(self->colour, ==, 0x5e5c64);
    }
}

static void test_escapes(void)
{
    g_autofree char *tall = g_strnfill(3000, 'x');
    g_autofree char *text = g_strdup_printf(
        SIGN
        ",\"phrase\":\"a\\u0000\\u202eb\\n<i>\",\"known\":[{\"label\":\"%s\",\"value\":\"%s\"}],"
        "\"claimed\":[{\"label\":\"l\",\"value\":\"%s\"}]}",
        tall, tall, tall);
    g_autoptr(question) self = parse(text);
    const question_fact *known = self->known->pdata[0], *claimed = self->claimed->pdata[0];

    g_assert_cmpstr(self->phrase, ==, "a\\x00\\u{202e}b\\n<i>");
    g_assert_cmpuint(strlen(known->label), ==, 32);
    g_assert_cmpuint(strlen(known->value), ==, 120);
    g_assert_cmpuint(strlen(claimed->value), ==, 1024);
}

static void test_refused(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "the question's text is not a JSON object"},
        {"[]", "the question's text is not a JSON object"},
        {SIGN "} x", "the question's text is not a JSON object"},
        {SIGN ",\"mute\":true,\"mute\":false}", "the question's text is not a JSON object"},
        {"{\"kind\":\"sign\"}", "the question's version is not 1"},
        {HEAD ",\"kind\":\"Sign\"}", "the question's kind is unknown"},
        {"{\"version\":1,\"kind\":\"sign\"}", "the question's headline is missing"},
        {HEAD ",\"kind\":\"sudo\"}", "the question's choices are missing"},
        {HEAD ",\"kind\":\"keys\"}", "the question's keys are missing"},
        {SIGN ",\"verdict\":\"good\"}", "the question's verdict is unknown"},
        {SIGN ",\"verdict\":true}", "the question's verdict is unknown"},
        {SIGN ",\"known\":{}}", "the question's known facts are not a list"},
        {SIGN ",\"known\":[1]}", "the question's known facts have an invalid item"},
        {SIGN ",\"known\":[{\"label\":\"a\"}]}", "the question's known facts have an invalid item"},
        {SIGN ",\"chain\":[\"a\"]}", "the question's programs have an invalid item"},
        {SIGN ",\"warnings\":[\"\"]}", "the question's warnings have an invalid item"},
        {SIGN ",\"warnings\":[\"a\",\"a\",\"a\",\"a\",\"a\"]}",
         "the question's warnings have more than 4 items"},
        {HEAD ",\"kind\":\"sign\",\"choices\":[{\"id\":\"deny\",\"text\":\"t\"}]}",
         "the question's choices have an invalid item"},
        {HEAD ",\"kind\":\"sign\",\"choices\":[{\"id\":\"a b\",\"text\":\"t\"}]}",
         "the question's choices have an invalid item"},
        {HEAD ",\"kind\":\"sign\",\"choices\":[{\"id\":\"once\"}]}",
         "the question's choices have an invalid item"},
        {HEAD ",\"kind\":\"sign\",\"choices\":[{\"id\":\"once\",\"text\":\"t\"},"
              "{\"id\":\"once\",\"text\":\"u\"}]}",
         "the question's choices are not unique"},
        {HEAD ",\"kind\":\"sudo\",\"choices\":[{\"id\":\"5m\",\"text\":\"t\",\"scope\":\"s\"}]}",
         "the question's choices have an invalid item"},
        {HEAD ",\"kind\":\"keys\",\"choices\":[{\"id\":\"5m\",\"text\":\"t\"}]}",
         "the question's choices have an invalid item"},
        {SIGN ",\"keys\":[{\"id\":\"a\",\"label\":\"l\"}]}",
         "the question's keys have an invalid item"},
        {HEAD ",\"kind\":\"value\",\"choices\":[{\"id\":\"once\",\"text\":\"t\"}]}",
         "the question's address is missing, or too long"},
        {HEAD ",\"kind\":\"value\",\"address\":\"a.test\"}", "the question's choices are missing"},
        {HEAD ",\"kind\":\"value\",\"address\":\"a.test\","
              "\"choices\":[{\"id\":\"5m\",\"text\":\"t\",\"scope\":\"s\"}]}",
         "the question's choices have an invalid item"},
        /* A box, whatever it is called, and a reply that is a value itself. */
        {HEAD ",\"kind\":\"value\",\"box\":{\"name\":\"shop\"},\"address\":\"a.test\","
              "\"choices\":[{\"id\":\"once\",\"text\":\"t\"}]}",
         "a question of this kind cannot be a box's"},
        {HEAD ",\"kind\":\"value\",\"box\":{\"name\":\"\\u0000\"},\"address\":\"a.test\","
              "\"choices\":[{\"id\":\"once\",\"text\":\"t\"}]}",
         "a question of this kind cannot be a box's"},
        {HEAD ",\"kind\":\"keys\",\"keys\":[{\"id\":\"a\\u0000\",\"label\":\"l\"}]}",
         "the question's keys have an invalid item"},
        {HEAD ",\"kind\":\"keys\",\"keys\":[{\"id\":\"a\",\"label\":\"l\"},"
              "{\"id\":\"a\",\"label\":\"m\"}]}",
         "the question's keys are not unique"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        refuse(cases[i].text, strlen(cases[i].text), cases[i].message);
    g_autofree char *large = g_strnfill(QUESTION_MAX + 1, ' ');
    refuse(large, QUESTION_MAX + 1, "the question's text is too long");
    refuse(SIGN "}\0", strlen(SIGN) + 2, "the question's text is not a JSON object");
}

static void test_read(void)
{
    g_autoptr(GError) error = NULL;
    int ends[2];

    g_assert_no_errno(pipe(ends));
    g_assert_cmpint(write(ends[1], SIGN "}", strlen(SIGN) + 1), ==, strlen(SIGN) + 1);
    close(ends[1]);
    g_autoptr(question) self = question_read(ends[0], &error);
    g_assert_no_error(error);
    g_assert_nonnull(self);
    close(ends[0]);
    g_assert_null(question_read(ends[0], &error));
    g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
}

#define OPEN HEAD ",\"kind\":\"open\",\"choices\":[{\"id\":\"once\",\"text\":\"Open\"}]"

/* Nothing of an address is cut: one that cannot be shown in full is refused. */
static void test_address(void)
{
    g_autofree char *most = g_strnfill(QUESTION_ADDRESS_MAX, 'a');
    g_autofree char *asked = g_strdup_printf(OPEN ",\"address\":\"%s\"}", most);
    g_autofree char *more = g_strdup_printf(OPEN ",\"address\":\"%sa\"}", most);
    /* Each of these becomes four bytes when it is escaped. */
    g_autofree char *hidden = g_strnfill(QUESTION_ADDRESS_MAX / 4, '\177');
    g_autofree char *escaped = g_strdup_printf(OPEN ",\"address\":\"%s\"}", hidden);
    g_autofree char *longer = g_strdup_printf(OPEN ",\"address\":\"%s\177\"}", hidden);
    g_autoptr(question) self = parse(asked), again = parse(escaped);

    g_assert_cmpint(self->kind, ==, QUESTION_OPEN);
    g_assert_cmpstr(self->address, ==, most);
    g_assert_cmpuint(strlen(again->address), ==, QUESTION_ADDRESS_MAX);
    g_assert_null(strstr(again->address, "…"));
    const char *const wrong[] = {OPEN "}", OPEN ",\"address\":\"\"}", OPEN ",\"address\":1}", more,
                                 longer};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        refuse(wrong[i], strlen(wrong[i]), "the question's address is missing, or too long");
}

/* A question of KIND with as much in it as a question of that kind may have. */
static question *new_full(enum question_kind kind)
{
    const question_traits *traits = question_kind_traits(kind);
    question *self = question_new(kind, traits->of_user ? NULL : "shop", "/home/u/src/shop");
    question_set_headline(self, "A headline");
    question_set_verdict(self, QUESTION_VERDICT_UNVERIFIED, "a verdict");
    question_set_note(self, "a note");
    question_set_identity(self, "amber otter", 0x7a3fb0);
    question_set_timeout(self, 17);
    question_offer_mute(self);
    question_offer_never(self);
    if (traits->address_label)
        question_set_address(self, "https://example.org/");
    for (int i = 0; i < QUESTION_KNOWN_MAX; i++)
        question_add_known(self, "Key", "work", i ? "SHA256:abc" : NULL, i ? NULL : "RSA");
    for (int i = 0; i < QUESTION_CLAIMED_MAX; i++)
        question_add_claim(self, "Command", "true", NULL, NULL);
    for (int i = 0; i < QUESTION_CHAIN_MAX; i++)
        question_add_program(self, "git", "git push", i, 4000 + i);
    for (int i = 0; i < QUESTION_WARNINGS_MAX; i++)
        question_add_warning(self, "a warning");
    gboolean chosen = traits->replies == QUESTION_ANSWER_ONCE;
    for (int i = 0; chosen && i < QUESTION_ANSWER_COUNT; i++)
        if (question_answer_is_choice((enum question_answer)i))
            question_add_choice(self, (enum question_answer)i, NULL,
                                traits->may_last && i != QUESTION_ANSWER_ONCE ? "a scope" : NULL);
    for (int i = 0; traits->replies == QUESTION_ANSWER_KEYS && i < QUESTION_KEYS_MAX; i++) {
        g_autofree char *id = g_strdup_printf("SHA256:%d", i);
        question_add_key(self, id, "work", "ED25519");
    }
    return self;
}

/* Each kind survives the round trip from builder to parser. */
static void test_round_trip(void)
{
    for (int kind = 0; kind < QUESTION_KIND_COUNT; kind++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(question) built = new_full((enum question_kind)kind);
        g_autofree char *text = question_dump(built, &error);
        g_assert_no_error(error);
        g_autoptr(question) parsed = parse(text);
        g_autofree char *again = question_dump(parsed, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(again, ==, text);
        g_assert_cmpint(parsed->kind, ==, kind);
        g_assert_cmphex(parsed->colour, ==, 0x7a3fb0);
        g_assert_cmpint(parsed->timeout, ==, 17);
        g_assert_true(parsed->mute == question_kind_traits((enum question_kind)kind)->may_mute);
        g_assert_cmpuint(parsed->choices->len, ==, built->choices->len);
    }
}

/* Each kind has its words, and no two have the same. */
static void test_kinds(void)
{
    g_autoptr(GHashTable) words = g_hash_table_new(g_str_hash, g_str_equal);
    for (int kind = 0; kind < QUESTION_KIND_COUNT; kind++) {
        const question_traits *traits = question_kind_traits((enum question_kind)kind);
        g_assert_true(traits->word && traits->allow && traits->deny);
        g_assert_true(g_hash_table_add(words, (char *)traits->word));
        /* A client that gets "nobody" back must be able to ask on its terminal. */
        g_assert_false(traits->waits_for_user && traits->terminal);
        /* No terminal can give what a window gives, and its refusal says why. */
        g_assert_true(!traits->gives || (!traits->terminal && traits->gives_why));
        g_assert_true(!traits->address_label == !traits->address_hint);
    }
}

static void add_one(question *self, gsize list)
{
    g_autofree char *id = g_strdup_printf("SHA256:%u", self->keys->len);
    switch (list) {
    case 0:
        question_add_known(self, "a", "b", NULL, NULL);
        break;
    case 1:
        question_add_claim(self, "a", "b", NULL, NULL);
        break;
    case 2:
        question_add_program(self, "a", "b", 1, 2);
        break;
    case 3:
        question_add_warning(self, "a");
        break;
    default:
        question_add_key(self, id, "a", "b");
    }
}

static void test_lists_are_bounded(void)
{
    static const guint limits[] = {QUESTION_KNOWN_MAX, QUESTION_CLAIMED_MAX, QUESTION_CHAIN_MAX,
                                   QUESTION_WARNINGS_MAX, QUESTION_KEYS_MAX};
    for (gsize list = 0; list < G_N_ELEMENTS(limits); list++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(question) self = question_new(QUESTION_KEYS, "shop", NULL);
        question_set_headline(self, "h");
        question_add_key(self, "SHA256:first", "a", "b");
        for (guint i = list == 4 ? 1 : 0; i < limits[list]; i++)
            add_one(self, list);
        g_assert_true(question_check(self, &error));
        g_assert_no_error(error);
        add_one(self, list);
        g_assert_false(question_check(self, &error));
        g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
        g_assert_null(question_dump(self, NULL));
    }
}

static void test_texts_are_cut(void)
{
    g_autofree char *tall = g_strnfill(3000, 'x');
    g_autoptr(question) self = question_new(QUESTION_SIGN, tall, tall);
    question_set_headline(self, tall);
    question_set_verdict(self, QUESTION_VERDICT_NONE, tall);
    question_set_note(self, tall);
    question_set_identity(self, tall, 0);
    question_add_known(self, tall, tall, tall, tall);
    question_add_claim(self, tall, tall, tall, tall);
    question_add_program(self, tall, tall, 0, 0);
    question_add_warning(self, tall);
    question_add_choice(self, QUESTION_ANSWER_ONCE, tall, tall);
    const question_fact *known = self->known->pdata[0], *claim = self->claimed->pdata[0];
    const question_program *program = self->chain->pdata[0];
    const question_choice *choice = self->choices->pdata[0];
    const struct {
        const char *text;
        gsize length;
    } texts[] = {
        {self->box, 64},
        {self->project, 120},
        {self->headline, 140},
        {self->verdict_text, 200},
        {self->note, 200},
        {self->phrase, 64},
        {known->label, 32},
        {known->value, 120},
        {known->detail, 120},
        {known->aside, 32},
        {claim->value, 1024},
        {claim->detail, 1024},
        {program->name, 64},
        {program->command, 1024},
        {choice->text, 64},
        {choice->scope, 120},
        {self->warnings->pdata[0], 200},
    };
    g_assert_true(question_check(self, NULL));
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        g_assert_cmpuint(strlen(texts[i].text), ==, texts[i].length);
    g_autofree char *long_id = g_strnfill(QUESTION_ID_MAX + 1, 'x');
    g_autoptr(question) keys = question_new(QUESTION_KEYS, "shop", NULL);
    question_set_headline(keys, "h");
    question_add_key(keys, long_id, "a", "b");
    g_assert_false(question_check(keys, NULL));
}

/* A question whose JSON no receiver would read is not sent. */
static void test_dump_is_bounded(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *quotes = g_strnfill(QUESTION_CLAIM_MAX, '"');
    g_autoptr(question) self = question_new(QUESTION_SUDO, "shop", NULL);
    question_set_headline(self, "h");
    question_add_choice(self, QUESTION_ANSWER_ONCE, NULL, NULL);
    for (int i = 0; i < QUESTION_CLAIMED_MAX; i++)
        question_add_claim(self, "a", quotes, quotes, NULL);
    g_assert_true(question_check(self, NULL));
    g_assert_null(question_dump(self, &error));
    g_assert_cmpstr(error->message, ==, "the question's text is too long");
}

static void test_accepts(void)
{
    for (int kind = 0; kind < QUESTION_KIND_COUNT; kind++) {
        g_autoptr(question) self = question_new((enum question_kind)kind, "shop", NULL);
        const question_traits *traits = question_kind_traits(self->kind);
        gboolean choices = traits->replies == QUESTION_ANSWER_ONCE;
        question_add_choice(self, QUESTION_ANSWER_ONCE, NULL, NULL);
        for (int i = 0; i < QUESTION_ANSWER_COUNT; i++) {
            enum question_answer answer = (enum question_answer)i;
            gboolean allows = choices ? answer == QUESTION_ANSWER_ONCE : answer == traits->replies;
            gboolean refuses = answer == QUESTION_ANSWER_DENY ||
                               answer == QUESTION_ANSWER_TIMEOUT ||
                               answer == QUESTION_ANSWER_NOBODY || answer == QUESTION_ANSWER_FAILED;
            g_assert_true(question_allows(self, answer) == allows);
            g_assert_true(question_accepts(self, answer) == (allows || refuses));
        }
        question_offer_mute(self);
        g_assert_true(question_accepts(self, QUESTION_ANSWER_MUTE) == traits->may_mute);
    }
}

static void test_answer_words(void)
{
    enum question_answer answer;
    for (int i = 0; i < QUESTION_ANSWER_COUNT; i++) {
        g_assert_true(
            question_answer_parse(question_answer_word((enum question_answer)i), &answer));
        g_assert_cmpint(answer, ==, i);
    }
    g_assert_false(question_answer_parse("", &answer));
    g_assert_false(question_answer_parse("Once", &answer));
    g_assert_false(question_answer_parse(NULL, &answer));
}

static enum question_answer answer_of(const char *line)
{
    g_auto(question_reply) reply;
    question_reply_parse(&reply, line, strlen(line));
    return reply.answer;
}

static void test_replies(void)
{
    static const char *const failed[] = {
        "",
        "once",
        "[]",
        "{}",
        "{\"answer\":1}",
        "{\"answer\":\"yes\"}",
        "{\"answer\":\"once\"} x",
        "{\"answer\":\"deny\",\"answer\":\"once\"}",
        /* Answers that are the agent's own. */
        "{\"answer\":\"nobody\"}",
        "{\"answer\":\"again\"}",
        /* Answers without their part. */
        "{\"answer\":\"password\"}",
        "{\"answer\":\"password\",\"password\":1}",
        "{\"answer\":\"keys\",\"keys\":{}}",
        "{\"answer\":\"keys\",\"keys\":[1]}",
        /* A value is no answer: it goes through a pipe. */
        "{\"answer\":\"value\",\"value\":\"v\"}",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(failed); i++)
        g_assert_cmpint(answer_of(failed[i]), ==, QUESTION_ANSWER_FAILED);
    g_assert_cmpint(answer_of("{\"answer\":\"once\"}\n"), ==, QUESTION_ANSWER_ONCE);
    g_assert_cmpint(answer_of("{\"answer\":\"mute\"}\n"), ==, QUESTION_ANSWER_MUTE);

    g_auto(question_reply) password, keys;
    static const char typed[] = "{\"answer\":\"password\",\"password\":\"p\\\"w\",\"keys\":[]}";
    question_reply_parse(&password, typed, strlen(typed));
    g_assert_cmpstr(password.password, ==, "p\"w");
    g_assert_null(password.keys);
    static const char chosen[] = "{\"answer\":\"keys\",\"keys\":[\"a\",\"b\"]}";
    question_reply_parse(&keys, chosen, strlen(chosen));
    g_assert_cmpuint(keys.keys->len, ==, 2);
    g_assert_cmpstr(keys.keys->pdata[1], ==, "b");
}

/* Only a whole line with exit status 0 is an answer. */
static void test_prompt_output(void)
{
    static const char line[] = "{\"answer\":\"once\"}\n";
    for (int status = 0; status < 256; status++) {
        g_autofree char *output = g_strdup_printf("%s..", line);
        gsize length = strlen(output);
        g_auto(question_reply) reply;
        output[length - 2] = '\0';
        output[length - 1] = (char)status;
        g_assert_cmpint(question_reply_parse_output(&reply, output, length), ==, status);
        g_assert_true((reply.answer == QUESTION_ANSWER_ONCE) == (status == 0));
    }
    g_auto(question_reply) cut;
    g_assert_cmpint(question_reply_parse_output(&cut, line, strlen(line)), ==, 255);
    g_assert_cmpint(cut.answer, ==, QUESTION_ANSWER_FAILED);
}

/* A terminal shows all that a window shows, in the same order. */
static void test_describe(void)
{
    for (int kind = 0; kind < QUESTION_KIND_COUNT; kind++) {
        g_autoptr(question) self = new_full((enum question_kind)kind);
        g_autoptr(GPtrArray) sections = question_sections(self);
        g_autofree char *text = question_describe(self);
        const question_traits *traits = question_kind_traits(self->kind);
        const char *at = strstr(text, "Not verified: a verdict\n");
        g_assert_true(g_str_has_prefix(text, "  Box        shop  /home/u/src/shop\n") !=
                      traits->of_user);
        for (guint i = 0; i < sections->len; i++) {
            const question_section *section = sections->pdata[i];
            for (guint f = 0; f < section->facts->len; f++) {
                const question_fact *fact = section->facts->pdata[f];
                g_assert_nonnull(at);
                at = strstr(at + 1, fact->value);
            }
        }
        g_assert_nonnull(at);
        g_autofree char *address =
            g_strdup_printf("  %-10s https://example.org/\n",
                            traits->address_label ? traits->address_label : "Address");
        g_assert_true((strstr(text, address) != NULL) == (traits->address_label != NULL));
    }
}

/* No text fills a line with blanks, so that its rest would look like another line. */
static void test_blanks(void)
{
    g_autoptr(question) self = question_new(QUESTION_SIGN, "shop", "/home/u/shop");
    question_set_headline(self, "Sign");
    question_add_known(self, "User", "a   b c", "d  e", NULL);
    question_add_claim(self, "Command", "  x", NULL, NULL);
    question_add_choice(self, QUESTION_ANSWER_ONCE, NULL, NULL);
    g_autofree char *text = question_describe(self);
    g_assert_nonnull(strstr(text, "    User       a \\x20\\x20b c  d \\x20e\n"));
    g_assert_nonnull(strstr(text, "    Command     \\x20x\n"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/question/least", test_least);
    g_test_add_func("/question/all", test_all);
    g_test_add_func("/question/odd", test_odd);
    g_test_add_func("/question/colour", test_colour);
    g_test_add_func("/question/escapes", test_escapes);
    g_test_add_func("/question/refused", test_refused);
    g_test_add_func("/question/read", test_read);
    g_test_add_func("/question/address", test_address);
    g_test_add_func("/question/round-trip", test_round_trip);
    g_test_add_func("/question/kinds", test_kinds);
    g_test_add_func("/question/lists-are-bounded", test_lists_are_bounded);
    g_test_add_func("/question/texts-are-cut", test_texts_are_cut);
    g_test_add_func("/question/dump-is-bounded", test_dump_is_bounded);
    g_test_add_func("/question/accepts", test_accepts);
    g_test_add_func("/question/answer-words", test_answer_words);
    g_test_add_func("/question/replies", test_replies);
    g_test_add_func("/question/prompt-output", test_prompt_output);
    g_test_add_func("/question/describe", test_describe);
    g_test_add_func("/question/blanks", test_blanks);
    return g_test_run();
}
