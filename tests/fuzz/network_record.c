/* Fuzzes a line of the log of a filtered network. What is a record is the same after it is written
 * and read again, and can be shown; what `box net suggest` makes of it is a rule for one name, in
 * the form that rules are written in, and can be pasted into a configuration. */
#include <assert.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "box/helpers/network_unmatched.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_suggestion(const struct network_record *record)
{
    g_autoptr(network_unmatched) unmatched = network_unmatched_new();
    g_autoptr(GPtrArray) groups = g_ptr_array_new();
    network_unmatched_add(unmatched, record);
    g_autoptr(GPtrArray) list = network_unmatched_suggest(unmatched, NULL, groups);
    assert(list->len <= 1);
    for (guint i = 0; i < list->len; i++) {
        const network_suggestion *one = list->pdata[i];
        char text[NETWORK_RULE_SIZE];
        struct network_rule rule;
        const char *wrong;
        assert(network_rule_parse(one->entry, false, &rule, &wrong) == 0 && rule.kind == RULE_NAME);
        network_rule_text(&rule, text);
        assert(strcmp(text, one->entry) == 0);
        for (const char *c = text; *c; c++)
            assert(g_ascii_islower(*c) || g_ascii_isdigit(*c) || strchr(".-:", *c));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *line = g_strndup((const char *)data, size);
    struct network_record record, again;
    char written[NETWORK_RECORD_SIZE], twice[NETWORK_RECORD_SIZE];
    if (network_record_parse(line, &record) < 0)
        return 0;
    network_record_write(&record, written);
    for (const char *c = written; *c; c++)
        assert(*c >= ' ' && *c <= '~');
    assert(network_record_parse(written, &again) == 0);
    network_record_write(&again, twice);
    assert(strcmp(written, twice) == 0);
    check_suggestion(&record);
    return 0;
}
