/* litterbox.toml.example says what the built-in defaults are, key by key, and why. */
#include <stdio.h>
#include <string.h>

#include "config/layer.h"
#include "config/value.h"

static const char head[] =
    "# Every key of litterbox.toml, with its default and the reason for it.\n"
    "#\n"
    "# The same keys are read from these files, and later ones win: ~/.config/litterbox/config.toml\n"
    "# (yours, for all boxes), the project's litterbox.toml (once you trust it), and\n"
    "# ~/.config/litterbox/boxes/NAME.toml (yours, for one box). Flags win over all. Tables (env,\n"
    "# hosts, [podman]) merge by their keys, [[mount]] entries add up (the later wins over the same\n"
    "# target), everything else replaces. What a project may not even ask for, [ssh], [snapshot],\n"
    "# dotfiles and network.audit, is read from your own files alone.\n";

static void append_mount(GString *out, const schema_key *row)
{
    g_string_append_printf(out, "# %s\n# [[mount]]\n", row->reason);
    for (int i = 0; i < N_MOUNT_KEYS; i++) {
        const schema_mount_key *key = &schema_mount_keys[i];
        g_string_append_printf(out, "# %s = %s  # %s\n", key->key, key->fallback, key->reason);
    }
}

static void append_row(GString *out, const schema_key *row)
{
    if (row->kind == SCHEMA_MOUNTS)
        append_mount(out, row);
    else if (!row->key)
        g_string_append_printf(out, "# %s\n[%s]\n", row->reason, row->section);
    else
        g_string_append_printf(out, "# %s\n%s = %s\n", row->reason, row->key, row->fallback);
}

/* The text of litterbox.toml.example: every key with its default and reason. A new string. */
static char *write_example(void)
{
    GString *out = g_string_new(head);
    const char *section = "";

    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        if (strcmp(section, row->section) != 0) {
            g_string_append_c(out, '\n');
            if (row->key)
                g_string_append_printf(out, "[%s]\n", row->section);
            section = row->section;
        }
        append_row(out, row);
    }
    return g_string_free(out, FALSE);
}

static char *example;

static settings *parse(const char *text, gboolean *set)
{
    g_autoptr(problems) wrong = problems_new();
    g_autoptr(GError) error = NULL;
    settings *into = settings_new_defaults();
    layer each = {"example", ORIGIN_FLAG, wrong, into, set};
    layer_apply(&each, text, strlen(text));
    problems_check(wrong, &error);
    g_assert_no_error(error);
    return into;
}

/* The example without "# " in front of the [[mount]] that it shows. */
static char *with_mount(void)
{
    g_auto(GStrv) lines = g_strsplit(example, "\n", -1);
    gboolean inside = FALSE;
    for (char **line = lines; *line; line++) {
        inside = g_str_equal(*line, "# [[mount]]") || (inside && **line == '#');
        if (inside)
            memmove(*line, *line + 2, strlen(*line) - 1);
    }
    return g_strjoinv("\n", lines);
}

static void test_every_key(void)
{
    g_autofree gboolean *set = g_new0(gboolean, schema_count);
    g_autofree char *text = with_mount();
    g_autoptr(settings) shown = parse(text, set);
    for (gsize i = 0; i < schema_count; i++) {
        if (!set[i])
            g_error("missing in litterbox.toml.example: %s.%s", schema_keys[i].section,
                    schema_keys[i].key);
    }
    g_assert_cmpuint(shown->mounts->len, ==, 1);
}

static void test_defaults(void)
{
    g_autoptr(settings) shown = parse(example, NULL);
    g_autoptr(settings) built_in = settings_new_defaults();
    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        g_autofree char *a = value_print(row, schema_field_const(row, shown));
        g_autofree char *b = value_print(row, schema_field_const(row, built_in));
        g_assert_cmpstr(a, ==, b);
    }
}

static void test_reasons(void)
{
    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        g_autofree char *line = row->key ? g_strdup_printf("\n# %s\n%s = ", row->reason, row->key)
                                         : g_strdup_printf("\n# %s\n", row->reason);
        if (!strstr(example, line))
            g_error("litterbox.toml.example: [%s] %s: reason or order differs from the schema's",
                    row->section, row->key);
        g_assert_cmpuint(g_utf8_strlen(row->reason, -1), <=, 98);
    }
}

/* Byte for byte; `test-config_example --print` writes the file anew. */
static void test_generated(void)
{
    g_autofree char *expected = write_example();
    g_assert_cmpstr(example, ==, expected);
}

int main(int argc, char **argv)
{
    if (argc == 2 && g_str_equal(argv[1], "--print")) {
        g_autofree char *text = write_example();
        fputs(text, stdout);
        return 0;
    }
    g_test_init(&argc, &argv, NULL);
    g_autoptr(GError) error = NULL;
    const char *path = g_getenv("LITTERBOX_EXAMPLE");
    if (!path || !g_file_get_contents(path, &example, NULL, &error))
        g_error("LITTERBOX_EXAMPLE: %s", error ? error->message : "not set");
    g_test_add_func("/config/example/every-key", test_every_key);
    g_test_add_func("/config/example/defaults", test_defaults);
    g_test_add_func("/config/example/reasons", test_reasons);
    g_test_add_func("/config/example/generated", test_generated);
    int result = g_test_run();
    g_free(example);
    return result;
}
