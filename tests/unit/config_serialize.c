/* Settings as options for other programs: written and read back, row by row of the schema. */
#include "config/settings.h"

#include <string.h>

#include "config/layer.h"
#include "config/value.h"

static const unsigned receivers[] = {REACHES_CLIENT, REACHES_BRIDGE, REACHES_INIT};

static settings *settings_of(const char *toml)
{
    settings *self = settings_new_defaults();
    g_autoptr(problems) wrong = problems_new();
    layer from = {.file = "test", .problems = wrong, .into = self};
    g_assert_true(layer_apply(&from, toml, strlen(toml)));
    return self;
}

static GPtrArray *options_of(const settings *self, unsigned receiver)
{
    GPtrArray *options = g_ptr_array_new_with_free_func(g_free);
    settings_to_options(self, receiver, options);
    g_ptr_array_add(options, NULL);
    return options;
}

static settings *read_back(const GPtrArray *options, unsigned receiver)
{
    return settings_from_options((const char *const *)options->pdata, receiver);
}

/* Each row that reaches RECEIVER has the value that it has in WANTED. */
static void assert_round_trip(const settings *wanted, unsigned receiver)
{
    g_autoptr(GPtrArray) options = options_of(wanted, receiver);
    g_autoptr(settings) got = read_back(options, receiver);
    g_assert_nonnull(got);
    for (gsize i = 0; i < schema_count; i++) {
        const schema_key *row = &schema_keys[i];
        if (!(row->reaches & receiver))
            continue;
        g_autofree char *before = value_print(row, schema_field_const(row, wanted));
        g_autofree char *after = value_print(row, schema_field_const(row, got));
        g_assert_cmpstr(before, ==, after);
    }
}

static void defaults_survive(void)
{
    g_autoptr(settings) wanted = settings_new_defaults();
    for (gsize i = 0; i < G_N_ELEMENTS(receivers); i++)
        assert_round_trip(wanted, receivers[i]);
}

static void other_values_survive(void)
{
    g_autoptr(settings) wanted = settings_of(
        "[box]\npass_env = [\"A\", \"B_*\"]\nidle_stop = \"never\"\n"
        "keep_alive = \"sessions\"\nworkdir = \"/srv/a b\"\n"
        "[home]\nsetup = \"tools/setup.sh\"\n"
        "[protect]\nextra = [\"x=y\", \"a\\nb\"]\n"
        "[security]\nsudo = \"ask\"\nnested = true\nkeep_groups = true\n"
        "[desktop]\nwayland = \"plain\"\nx11 = \"nested\"\nclipboard = \"from-box\"\n"
        "open = \"allow\"\nnotify = false\nappearance = false\nsound = \"none\"\n"
        "microphone = true\n"
        "[editor]\ncommand = \"vim\"\nargs = [\"-c\", \"set nu\", \"-c\"]\nterminal = false\n");
    for (gsize i = 0; i < G_N_ELEMENTS(receivers); i++)
        assert_round_trip(wanted, receivers[i]);
}

/* settings_to_options() would stop the program at a row of another kind. */
static void every_row_that_reaches_a_program_has_a_form(void)
{
    for (gsize i = 0; i < schema_count; i++) {
        schema_kind kind = schema_keys[i].kind;
        if (schema_keys[i].reaches)
            g_assert_true(kind != SCHEMA_PORTS && kind != SCHEMA_SHARES && kind != SCHEMA_MOUNTS &&
                          kind != SCHEMA_RAW);
    }
}

static void options_reach_only_their_receiver(void)
{
    g_autoptr(settings) wanted = settings_new_defaults();
    g_autoptr(GPtrArray) options = options_of(wanted, REACHES_INIT);
    g_autoptr(settings) got = read_back(options, REACHES_BRIDGE);
    g_assert_nonnull(got);
    g_assert_cmpint(got->box.idle_stop, ==, 0);
    g_assert_cmpint(got->desktop.wayland, ==, WAYLAND_NONE);
}

static void wrong_values_are_refused(void)
{
    static const char *const wrong[] = {"desktop.wayland=", "desktop.wayland=AUTO",
                                        "desktop.notify=1", "desktop.open=allow "};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        const char *options[] = {wrong[i], NULL};
        g_assert_null(settings_from_options(options, REACHES_CLIENT));
    }
}

static void numbers_are_read_whole(void)
{
    static const struct setting_option table[] = {{"a.number", SETTING_NUMBER, 0, NULL}, {0}};
    static const char *const wrong[] = {"a.number=", "a.number=1x", "a.number=-1",
                                        "a.number=9223372036854775808", "a.number=Never"};
    gint64 number = 0;
    g_assert_cmpint(setting_option_read(table, "a.number=600", &number), ==, 1);
    g_assert_cmpint(number, ==, 600);
    g_assert_cmpint(setting_option_read(table, "a.number=never", &number), ==, 1);
    g_assert_cmpint(number, ==, SETTINGS_NEVER);
    g_assert_cmpint(setting_option_read(table, "a.numbers=1", &number), ==, 0);
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_cmpint(setting_option_read(table, wrong[i], &number), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/serialize/defaults", defaults_survive);
    g_test_add_func("/serialize/other-values", other_values_survive);
    g_test_add_func("/serialize/rows", every_row_that_reaches_a_program_has_a_form);
    g_test_add_func("/serialize/receivers", options_reach_only_their_receiver);
    g_test_add_func("/serialize/wrong-values", wrong_values_are_refused);
    g_test_add_func("/serialize/numbers", numbers_are_read_whole);
    return g_test_run();
}
