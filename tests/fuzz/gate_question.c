/* Fuzzes what a gate, which a box may have taken over, asks the user: what is accepted is written
 * as it was read, and is a question that shows all of the name and port, and nothing that is not
 * text. */
#include <stdint.h>
#include <string.h>

#include "common/text.h"
#include "host/gate-asker/host_question.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct box about = {.name = (char *)"shop", .project = (char *)"/p"};
    struct gate_question asked;
    char again[GATE_QUESTION_SIZE];
    g_autofree char *text = g_strndup((const char *)data, size);
    if (gate_question_parse((const char *)data, size, &asked) < 0)
        return 0;
    gate_question_write(&asked, again);
    g_assert_cmpstr(again, ==, text);
    g_autoptr(question) shown = host_question_new(&about, &asked, 0, 0, FALSE);
    g_autofree char *address = g_strdup_printf("%s:%u", asked.name, asked.port);
    g_autofree char *dumped = question_dump(shown, NULL);
    g_assert_nonnull(dumped);
    g_assert_cmpstr(shown->address, ==, address);
    g_autofree char *safe = text_safe_max(address, -1, QUESTION_ADDRESS_MAX);
    g_assert_cmpstr(safe, ==, address);
    for (int denies = 0; denies < 2; denies++) {
        struct network_rule rule;
        const char *wrong;
        g_autofree char *line = host_question_rule(&asked, denies);
        g_assert_cmpint(network_rule_parse(strchr(line, ' ') + 1, denies, &rule, &wrong), ==, 0);
        g_assert_true(rule.kind == RULE_NAME && rule.port == asked.port);
        g_assert_cmpstr(rule.name, ==, asked.name);
    }
    return 0;
}
