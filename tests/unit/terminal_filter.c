/* The filter on a box's output to a terminal: what passes, what does not, however it is divided. */
#include <glib.h>
#include <string.h>

#include "session/terminal_filter.h"
#include "session/terminal_scan.h"
#include "sys/utf8.h"

/* Filters the LENGTH bytes of TEXT, in pieces that end at FIRST and then every EACH bytes. */
static GString *filter_pieces(struct terminal_filter *self, const char *text, gsize length,
                              gsize first, gsize each)
{
    GString *result = g_string_new(NULL);
    for (gsize at = 0; at < length;) {
        gsize piece = MIN(at == 0 && first ? first : each, length - at);
        /* A copy of just this piece, so that the sanitizers see a read beyond it. */
        g_autofree char *copy = g_memdup2(text + at, piece);
        const char *out;
        gsize n = terminal_filter_run(self, copy, piece, &out);
        g_string_append_len(result, out, (gssize)n);
        at += piece;
    }
    return result;
}

/* What passes of TEXT; it must be the same for every division, and pass a second filter unchanged.
 */
static GString *filter(unsigned allowed, const char *text, gsize length)
{
    struct terminal_filter whole = {.allowed = allowed};
    GString *result = filter_pieces(&whole, text, length, 0, length);
    for (gsize first = 0; first <= length; first++) {
        struct terminal_filter parts = {.allowed = allowed};
        g_autoptr(GString) again = filter_pieces(&parts, text, length, first, first ? length : 1);
        g_assert_cmpmem(again->str, again->len, result->str, result->len);
        g_assert_cmpint(parts.marks.asked, ==, whole.marks.asked);
        g_assert_cmpuint(parts.marks.left, ==, whole.marks.left);
        terminal_filter_clear(&parts);
    }
    struct terminal_filter second = {.allowed = allowed};
    g_autoptr(GString) twice = filter_pieces(&second, result->str, result->len, 0, length);
    g_assert_cmpmem(twice->str, twice->len, result->str, result->len);
    terminal_filter_clear(&second);
    terminal_filter_clear(&whole);
    return result;
}

static void gives(unsigned allowed, const char *text, const char *wanted)
{
    g_autoptr(GString) result = filter(allowed, text, strlen(text));
    g_assert_cmpmem(result->str, result->len, wanted, strlen(wanted));
}

static void passes(unsigned allowed, const char *text)
{
    gives(allowed, text, text);
}

static void is_dropped(unsigned allowed, const char *text)
{
    gives(allowed, text, "");
}

#define ST "\033\\"

static void text_passes(void)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (gunichar c = 0xa0; c < 0x110000; c += c < 0x3000 ? 1 : 0x1f3) {
        if (c < 0xd800 || c > 0xdfff)
            g_string_append_unichar(all, c);
    }
    struct terminal_filter self = {0};
    for (gsize each = 1; each < 70; each++) {
        g_autoptr(GString) result = filter_pieces(&self, all->str, all->len, 0, each);
        g_assert_cmpmem(result->str, result->len, all->str, all->len);
    }
    terminal_filter_clear(&self);
    passes(0, "plain\ttext\r\nand a bell\a, backspace\b, \v\f, \016shifted\017");
    /* Continuation bytes 0x80 to 0x9f: of them 0x9b, 0x9c and 0x9d are controls elsewhere. */
    passes(
        0,
        "\303\233\303\235 \342\233\235\342\234\234 \360\237\230\200\360\237\233\235 \343\201\202");
    passes(0, "a\314\201 e\u200d\U0001f468\u200d\U0001f469 \u202eright to left");
}

/* What terminal_clean_length() finds, one character at a time. */
static gsize plain_clean_length(const guchar *text, gsize length)
{
    gsize at = 0;
    while (at < length && text[at] != ESC && text[at] != ENQ && text[at] != SHIFT_OUT) {
        int n = utf8_length(text + at, length - at);
        if (n <= 0 || utf8_is_c1(text + at))
            break;
        at += (gsize)n;
    }
    return at;
}

/* A character of a few alphabets, each of another length or with another range of second bytes. */
static gunichar some_character(GRand *random)
{
    static const gunichar alphabets[][2] = {
        {0x20, 0x7f},     {0xa0, 0x100},      {0x400, 0x460},
        {0xe01, 0xe5c},   {0x3041, 0x3097},   {0xd500, 0xd7a4},
        {0xe000, 0xffff}, {0x1f300, 0x1f650}, {0x100000, 0x10ffff}};
    const gunichar *one = alphabets[g_rand_int_range(random, 0, G_N_ELEMENTS(alphabets))];
    return (gunichar)g_rand_int_range(random, (gint32)one[0], (gint32)one[1]);
}

/* The scan looks at many bytes together. It must find what a look at each character does. */
static void scan_finds_what_a_plain_one_does(void)
{
    static const guchar odd[] = {ESC,  ENQ,  SHIFT_OUT, 0x80, 0x8f, 0x90, 0x9f,
                                 0xa0, 0xbf, 0xc0,      0xc1, 0xc2, 0xdf, 0xe0,
                                 0xed, 0xef, 0xf0,      0xf4, 0xf5, 0xff, 'a'};
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    for (int round = 0; round < 300000; round++) {
        g_autoptr(GString) text = g_string_new(NULL);
        int one_alphabet = g_rand_boolean(random), wanted = g_rand_int_range(random, 1, 40);
        gunichar c = some_character(random);
        for (int i = 0; i < wanted; i++)
            g_string_append_unichar(text, one_alphabet ? c : some_character(random));
        for (int i = g_rand_int_range(random, 0, 3); i > 0; i--)
            text->str[g_rand_int_range(random, 0, (gint32)text->len)] =
                (char)odd[g_rand_int_range(random, 0, G_N_ELEMENTS(odd))];
        g_autofree guchar *copy = g_memdup2(text->str, text->len);
        g_assert_cmpuint(terminal_clean_length(copy, copy + text->len, 0), ==,
                         plain_clean_length(copy, text->len));
    }
}

static void invalid_text_is_replaced(void)
{
    static const char mark[] = "\357\277\275";
    gives(0, "a\233b", "a\357\277\275b");
    gives(0,
          "\235"
          "52;c;ZXZpbA==\a",
          "\357\277\275"
          "52;c;ZXZpbA==\a");
    gives(0, "\340\202\233", "\357\277\275\357\277\275\357\277\275"); /* overlong U+009B */
    gives(0, "\300\233", "\357\277\275\357\277\275");
    gives(0, "\355\240\200", "\357\277\275\357\277\275\357\277\275"); /* a surrogate */
    gives(0, "\342\234A",
          "\357\277\275\357\277\275"
          "A");
    gives(0, "\342\033[m", "\357\277\275\033[m");
    g_assert_cmpuint(strlen(mark), ==, 3);
    is_dropped(0, "\342\234"); /* is not complete */
    /* Encoded controls. */
    gives(0, "\302\23352;c", "52;c");
    gives(0,
          "\302\235"
          "0;x\302\234",
          "0;x");
    gives(TERMINAL_8BIT, "f\374r \233x\235y\303\233", "f\374r xy\303");
}

static void usual_sequences_pass(void)
{
    static const char *const usual[] = {"\033[31m",
                                        "\033[m",
                                        "\033[38;2;1;2;3m",
                                        "\033[4:3m",
                                        "\033[58:2::1:2:3m",
                                        "\033[H",
                                        "\033[2J",
                                        "\033[3J",
                                        "\033[10;20H",
                                        "\033[K",
                                        "\033[5A",
                                        "\033[1;24r",
                                        "\0337",
                                        "\0338",
                                        "\033D",
                                        "\033M",
                                        "\033E",
                                        "\033(0",
                                        "\033(B",
                                        "\033)0",
                                        "\033*B",
                                        "\033#8",
                                        "\033=",
                                        "\033>",
                                        "\033c",
                                        "\033[?1049h",
                                        "\033[?1000;1006h",
                                        "\033[?2004l",
                                        "\033[?2026h",
                                        "\033[4h",
                                        "\033[20l",
                                        "\033[2 q",
                                        "\033[!p",
                                        "\033[6n",
                                        "\033[c",
                                        "\033[>c",
                                        "\033[=c",
                                        "\033[>q",
                                        "\033[?2026$p",
                                        "\033[?u",
                                        "\033[>1u",
                                        "\033[=5;1u",
                                        "\033[>4;2m",
                                        "\033[?4m",
                                        "\033[18t",
                                        "\033[3b",
                                        "\033[5@",
                                        "\033[3P",
                                        "\033[4X",
                                        "\033[2S",
                                        "\033[2T",
                                        "\033[s",
                                        "\033[u",
                                        "\033[0g",
                                        "\033H",
                                        "\033[?25l",
                                        "\033[?6h",
                                        "\033[?69h",
                                        "\033[1;2s",
                                        "\033[1;1;2;2$x",
                                        "\033[3'}",
                                        "\033[1\"q",
                                        "\033[?12;25h",
                                        "\033%G",
                                        "\033 F",
                                        "\033P$qm" ST,
                                        "\033P$q q" ST,
                                        "\033P+q544e;436f" ST,
                                        "\033]4;1;#ff0000" ST,
                                        "\033]10;?" ST,
                                        "\033]11;red\a",
                                        "\033]104" ST,
                                        "\033]104;3" ST,
                                        "\033]111\a",
                                        "\033]9;4;1;50" ST,
                                        "\033]12;rgb:1/2/3\a"};
    for (gsize i = 0; i < G_N_ELEMENTS(usual); i++)
        passes(0, usual[i]);
}

static void dangerous_sequences_do_not(void)
{
    static const char *const dangerous[] = {"\005",
                                            "\033[21t",
                                            "\033[20t",
                                            "\033[8;5;5t",
                                            "\033[3;0;0t",
                                            "\033[5i",
                                            "\033[?5i",
                                            "\033[i",
                                            "\033[1;1;1;1;1;1*y",
                                            "\033[1*z",
                                            "\033[?2l",
                                            "\033[?38h",
                                            "\033[?46h",
                                            "\033[2h",
                                            "\033[?5522h",
                                            "\033[?1001h",
                                            "\033[61\"p",
                                            "\033[?1034h",
                                            "\033[?67h",
                                            "\033[?9001h",
                                            "\033[2;1y",
                                            "\033[132$|",
                                            "\033[50*|",
                                            "\033[>2t",
                                            "\033[<u",
                                            "\033[?99999999999999999999h",
                                            "\033[?1049:2h",
                                            "\033[1!!p",
                                            "\033[ 1q",
                                            "\033[0<m",
                                            "\033% @",
                                            "\033%@",
                                            "\033%8",
                                            "\033 G",
                                            "\033$B",
                                            "\033!A",
                                            "\033l",
                                            "\033V",
                                            "\033]52;c;ZXZpbA==\a",
                                            "\033]52;c;?" ST,
                                            "\033]052;c;QQ==\a",
                                            "\033]7;file:///etc\a",
                                            "\033]133;A\a",
                                            "\033]633;E;id\a",
                                            "\033]1337;SetMark\a",
                                            "\033]1337;CurrentDir=/\a",
                                            "\033]50;?\a",
                                            "\033]46;/tmp/log\a",
                                            "\033]51;Eid\a",
                                            "\033]l title" ST,
                                            "\033]Ifile" ST,
                                            "\033]3;_X=1\a",
                                            "\033]22;hand\a",
                                            "\033]5113;x\a",
                                            "\033]9;7;calc\a",
                                            "\033]5522;type=read\a",
                                            "\033]1337;Copy=:QQ==\a",
                                            "\033];\a",
                                            "\033]\a",
                                            "\033]83;exec\a",
                                            "\033P0;1|17/6c730d" ST,
                                            "\033P1;1;1{ @x" ST,
                                            "\033P1;0;0!z6c73" ST,
                                            "\033Ptmux;\033\033]52;c;QQ==\a\033\\",
                                            "\033P\033]52;c;QQ==\a" ST,
                                            "\033P$qx" ST,
                                            "\033P$q\"" ST,
                                            "\033P+qzz" ST,
                                            "\033P+p544e" ST,
                                            "\033P=1s" ST,
                                            "\033P@kitty-cmd{}" ST,
                                            "\033_x" ST,
                                            "\033^message" ST,
                                            "\033Xstart" ST,
                                            "\033P2$tx" ST,
                                            "\033P1$}x" ST};
    for (gsize i = 0; i < G_N_ELEMENTS(dangerous); i++) {
        g_test_message("%s", dangerous[i] + 1);
        unsigned allowed = strstr(dangerous[i], "52") || strstr(dangerous[i], "Copy")
                               ? TERMINAL_ALL & ~TERMINAL_CLIPBOARD
                               : TERMINAL_ALL;
        /* tmux's own end leaves the bell and the terminator of what was wrapped. */
        g_autoptr(GString) result = filter(allowed, dangerous[i], strlen(dangerous[i]));
        g_assert_true(result->len == 0 || g_str_equal(result->str, ST) ||
                      g_str_equal(result->str, "\a" ST));
    }
}

static void settings_decide(void)
{
    static const struct {
        unsigned allowed;
        const char *text;
    } cases[] = {
        {TERMINAL_TITLES, "\033]0;title \303\251\a"},
        {TERMINAL_TITLES, "\033]2;\342\234\234" ST},
        {TERMINAL_TITLES, "\033ktitle" ST},
        {TERMINAL_TITLES, "\033[22;0t"},
        {TERMINAL_TITLES, "\033[23;0t"},
        {TERMINAL_CLIPBOARD, "\033]52;c;ZXZpbA==\a"},
        {TERMINAL_CLIPBOARD, "\033]52;;ZXZpbA==" ST},
        {TERMINAL_CLIPBOARD, "\033]52;c;" ST},
        {TERMINAL_CLIPBOARD, "\033]5522;type=write:id=3\a"},
        {TERMINAL_CLIPBOARD, "\033]5522;type=wdata:mime=x;QQ==\a"},
        {TERMINAL_CLIPBOARD, "\033]5522;type=walias:id=3:mime=x;QQ==" ST},
        {TERMINAL_CLIPBOARD, "\033]5522;type=wdata\a"},
        {TERMINAL_CLIPBOARD, "\033]1337;Copy=:QQ==\a"},
        {TERMINAL_CLIPBOARD, "\033]1337;EndCopy\a"},
        {TERMINAL_NOTIFICATIONS, "\033]9;done\a"},
        {TERMINAL_NOTIFICATIONS, "\033]9;\303\251t\303\251\a"},
        {TERMINAL_NOTIFICATIONS, "\033]9;12 tests\a"},
        {TERMINAL_NOTIFICATIONS, "\033]777;notify;title;text\a"},
        {TERMINAL_NOTIFICATIONS, "\033]99;i=1:d=0:p=title;text" ST},
        {TERMINAL_NOTIFICATIONS, "\033]99;;text" ST},
        {TERMINAL_LINKS, "\033]8;;https://example.org\a"},
        {TERMINAL_LINKS, "\033]8;id=1;mailto:a@example.org" ST},
        {TERMINAL_LINKS, "\033]8;;" ST},
        {TERMINAL_IMAGES, "\033Pq#0;2;0;0;0#0!9~-\n#1??" ST},
        {TERMINAL_IMAGES, "\033P0;1;0q\"1;1;9;9~" ST},
        {TERMINAL_IMAGES, "\033_Gf=100,a=T,t=d,m=1;iVBORw0KGgo=" ST},
        {TERMINAL_IMAGES, "\033_Ga=d" ST},
        {TERMINAL_IMAGES, "\033]1337;File=name=eA==;inline=1:QUJD\nRA==\a"},
        {TERMINAL_IMAGES, "\033]1337;MultipartFile=inline=1;size=3" ST},
        {TERMINAL_IMAGES, "\033]1337;FilePart=QUJD" ST},
        {TERMINAL_IMAGES, "\033[?1;1;0S"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("%s", cases[i].text + 1);
        passes(cases[i].allowed, cases[i].text);
        passes(TERMINAL_ALL, cases[i].text);
        is_dropped(TERMINAL_ALL & ~cases[i].allowed, cases[i].text);
    }
}

static void never_whatever_the_settings(void)
{
    static const char *const never[] = {
        "\033]52;c;?\a",
        "\033]52;;?" ST,
        "\033]5522;type=read;Lg==\a",
        "\033]5522;id=1:type=read;Lg==\a",
        "\033]5522;type=write:type=read;Lg==\a",
        "\033]5522;type=wdata:id=1:type=read\a",
        "\033]5522;type=walias: type=read;Lg==\a",
        "\033]8;;file:///etc/passwd\a",
        "\033]8;;vscode://x\a",
        "\033]8;;HTTPS" ST,
        "\033]9;2;box\a",
        "\033]9;12\a",
        "\033]777;preexec\a",
        "\033]99;a=report;text" ST,
        "\033]99;i=1:c=1;text" ST,
        "\033]99;p=buttons;text" ST,
        "\033]99;p=title:x;text" ST,
        "\033_Gt=f,a=T;L2V0Yy9wYXNzd2Q=" ST,
        "\033_Ga=T,t=t;L3RtcC94" ST,
        "\033_Gt=d,t=s;eA==" ST,
        "\033_Gt =f;eA==" ST,
        "\033_G,t=f;eA==" ST,
        "\033]1337;File=name=eA==:QUJD\a",
        "\033]1337;File=inline=0:QUJD\a",
        "\033]1337;File=inline=1;inline=0:QUJD\a",
        "\033]1337;MultipartFile=size=3" ST,
    };
    for (gsize i = 0; i < G_N_ELEMENTS(never); i++) {
        g_test_message("%s", never[i] + 1);
        is_dropped(TERMINAL_ALL, never[i]);
    }
}

static void sequences_end_where_terminals_end_them(void)
{
    gives(0, "a\033]52;c;QQ==\ab", "ab");
    gives(0, "a\033Ptmux;x" ST "b", "ab");
    gives(0, "a\033_x\ay" ST "b", "ab");                /* a bell ends no APC */
    gives(0, "\033]52;c;QQ\033[31mred", "\033[31mred"); /* another sequence does */
    gives(0, "\033]52;c\030text", "text");
    gives(0, "\033[3\0301m", "1m");
    gives(0, "\033[3\n1m", "\n\033[31m"); /* a control in a sequence is done first */
    gives(0, "\033\033[6n", "\033[6n");
    gives(0, "\033\n[6n", "\n\033[6n");
    gives(0, "\033[\0306n\033[6n", "6n\033[6n");
    gives(0, "\033[3\303\251m", "\303\251m");
    gives(0, "\033\303\251", "\303\251");
    /* What is taken out does not change what the head was taken for. */
    is_dropped(TERMINAL_ALL, "\033]9;\3772;box\a");
    is_dropped(TERMINAL_ALL, "\033]52;c;\377?\a");
    is_dropped(TERMINAL_ALL, "\033]52;c;\302\233?\a");
    is_dropped(TERMINAL_ALL, "\033]52;c;\001?\a");
    is_dropped(TERMINAL_ALL, "\033_Ga=T,\377t=f;eA==" ST);
    gives(TERMINAL_TITLES, "\033]0;a\033[1m", "\033]0;a" ST "\033[1m");
    gives(TERMINAL_TITLES, "\033]0;a\302\234b\234c\nd\a", "\033]0;abcd\a");
    gives(TERMINAL_TITLES, "\033ka\033]52;c;QQ==\ab", "\033ka" ST "b");
    gives(TERMINAL_TITLES,
          "\033P\030\033]2;t\033"
          "\\x",
          "\033]2;t" ST "x");
    /* The Linux console's, which have no end. */
    gives(0, "\033]Rtext", "text");
    gives(0, "\033]P1ff0000text", "text");
    gives(0, "\033]P1ffzext", "zext");
    gives(0, "\033[[Atext", "Atext");
    /* Modes that may not be switched are taken out. */
    gives(0, "\033[?1049;46;25l", "\033[?1049;25l");
    gives(0, "\033[?3;4l", "\033[?4l");
    gives(0, "\033[?25;3h", "\033[?25h");
}

static void long_sequences_are_dropped(void)
{
    g_autoptr(GString) text = g_string_new("\033[");
    for (int i = 0; i < 400; i++)
        g_string_append(text, "1;");
    g_string_append(text, "mtext");
    gives(0, text->str, "text");
    g_string_assign(text, "\033]8;id=");
    for (int i = 0; i < 400; i++)
        g_string_append(text, "xy");
    g_string_append(text, ";https://example.org\atext");
    gives(TERMINAL_ALL, text->str, "text");
    g_string_assign(text, "\033]0;");
    for (int i = 0; i < 800; i++)
        g_string_append(text, "xy");
    passes(TERMINAL_ALL, text->str); /* a payload has no limit */
}

static void host_interrupts_a_string(void)
{
    struct terminal_filter self = {.allowed = TERMINAL_ALL};
    const char *out;
    g_assert_cmpstr(terminal_filter_interrupt(&self), ==, "");
    g_assert_cmpuint(terminal_filter_run(&self, "\033]0;ab", 6, &out), ==, 6);
    g_assert_cmpstr(terminal_filter_interrupt(&self), ==, ST);
    g_assert_cmpuint(terminal_filter_run(&self, "cd\aef", 5, &out), ==, 2);
    g_assert_cmpmem(out, 2, "ef", 2);
    terminal_filter_clear(&self);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/filter/text", text_passes);
    g_test_add_func("/filter/scan", scan_finds_what_a_plain_one_does);
    g_test_add_func("/filter/invalid-text", invalid_text_is_replaced);
    g_test_add_func("/filter/usual", usual_sequences_pass);
    g_test_add_func("/filter/dangerous", dangerous_sequences_do_not);
    g_test_add_func("/filter/settings", settings_decide);
    g_test_add_func("/filter/never", never_whatever_the_settings);
    g_test_add_func("/filter/ends", sequences_end_where_terminals_end_them);
    g_test_add_func("/filter/long", long_sequences_are_dropped);
    g_test_add_func("/filter/interrupt", host_interrupts_a_string);
    return g_test_run();
}
