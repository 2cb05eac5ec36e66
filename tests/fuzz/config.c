/*
 * Bytes as a project's litterbox.toml and as what may set every key: parsed, merged,
 * printed, and held against trust. Nothing may crash or leak; what is shown must be safe; and what
 * is printed must read back as the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "config/diff.h"
#include "config/layer.h"
#include "config/trust.h"
#include "config/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static settings *apply(settings_origin origin, const char *text, gsize length, gboolean *ok)
{
    g_autoptr(problems) wrong = problems_new();
    g_autoptr(GError) error = NULL;
    settings *into = settings_new_defaults();
    layer each = {"litterbox.toml", origin, wrong, into, NULL};

    *ok = layer_apply(&each, text, length);
    g_assert_true(problems_check(wrong, &error) == *ok);
    g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
    return into;
}

static void check_shown(const char *line)
{
    g_autofree char *safe = text_safe_max(line, -1, strlen(line) + 16);
    g_assert_cmpstr(safe, ==, line);
}

static char *print_all(const settings *self)
{
    GString *text = g_string_new(NULL);
    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        if (row->kind == SCHEMA_RAW)
            continue; /* may be deeper on one line than it was under headings */
        g_autofree char *name = schema_name(row);
        g_autofree char *value = value_print(row, schema_field_const(row, self));
        g_string_append_printf(text, "%s = %s\n", name, value);
    }
    return g_string_free(text, FALSE);
}

static void check_round_trip(const settings *self)
{
    gboolean ok;
    g_autofree char *text = print_all(self);
    g_autoptr(settings) again = apply(ORIGIN_FLAG, text, strlen(text), &ok);
    g_autofree char *second = print_all(again);
    g_assert_true(ok);
    g_assert_cmpstr(text, ==, second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gboolean ok;
    g_autoptr(settings) base = settings_new_defaults();
    g_autoptr(settings) wanted = apply(ORIGIN_PROJECT, (const char *)data, size, &ok);
    g_autoptr(GPtrArray) openings = trust_openings(base, wanted);

    for (guint i = 0; i < openings->len; i++)
        check_shown(g_ptr_array_index(openings, i));
    g_assert_false(trust_widens(wanted, wanted));
    g_autoptr(settings) own = apply(ORIGIN_FLAG, (const char *)data, size, &ok);
    if (ok)
        check_round_trip(own);

    g_autofree char *text = g_strndup((const char *)data, size);
    g_autofree char *half = g_strndup(text, strlen(text) / 2);
    g_autofree char *diff = diff_lines(half, text, 40);
    g_assert_true(g_utf8_validate(diff, -1, NULL));
    return 0;
}
