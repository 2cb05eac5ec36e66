/* Which names the user is asked about, and the question that crosses processes. */
#include <glib.h>
#include <string.h>

#include "host/gate-asker/host_question.h"
#include "host/gate/ask_table.h"

static enum ask_verdict add(struct ask_table *self, const char *name, uint16_t port, int64_t now,
                            struct ask_entry **entry)
{
    *entry = NULL;
    return ask_table_add(self, name, port, now, entry);
}

static void one_question_a_name_and_port(void)
{
    struct ask_table self = {0};
    struct ask_entry *first, *again, *port, *name;
    g_assert_cmpint(add(&self, "a.example.com", 443, 1, &first), ==, ASK_BEGIN);
    g_assert_cmpint(add(&self, "a.example.com", 443, 1, &again), ==, ASK_JOIN);
    g_assert_true(first == again && first->waiting == 2);
    g_assert_cmpint(add(&self, "a.example.com", 80, 1, &port), ==, ASK_BEGIN);
    g_assert_cmpint(add(&self, "b.example.com", 443, 1, &name), ==, ASK_BEGIN);
    g_assert_true(port != first && name != first && name != port);
    /* The queue is full for other names, not for these. */
    g_assert_cmpint(add(&self, "c.example.com", 443, 1, &again), ==, ASK_TOO_MANY);
    g_assert_cmpint(add(&self, "b.example.com", 443, 1, &again), ==, ASK_JOIN);
    ask_table_end(&self, first, GATE_ONCE, 2);
    g_assert_cmpuint(self.open, ==, 2);
    g_assert_cmpuint(self.waiting, ==, 3);
    /* Once is once. */
    g_assert_cmpint(add(&self, "a.example.com", 443, 2, &again), ==, ASK_BEGIN);
}

static void a_refusal_counts_for_a_while(void)
{
    struct ask_table self = {0};
    struct ask_entry *entry, *other;
    g_assert_cmpint(add(&self, "a.example.com", 443, 1, &entry), ==, ASK_BEGIN);
    ask_table_end(&self, entry, GATE_DENIED, 10);
    g_assert_cmpint(add(&self, "a.example.com", 443, 9 + ASK_REFUSED_MS, &other), ==, ASK_RECENT);
    g_assert_cmpint(other->why, ==, GATE_DENIED);
    g_assert_cmpint(add(&self, "a.example.com", 80, 9 + ASK_REFUSED_MS, &other), ==, ASK_BEGIN);
    /* Where nobody could be asked, the next one asks. */
    ask_table_end(&self, other, GATE_UNANSWERED, 9 + ASK_REFUSED_MS);
    g_assert_cmpint(add(&self, "a.example.com", 80, 9 + ASK_REFUSED_MS, &other), ==, ASK_BEGIN);
    g_assert_cmpint(add(&self, "a.example.com", 443, 10 + ASK_REFUSED_MS, &other), ==, ASK_BEGIN);
}

static void a_flood_of_names_is_bounded(void)
{
    struct ask_table self = {0};
    struct ask_entry *entry;
    int64_t now = 1;
    int asked = 0;
    for (int i = 0; i < 1000; i++) {
        g_autofree char *name = g_strdup_printf("n%d.example.com", i);
        if (add(&self, name, 443, now, &entry) != ASK_BEGIN)
            continue;
        asked++;
        ask_table_end(&self, entry, GATE_DENIED, now);
    }
    g_assert_cmpint(asked, ==, ASK_BURST);
    g_assert_cmpint(add(&self, "late.example.com", 443, now + ASK_REFILL_MS, &entry), ==,
                    ASK_BEGIN);
    g_assert_cmpint(add(&self, "later.example.com", 443, now + ASK_REFILL_MS, &entry), ==,
                    ASK_TOO_OFTEN);
    g_assert_cmpuint(self.waiting, ==, 1);
}

static void waiting_connections_are_bounded(void)
{
    struct ask_table self = {0};
    struct ask_entry *entry = NULL, *other;
    for (unsigned i = 0; i < ASK_WAITING_MAX; i++)
        g_assert_cmpint(add(&self, "a.example.com", 443, 1, &entry), ==, i ? ASK_JOIN : ASK_BEGIN);
    g_assert_cmpint(add(&self, "a.example.com", 443, 1, &other), ==, ASK_TOO_MANY);
    ask_table_leave(&self, entry);
    g_assert_cmpint(add(&self, "a.example.com", 443, 1, &other), ==, ASK_JOIN);
    ask_table_end(&self, entry, GATE_LATE, 1);
    g_assert_cmpuint(self.waiting, ==, 0);
}

static void questions_are_parsed_strictly(void)
{
    static const char *const wrong[] = {
        "",
        "a.example.com",
        "a.example.com 443 198.18.0.1",
        "a.example.com 443 198.18.0.1 4711 ",
        " a.example.com 443 198.18.0.1 4711",
        "a.example.com  443 198.18.0.1 4711",
        "a.example.com +443 198.18.0.1 4711",
        "a.example.com 0443 198.18.0.1 4711",
        "a.example.com 0 198.18.0.1 4711",
        "a.example.com 65979 198.18.0.1 4711",
        "a.example.com 443 198.18.1 4711",
        "a.example.com 443 198.18.0.1 -1",
        "A.example.com 443 198.18.0.1 4711",
        "a.example.com. 443 198.18.0.1 4711",
        "localhost 443 198.18.0.1 4711",
        "host.box.internal 443 198.18.0.1 4711",
        "127.0.0.1 443 198.18.0.1 4711",
        "a.example.com\n 443 198.18.0.1 4711",
    };
    const struct gate_question asked = {"a.example.com", 443, 0xc6120001, 4711};
    struct gate_question parsed;
    char text[GATE_QUESTION_SIZE];
    gate_question_write(&asked, text);
    g_assert_cmpstr(text, ==, "a.example.com 443 198.18.0.1 4711");
    g_assert_cmpint(gate_question_parse(text, strlen(text), &parsed), ==, 0);
    g_assert_cmpstr(parsed.name, ==, asked.name);
    g_assert_true(parsed.port == 443 && parsed.from == 0xc6120001 && parsed.from_port == 4711);
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        if (gate_question_parse(wrong[i], strlen(wrong[i]), &parsed) == 0)
            g_error("accepted: '%s'", wrong[i]);
    g_assert_cmpint(gate_question_parse("a.example.com\0 443 198.18.0.1 1", 32, &parsed), ==, -1);
}

static question *asked_about(const char *name, uint16_t port)
{
    const struct box about = {.name = (char *)"shop", .project = (char *)"/home/u/src/shop"};
    struct gate_question asked = {.port = port};
    g_strlcpy(asked.name, name, sizeof asked.name);
    return host_question_new(&about, &asked, 0, 0, FALSE);
}

static void the_name_is_shown_in_full(void)
{
    g_autoptr(GString) name = g_string_new(NULL);
    while (name->len < HOST_NAME_SIZE - 12)
        g_string_append(name, "abcdefgh.");
    g_string_append(name, "com");
    g_autoptr(question) self = asked_about(name->str, 8080);
    g_autofree char *address = g_strconcat(name->str, ":8080", NULL);
    g_assert_true(question_check(self, NULL));
    g_assert_cmpstr(self->address, ==, address);
    g_assert_cmpuint(self->warnings->len, ==, 1);
    g_assert_cmpstr(((const question_fact *)self->known->pdata[0])->value, ==, "8080");
    g_assert_cmpstr(((const question_fact *)self->known->pdata[0])->aside, ==, "any protocol");
    g_assert_cmpstr(((const question_fact *)self->known->pdata[1])->value, ==, "not found");
    g_assert_true(self->never && !self->mute);
}

static void punycode_is_marked(void)
{
    /* "pаypal.com" with a Cyrillic letter. */
    g_autoptr(question) self = asked_about("xn--pypal-4ve.com", 443);
    g_assert_cmpstr(self->address, ==, "xn--pypal-4ve.com:443");
    const question_fact *reads = self->known->pdata[1];
    g_assert_cmpstr(reads->label, ==, "Reads as");
    g_assert_cmpstr(reads->value, ==, "p\xd0\xb0ypal.com");
    g_assert_nonnull(strstr(self->warnings->pdata[0], "Latin, Cyrillic"));
}

static void a_lasting_answer_is_for_one_port(void)
{
    const struct gate_question https = {"a.example.com", 443, 0, 0};
    const struct gate_question other = {"a.example.com", 8443, 0, 0};
    g_autofree char *allow = host_question_rule(&https, FALSE);
    g_autofree char *deny = host_question_rule(&https, TRUE);
    g_autofree char *port = host_question_rule(&other, FALSE);
    g_assert_cmpstr(allow, ==, "allow a.example.com");
    g_assert_cmpstr(deny, ==, "deny a.example.com:443");
    g_assert_cmpstr(port, ==, "allow a.example.com:8443");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gate-ask/one-question", one_question_a_name_and_port);
    g_test_add_func("/gate-ask/refusal", a_refusal_counts_for_a_while);
    g_test_add_func("/gate-ask/flood", a_flood_of_names_is_bounded);
    g_test_add_func("/gate-ask/waiting", waiting_connections_are_bounded);
    g_test_add_func("/gate-ask/strict", questions_are_parsed_strictly);
    g_test_add_func("/gate-ask/full-name", the_name_is_shown_in_full);
    g_test_add_func("/gate-ask/punycode", punycode_is_marked);
    g_test_add_func("/gate-ask/rule", a_lasting_answer_is_for_one_port);
    return g_test_run();
}
