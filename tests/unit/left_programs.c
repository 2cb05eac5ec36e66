/* What sessions have left running, in words and in JSON. */
#include <glib.h>
#include <string.h>

#include "box/session/left_programs.h"

static void assert_text(const struct session_left *left, const char *expected)
{
    g_autofree char *text = left_programs_text(left);
    g_assert_cmpstr(text, ==, expected);
}

static void assert_json(const struct session_left *left, const char *expected)
{
    json_t *list = left_programs_json(left);
    g_autofree char *text = json_dumps(list, JSON_COMPACT);
    g_assert_cmpstr(text, ==, expected);
    json_decref(list);
}

static void programs_are_counted(void)
{
    struct session_left left = {0};
    assert_text(&left, NULL);
    assert_json(&left, "[]");
    left = (struct session_left){.processes = 3, .programs = {{"tmux", 2}, {"make", 1}}};
    assert_text(&left, "tmux (2 processes), make (1 process)");
    assert_json(&left, "[{\"name\":\"tmux\",\"processes\":2},{\"name\":\"make\",\"processes\":1}]");
    left.processes = 4;
    assert_text(&left, "tmux (2 processes), make (1 process) and 1 other process");
    left = (struct session_left){.processes = 2};
    assert_text(&left, "2 processes");
}

/* Only what keeps the box is in the list of what keeps it. */
static void fate_decides_what_keeps_a_box(void)
{
    struct session_left left = {
        .fate = SESSION_LEFT_ENDS, .processes = 1, .programs = {{"tmux", 1}}};
    assert_json(&left, "[]");
    left.fate = SESSION_LEFT_STAYS;
    assert_json(&left, "[]");
    assert_text(&left, "tmux (1 process)");
}

static void hostile_names_and_numbers_are_harmless(void)
{
    struct session_left left = {.processes = UINT32_MAX};
    for (int i = 0; i < SESSION_LEFT_MAX; i++)
        left.programs[i] = (struct session_program){"\033]0;x\007\n\342\200\256", UINT32_MAX};
    g_autofree char *text = left_programs_text(&left);
    for (const char *at = text; *at; at++)
        g_assert_true(*at >= ' ' && *at < 127);
    g_assert_cmpuint(strlen(text), <, 800);
    left = (struct session_left){.processes = 1, .programs = {{"", 1}}};
    assert_text(&left, "? (1 process)");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/left-programs/counted", programs_are_counted);
    g_test_add_func("/left-programs/fate", fate_decides_what_keeps_a_box);
    g_test_add_func("/left-programs/hostile", hostile_names_and_numbers_are_harmless);
    return g_test_run();
}
