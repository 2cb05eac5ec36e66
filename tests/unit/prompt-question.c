#include "question.h"

#include <string.h>
#include <unistd.h>

#include "common/error.h"

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
    g_assert_cmpint(self->verdict, ==, VERDICT_NONE);
    g_assert_cmpint(self->timeout, ==, 60);
    g_assert_cmpstr(self->headline, ==, "h");
    g_assert_cmpstr(once->id, ==, "once");
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
    g_assert_cmpint(self->verdict, ==, VERDICT_VERIFIED);
    g_assert_cmpint(self->timeout, ==, 5);
    g_assert_true(self->mute);
    g_assert_cmpstr(known->detail, ==, "d");
    g_assert_cmpstr(claimed->value, ==, "");
    g_assert_null(claimed->detail);
    g_assert_cmpint(program->host_pid, ==, 4312);
    g_assert_cmpstr(self->warnings->pdata[0], ==, "w");
}

/* What is of the wrong type, but not needed, is as good as absent. */
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
        {"", "the question's text is no JSON object"},
        {"[]", "the question's text is no JSON object"},
        {SIGN "} x", "the question's text is no JSON object"},
        {SIGN ",\"mute\":true,\"mute\":false}", "the question's text is no JSON object"},
        {"{\"kind\":\"sign\"}", "the question's version is not 1"},
        {HEAD ",\"kind\":\"Sign\"}", "the question's kind is unknown"},
        {"{\"version\":1,\"kind\":\"sign\"}", "the question's headline is missing"},
        {HEAD ",\"kind\":\"sudo\"}", "the question's choices are missing"},
        {HEAD ",\"kind\":\"keys\"}", "the question's keys are missing"},
        {SIGN ",\"verdict\":\"good\"}", "the question's verdict is unknown"},
        {SIGN ",\"verdict\":true}", "the question's verdict is unknown"},
        {SIGN ",\"known\":{}}", "the question's \"known\" is no list, or too long"},
        {SIGN ",\"known\":[1]}", "the question's \"known\" has a wrong item"},
        {SIGN ",\"known\":[{\"label\":\"a\"}]}", "the question's \"known\" has a wrong item"},
        {SIGN ",\"warnings\":[\"\"]}", "the question's \"warnings\" has a wrong item"},
        {SIGN ",\"warnings\":[\"a\",\"a\",\"a\",\"a\",\"a\"]}",
         "the question's \"warnings\" is no list, or too long"},
        {HEAD ",\"kind\":\"sign\",\"choices\":[{\"id\":\"deny\",\"text\":\"t\"}]}",
         "the question's \"choices\" has a wrong item"},
        {HEAD ",\"kind\":\"sign\",\"choices\":[{\"id\":\"a b\",\"text\":\"t\"}]}",
         "the question's \"choices\" has a wrong item"},
        {HEAD ",\"kind\":\"keys\",\"keys\":[{\"id\":\"a\",\"label\":\"l\"},"
              "{\"id\":\"a\",\"label\":\"m\"}]}",
         "the question's ids are not unique"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        refuse(cases[i].text, strlen(cases[i].text), cases[i].message);
    g_autofree char *large = g_strnfill(QUESTION_MAX + 1, ' ');
    refuse(large, QUESTION_MAX + 1, "the question's text is too long");
    refuse(SIGN "}\0", strlen(SIGN) + 2, "the question's text is no JSON object");
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

/* Of an address nothing is cut: what cannot be shown in full is not asked. */
static void test_address(void)
{
    g_autofree char *most = g_strnfill(QUESTION_ADDRESS_MAX, 'a');
    g_autofree char *asked = g_strdup_printf(OPEN ",\"address\":\"%s\"}", most);
    g_autofree char *more = g_strdup_printf(OPEN ",\"address\":\"%sa\"}", most);
    g_autofree char *hidden = g_strnfill(QUESTION_ADDRESS_MAX, '\177');
    g_autofree char *escaped = g_strdup_printf(OPEN ",\"address\":\"%s\"}", hidden);
    g_autoptr(question) self = parse(asked), again = parse(escaped);

    g_assert_cmpint(self->kind, ==, QUESTION_OPEN);
    g_assert_cmpstr(self->address, ==, most);
    g_assert_cmpuint(strlen(again->address), ==, 4 * QUESTION_ADDRESS_MAX);
    g_assert_null(strstr(again->address, "…"));
    const char *const wrong[] = {OPEN "}", OPEN ",\"address\":\"\"}", OPEN ",\"address\":1}", more};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        refuse(wrong[i], strlen(wrong[i]), "the question's address is missing, or too long");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/prompt-question/least", test_least);
    g_test_add_func("/prompt-question/all", test_all);
    g_test_add_func("/prompt-question/odd", test_odd);
    g_test_add_func("/prompt-question/colour", test_colour);
    g_test_add_func("/prompt-question/escapes", test_escapes);
    g_test_add_func("/prompt-question/refused", test_refused);
    g_test_add_func("/prompt-question/read", test_read);
    g_test_add_func("/prompt-question/address", test_address);
    return g_test_run();
}
