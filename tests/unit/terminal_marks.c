/* What a session's output has switched in a terminal, and the text that undoes it. */
#include <glib.h>
#include <string.h>

#include "session/terminal_filter.h"

static struct terminal_marks marks_of(const char *text)
{
    struct terminal_filter self = {.allowed = TERMINAL_ALL};
    const char *out;
    terminal_filter_run(&self, text, strlen(text), &out);
    struct terminal_marks marks = self.marks;
    terminal_filter_clear(&self);
    return marks;
}

static void undoes(const char *text, const char *wanted)
{
    struct terminal_marks marks = marks_of(text);
    char undo[TERMINAL_UNDO_MAX];
    size_t length = terminal_marks_undo(&marks, undo);
    g_test_message("%s", text + 1);
    g_assert_cmpmem(undo, length, wanted, strlen(wanted));
}

static void nothing_is_undone_that_was_not_switched(void)
{
    undoes("text", "");
    undoes("\033[31mred\033[0m \033[1;31mred\033[m", "");
    undoes("\033[?1049h\033[?25l vi \033[?25h\033[?1049l", "");
    undoes("\033[?7h\033[?25h\033[2J\033[H\033[6n", "");
    undoes("\033]11;?\a\033]4;3;?\a", "");
    undoes("\033]11;red\a\033]111\a\033]4;1;red\a\033]104\a", "");
    undoes("\033[>1u\033[<u\033[>4;2m\033[>4;0m\033=\033>", "");
    undoes("\033]8;;https://example.org\ahere\033]8;;\a", "");
    undoes("\033[2 q\033[ q\033[2;4r\033[r", "");
}

static void what_was_switched_is_undone(void)
{
    undoes("\033[31m", "\033[0m");
    undoes("\033[0;8m", "\033[0m");
    undoes("\033(0", "\033(B\017");
    undoes("\016", "\033(B\017");
    undoes("\033[?1000;1006h\033[?1000l", "\033[?1006l");
    undoes("\033[?25l\033[?7l", "\033[?7h\033[?25h");
    undoes("\033[?1h\033=", "\033[?1l\033>");
    undoes("\033[4h", "\033[4l");
    undoes("\033[?2004h\033[?1004h", "\033[?1004l\033[?2004l");
    undoes("\033]4;1;red\a", "\033]104\033\\");
    undoes("\033]11;#123456\a", "\033]111\033\\");
    undoes("\033]10;red;?;blue\a", "\033]110\033\\\033]112\033\\");
    undoes("\033]8;;https://example.org\a", "\033]8;;\033\\");
    undoes("\033[3 q", "\033[0 q");
    undoes("\033[2;4r", "\0337\033[r\0338");
    undoes("\033[3g", "\033[?5W");
    undoes("\033[>4;2m", "\033[>4m");
}

/* Each screen has a stack of key modes, and the user's own are below a box's. */
static void key_modes_are_popped_where_they_were_pushed(void)
{
    undoes("\033[>1u\033[>3u", "\033[<2u");
    undoes("\033[=1u", "\033[=0u");
    undoes("\033[>1u\033[?1049h\033[>1u", "\033[<1u\033[?1049l\033[<1u");
    undoes("\033[?1049h\033[>1u\033[?1049l", "\033[?1047h\033[<1u\033[?1047l");
    undoes("\033[<5u\033[>1u\033[<9u", "\033[<1u");
}

static void queries_are_noticed(void)
{
    static const char *const asking[] = {"\033[c",
                                         "\033[6n",
                                         "\033Z",
                                         "\033P$qm\033\\",
                                         "\033[x",
                                         "\033]11;?\007",
                                         "\033[18t",
                                         "\033_Gi=1\033\\",
                                         "\033[?u",
                                         "\033[>q",
                                         "\033P+q544e\033\\",
                                         "\033]4;1;?\033\\"};
    for (gsize i = 0; i < G_N_ELEMENTS(asking); i++)
        g_assert_true(marks_of(asking[i]).asked);
    g_assert_false(marks_of("\033[31m text \033[2J\033[H\033]0;title?\007\033[21t\005").asked);
}

/* All of it at once: the text has room. */
static void everything_is_undone_at_once(void)
{
    struct terminal_marks marks;
    char undo[TERMINAL_UNDO_MAX], redo[TERMINAL_UNDO_MAX];
    memset(&marks, 0xff, sizeof marks);
    size_t length = terminal_marks_undo(&marks, undo);
    g_assert_cmpuint(length, <, TERMINAL_UNDO_MAX / 2);
    g_assert_true(g_strrstr_len(undo, (gssize)length, "\033[>7m") != NULL);
    g_assert_cmpuint(terminal_marks_redo(&marks, redo), >, 0);
}

static void modes_are_switched_again(void)
{
    struct terminal_marks marks = marks_of("\033[?1049h\033[?25l\033=");
    char redo[TERMINAL_UNDO_MAX];
    size_t length = terminal_marks_redo(&marks, redo);
    static const char wanted[] = "\033[?25l\033[?1049h\033=";
    g_assert_cmpmem(redo, length, wanted, strlen(wanted));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/marks/nothing", nothing_is_undone_that_was_not_switched);
    g_test_add_func("/marks/undo", what_was_switched_is_undone);
    g_test_add_func("/marks/keys", key_modes_are_popped_where_they_were_pushed);
    g_test_add_func("/marks/queries", queries_are_noticed);
    g_test_add_func("/marks/everything", everything_is_undone_at_once);
    g_test_add_func("/marks/redo", modes_are_switched_again);
    return g_test_run();
}
