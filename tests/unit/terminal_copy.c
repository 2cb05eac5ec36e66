/* A text for the clipboard: what is held back of an output, and when it reaches the terminal. */
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/copy_question.h"

#define ST "\033\\"
#define EVIL "\033]52;c;ZXZpbA==\a"

static void run(struct terminal_filter *self, const char *text, const char *wanted)
{
    const char *out;
    gsize n = terminal_filter_run(self, text, strlen(text), &out);
    g_assert_cmpmem(out, n, wanted, strlen(wanted));
}

static void holds(const struct terminal_copy *self, const char *wanted)
{
    gsize length;
    g_assert_cmpint(terminal_copy_state(self), ==, COPY_WAITS);
    const char *text = terminal_copy_text(self, &length);
    g_assert_cmpmem(text, length, wanted, strlen(wanted));
}

static void is_held_however_divided(void)
{
    static const char *const texts[] = {
        EVIL,
        "\033]52;c;ZXZpbA==\033\\",
        "\033]52;;ZXZpbA==\a",
        "\033]52;cpqs0;ZXZpbA==\a",
        "\033[31\033]52;c;ZXZpbA==\a",
        "\033]52;c;ZX\nZp\r\001bA==\a", /* controls in it are none for a terminal either */
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        for (gsize first = 0; first <= strlen(texts[i]); first++) {
            struct terminal_filter self = {.allowed = TERMINAL_ASK_CLIPBOARD};
            g_autofree char *begin = g_strndup(texts[i], first);
            run(&self, begin, "");
            run(&self, texts[i] + first, "");
            holds(&self.copy, "ZXZpbA==");
            terminal_filter_clear(&self);
        }
    }
}

static void others_are_dropped(void)
{
    static const char *const texts[] = {
        "\033]52;c;?\a",
        "\033]52;c;\a",
        "\033]52;c;\033\\",
        "\033]52;c;ZXZpbA=\a",
        "\033]52;c;ZXZpbA\a",
        "\033]52;c;ZXZ=bA==\a",
        "\033]52;c;====\a",
        "\033]52;c;ZXZp;A==\a",
        "\033]52;c;ZXZp?A==\a",
        "\033]52;c;ZXZp bA=\a",
        "\033]52;c;ZXZp\303\251==\a",
        "\033]52;x;ZXZpbA==\a",
        "\033]052;c;ZXZpbA==\a",
        "\033]52;c;ZXZpbA==\030", /* not by its terminator */
        "\033]52;c;ZXZpbA==\033[m",
        "\033]52;c;ZXZpbA==", /* it has no end */
        "\033]1337;Copy=:ZXZpbA==\a",
        "\033]5522;type=write\a",
        "\033]5522;type=wdata;ZXZpbA==\a",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct terminal_filter self = {.allowed = TERMINAL_ASK_CLIPBOARD};
        g_test_message("%s", texts[i] + 1);
        run(&self, texts[i], g_str_has_suffix(texts[i], "[m") ? "\033[m" : "");
        g_assert_cmpint(terminal_copy_state(&self.copy), !=, COPY_WAITS);
        terminal_filter_clear(&self);
    }
}

static char *of_length(gsize length)
{
    g_autofree char *base64 = g_strnfill(length, 'A');
    return g_strdup_printf("\033]52;c;%s\a", base64);
}

static void length_is_bounded(void)
{
    struct terminal_filter self = {.allowed = TERMINAL_ASK_CLIPBOARD};
    g_autofree char *most = of_length(TERMINAL_COPY_MAX);
    g_autofree char *more = of_length(TERMINAL_COPY_MAX + 512);
    g_autofree char *huge = of_length(64 << 20);
    run(&self, more, "");
    run(&self, huge, "");
    g_assert_cmpint(terminal_copy_state(&self.copy), ==, COPY_NONE);
    g_assert_cmpuint(self.copy.too_long, ==, 2);
    g_assert_cmpuint(self.copy.room, <=, 3 * TERMINAL_COPY_MAX);
    run(&self, most, "");
    g_assert_cmpint(terminal_copy_state(&self.copy), ==, COPY_WAITS);
    terminal_filter_clear(&self);
}

static void one_at_a_time(void)
{
    struct terminal_filter self = {.allowed = TERMINAL_ASK_CLIPBOARD};
    run(&self, "a" EVIL "b\033]52;c;QUJD\ac", "abc");
    run(&self, "\033]52;c;QUJD\a", "");
    holds(&self.copy, "ZXZpbA==");
    terminal_copy_answer(&self.copy, 0);
    run(&self, "\033]52;c;QUJD\a", "");
    holds(&self.copy, "QUJD");
    terminal_copy_answer(&self.copy, 1);
    run(&self, EVIL, "");
    g_assert_cmpint(terminal_copy_state(&self.copy), ==, COPY_GRANTED);
    terminal_filter_clear(&self);
}

/* A screen that shows to a file in memory. */
static struct screen new_screen(void)
{
    struct screen self = {.out = memfd_create("screen", 0),
                          .filter.allowed = TERMINAL_ALL & ~TERMINAL_CLIPBOARD};
    g_assert_cmpint(self.out, >=, 0);
    self.filter.allowed |= TERMINAL_ASK_CLIPBOARD;
    return self;
}

static void has_shown(const struct screen *self, const char *wanted)
{
    char shown[512];
    gssize n = pread(self->out, shown, sizeof shown, 0);
    g_assert_cmpmem(shown, n, wanted, strlen(wanted));
}

static void show(struct screen *self, const char *text)
{
    g_assert_cmpint(screen_show(self, text, strlen(text)), ==, 0);
    screen_show_copy(self);
}

static void is_shown_between_strings(void)
{
    struct screen self = new_screen();
    show(&self, EVIL "a");
    has_shown(&self, "a");
    show(&self, "\033]0;ti");
    terminal_copy_answer(&self.filter.copy, 1);
    screen_show_copy(&self);
    has_shown(&self, "a\033]0;ti"); /* not into the title */
    show(&self, "tle\ab\033[3");
    has_shown(&self, "a\033]0;title\ab\033]52;c;ZXZpbA==" ST);
    show(&self, "1m");
    has_shown(&self, "a\033]0;title\ab\033]52;c;ZXZpbA==" ST "\033[31m");
    screen_end(&self, -1);
    close(self.out);
}

static void is_shown_at_the_end(void)
{
    struct screen self = new_screen();
    show(&self, EVIL "\033]0;ti");
    terminal_copy_answer(&self.filter.copy, 1);
    screen_show_copy(&self);
    screen_end(&self, -1);
    has_shown(&self, "\033]0;ti" ST "\033]52;c;ZXZpbA==" ST);
    close(self.out);
}

static void is_forgotten_at_the_end(void)
{
    struct screen self = new_screen();
    g_autofree char *huge = of_length(2 * TERMINAL_COPY_MAX);
    show(&self, huge);
    show(&self, EVIL);
    screen_end(&self, -1);
    has_shown(&self, "");
    g_assert_cmpuint(self.long_copies, ==, 1);
    close(self.out);
}

/* Who asks, and what for. */
static struct {
    int ends[2], asked, answer;
    char text[64];
} user;

static int user_ask(const char *text, size_t length, void *data)
{
    g_assert_true(data == &user);
    user.asked++;
    g_strlcpy(user.text, text, MIN(length + 1, sizeof user.text));
    return user.ends[0];
}

static int user_answer(int fd, void *data)
{
    char c;
    g_assert_cmpint(read(fd, &c, 1), ==, 1);
    user.ends[0] = -1;
    close(fd);
    return c == 'y';
}

static const struct client_hooks hooks = {.copy_ask = user_ask,
                                          .copy_answer = user_answer,
                                          .data = &user,
                                          .terminal = TERMINAL_ASK_CLIPBOARD};

static struct screen *step(struct copy_question *self, struct screen *screens)
{
    struct pollfd polls[2];
    copy_question_poll(self, polls);
    g_assert_cmpint(poll(polls, 2, 0), >=, 0);
    return copy_question_step(self, polls, screens, 2);
}

static void user_is_asked_once_at_a_time(void)
{
    struct screen screens[2] = {new_screen(), new_screen()};
    struct copy_question self;
    copy_question_init(&self, &hooks);
    copy_question_watch(&self, &screens[0]);
    copy_question_watch(&self, &screens[1]);
    user.asked = 0;
    g_assert_no_errno(pipe(user.ends));
    g_assert_null(step(&self, screens));
    show(&screens[1], EVIL);
    show(&screens[0], "\033]52;p;QUJD\a");
    g_assert_null(step(&self, screens));
    g_assert_null(step(&self, screens));
    g_assert_cmpint(user.asked, ==, 1);
    g_assert_cmpstr(user.text, ==, "QUJD");
    /* The answer is for what was shown, and the other one is asked about next, in vain. */
    g_assert_cmpint(write(user.ends[1], "y", 1), ==, 1);
    g_assert_true(step(&self, screens) == &screens[0]);
    g_assert_cmpint(user.asked, ==, 2);
    g_assert_cmpstr(user.text, ==, "ZXZpbA==");
    g_assert_cmpint(terminal_copy_state(&screens[0].filter.copy), ==, COPY_GRANTED);
    g_assert_cmpint(terminal_copy_state(&screens[1].filter.copy), ==, COPY_NONE);
    close(user.ends[1]);
    copy_question_end(&self);
    for (int i = 0; i < 2; i++) {
        screen_end(&screens[i], -1);
        close(screens[i].out);
    }
}

static void end_withdraws_the_question(void)
{
    struct screen screens[2] = {new_screen(), new_screen()};
    struct copy_question self;
    copy_question_init(&self, &hooks);
    copy_question_watch(&self, &screens[0]);
    g_assert_no_errno(pipe(user.ends));
    show(&screens[0], EVIL);
    g_assert_null(step(&self, screens));
    copy_question_end(&self);
    g_assert_cmpint(write(user.ends[1], "y", 1), ==, -1); /* nobody reads it */
    close(user.ends[1]);
    for (int i = 0; i < 2; i++) {
        screen_end(&screens[i], -1);
        has_shown(&screens[i], "");
        close(screens[i].out);
    }
}

static void nobody_asks_without_hooks(void)
{
    struct screen screen = new_screen();
    struct copy_question self;
    copy_question_init(&self, NULL);
    copy_question_watch(&self, &screen);
    show(&screen, EVIL);
    g_assert_cmpint(terminal_copy_state(&screen.filter.copy), ==, COPY_NONE);
    copy_question_end(&self);
    screen_end(&screen, -1);
    close(screen.out);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    signal(SIGPIPE, SIG_IGN);
    g_test_add_func("/copy/held", is_held_however_divided);
    g_test_add_func("/copy/dropped", others_are_dropped);
    g_test_add_func("/copy/length", length_is_bounded);
    g_test_add_func("/copy/one", one_at_a_time);
    g_test_add_func("/copy/between-strings", is_shown_between_strings);
    g_test_add_func("/copy/granted-at-the-end", is_shown_at_the_end);
    g_test_add_func("/copy/open-at-the-end", is_forgotten_at_the_end);
    g_test_add_func("/copy/asked", user_is_asked_once_at_a_time);
    g_test_add_func("/copy/withdrawn", end_withdraws_the_question);
    g_test_add_func("/copy/without-hooks", nobody_asks_without_hooks);
    return g_test_run();
}
