/* The gate's records: what is alike is one, and a box cannot make them without end. */
#include "host/gate/journal.h"

#include <glib.h>
#include <string.h>

#include "net/event_loop.h"

static GPtrArray *lines;

static void keep(const char *line)
{
    struct network_record parsed;
    g_assert_cmpint(network_record_parse(line, &parsed), ==, 0);
    g_ptr_array_add(lines, g_strdup(line));
}

static struct network_record record(enum network_decision decision, const char *name)
{
    struct network_record self = {.decision = decision, .port = 443, .count = 1, .sent = 10};
    g_strlcpy(self.name, name, sizeof self.name);
    g_strlcpy(self.reason, decision == NETWORK_REFUSED ? "no rule allows it" : "",
              sizeof self.reason);
    return self;
}

static void add(enum network_decision decision, const char *name)
{
    struct network_record self = record(decision, name);
    journal_add(&self);
}

static const char *line(guint index)
{
    g_assert_cmpuint(index, <, lines->len);
    return lines->pdata[index];
}

static void clear(void)
{
    journal_flush();
    g_ptr_array_set_size(lines, 0);
}

static void refusals_alike_are_one(void)
{
    clear();
    for (int i = 0; i < 5; i++)
        add(NETWORK_REFUSED, "evil.example");
    add(NETWORK_REFUSED, "other.example");
    /* The first of each is written at once. */
    g_assert_cmpuint(lines->len, ==, 2);
    g_assert_cmpstr(line(0), ==, "refused tcp evil.example 443 1 10 0 0 - - - no rule allows it");
    journal_flush();
    g_assert_cmpuint(lines->len, ==, 3);
    g_assert_cmpstr(line(2), ==, "refused tcp evil.example 443 4 40 0 0 - - - no rule allows it");
    journal_flush();
    g_assert_cmpuint(lines->len, ==, 3);
    /* Nor do repeated ones in audit push the first of another name out of the log. */
    for (int i = 0; i < 5; i++)
        add(NETWORK_AUDITED, "evil.example");
    g_assert_cmpuint(lines->len, ==, 4);
    journal_flush();
    g_assert_cmpstr(line(4), ==, "audited tcp evil.example 443 4 40 0 0 - - - -");
}

static void connections_are_listed_by_themselves(void)
{
    clear();
    for (int i = 0; i < 3; i++)
        add(NETWORK_ALLOWED, "api.example.com");
    g_assert_cmpuint(lines->len, ==, 3);
    g_assert_cmpstr(line(2), ==, "allowed tcp api.example.com 443 1 10 0 0 - - - -");
}

/* Nothing is lost: each is counted in some record. */
static void a_flood_is_bounded(void)
{
    guint64 total = 0;
    clear();
    for (int i = 0; i < 20000; i++) {
        g_autofree char *name = g_strdup_printf("n%d.evil.example", i);
        add(i % 2 ? NETWORK_REFUSED : NETWORK_ALLOWED, name);
    }
    journal_flush();
    g_assert_cmpuint(lines->len, <, 3 * (JOURNAL_BURST + JOURNAL_PLACES));
    for (guint i = 0; i < lines->len; i++) {
        struct network_record parsed;
        network_record_parse(line(i), &parsed);
        total += parsed.count;
    }
    g_assert_cmpuint(total, ==, 20000);
    g_assert_nonnull(strstr(line(lines->len - 1), " - 0 "));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    lines = g_ptr_array_new_with_free_func(g_free);
    journal_start(keep);
    g_test_add_func("/gate_journal/alike", refusals_alike_are_one);
    g_test_add_func("/gate_journal/connections", connections_are_listed_by_themselves);
    g_test_add_func("/gate_journal/flood", a_flood_is_bounded);
    int status = g_test_run();
    g_ptr_array_unref(lines);
    return status;
}
