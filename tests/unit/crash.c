/* The crash handler and debug messages. Each check runs in a child process, whose stderr is read.
 */
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/crash.h"
#include "sys/debug.h"
#include "sys/signals.h"

/* Runs WORK in a child. Returns its stderr, and its status. */
static char *run(void (*work)(void), int *status)
{
    int ends[2];
    char text[4096];
    gsize used = 0;
    g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        prctl(PR_SET_NAME, "litterbox-tried");
        work();
        _exit(0);
    }
    close(ends[1]);
    for (gssize n; (n = read(ends[0], text + used, sizeof text - 1 - used)) > 0;)
        used += (gsize)n;
    close(ends[0]);
    waitpid(pid, status, 0);
    return g_strndup(text, used);
}

static void assert_crash(void (*work)(void), int signal, const char *pattern)
{
#if !defined __SANITIZE_ADDRESS__
    int status;
    g_autofree char *text = run(work, &status);
    g_assert_true(WIFSIGNALED(status));
    g_assert_cmpint(WTERMSIG(status), ==, signal);
    if (!g_regex_match_simple(pattern, text, 0, 0))
        g_error("stderr: %s", text);
#endif
}

static void fault(void)
{
    crash_handler_install("litterbox-tried", NULL);
    *(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 0;
}

static void abort_it(void)
{
    crash_handler_install("litterbox-tried", NULL);
    abort();
}

static void get_signal(void)
{
    crash_handler_install("litterbox-tried", NULL);
    raise(SIGBUS);
}

/* Resets other handlers; the crash handler stays until exec. */
static void reset_signals(void)
{
    crash_handler_install("litterbox-tried", NULL);
    signals_reset();
    raise(SIGFPE);
}

static volatile int depth;
__attribute__((noinline)) static int overflow(int number)
{
    volatile char room[4096];
    room[number % 4096] = (char)number;
    depth = number;
    return depth < 0 ? 0 : overflow(number + 1) + room[0]; /* depth is never negative */
}

static void overflow_stack(void)
{
    crash_handler_install("litterbox-tried", NULL);
    overflow(0);
}

static void crash_in_child(void)
{
    static struct crash_record record;
    record.owner = getpid();
    crash_handler_install("litterbox-tried", &record);
    pid_t pid = fork();
    if (pid == 0)
        raise(SIGSEGV);
    int status;
    waitpid(pid, &status, 0);
    crash_report_child("litterbox-tried", "litterbox-child", status);
    /* Only the owner writes to the record. */
    if (record.signal == 0)
        raise(SIGSEGV);
}

static void test_lines(void)
{
    assert_crash(fault, SIGSEGV,
                 "^litterbox-tried\\[\\d+\\]: crashed by SIGSEGV at test-crash\\+0x[0-9a-f]+\n$");
    assert_crash(abort_it, SIGABRT, "crashed by SIGABRT at libc.*, called from test-crash\\+0x");
    assert_crash(get_signal, SIGBUS, "crashed by SIGBUS at ");
    assert_crash(reset_signals, SIGFPE, "crashed by SIGFPE at ");
    assert_crash(overflow_stack, SIGSEGV, "crashed by SIGSEGV at test-crash\\+0x");
    assert_crash(crash_in_child, SIGSEGV,
                 "^litterbox-tried\\[\\d+\\]: crashed by SIGSEGV at .*\n"
                 "litterbox-tried: litterbox-child was killed by SIGSEGV\n$");
}

static void test_hostile_record(void)
{
    struct crash_record record;
    char text[256];
    memset(&record, 0xff, sizeof record);
    crash_describe(&record, SIGSEGV, text, sizeof text);
    g_assert_cmpstr(text, ==, "");
    record.signal = SIGSEGV;
    crash_describe(&record, SIGSEGV, text, sizeof text);
    g_assert_cmpint(strlen(text), <, sizeof text);
    record = (struct crash_record){.signal = SIGSYS, .call = 59, .at = {"libc.so.6", 0x1234}};
    crash_describe(&record, SIGSYS, text, sizeof text);
    g_assert_cmpstr(text, ==, " by system call 59 at libc.so.6+0x1234");
    record.from = (struct crash_place){"box-init", 0x99};
    crash_describe(&record, SIGSYS, text, sizeof text);
    g_assert_cmpstr(text, ==, " by system call 59 at libc.so.6+0x1234, called from box-init+0x99");
    crash_describe(&record, SIGSEGV, text, sizeof text);
    g_assert_cmpstr(text, ==, "");
    g_assert_cmpstr(crash_signal_name(SIGKILL), ==, "SIGKILL");
    g_assert_cmpstr(crash_signal_name(4711), ==, "signal 4711");
}

static void test_debug_list(void)
{
    const char *wrong;
    int length;
    g_assert_cmpint(debug_parse("", &wrong, &length), ==, 0);
    g_assert_cmpint(debug_parse("init,guard", &wrong, &length), ==,
                    1 << DEBUG_INIT | 1 << DEBUG_GUARD);
    g_assert_cmpint(debug_parse("all", &wrong, &length), ==, (1 << DEBUG_TOPICS) - 1);
    g_assert_cmpint(debug_parse("init,gards,port", &wrong, &length), ==, -1);
    g_assert_cmpint(length, ==, 5);
    g_assert_true(g_str_has_prefix(wrong, "gards"));
    g_assert_cmpint(debug_parse("init,", &wrong, &length), ==, 1 << DEBUG_INIT);
    g_assert_true(g_str_has_suffix(debug_topic_list(), ", all"));
    g_assert_cmpint(strlen(debug_topic_list()), <, DEBUG_LIST_MAX - 1);
}

static void write_messages(void)
{
    g_setenv(DEBUG_VARIABLE, "port", TRUE);
    debug_start("litterbox-tried");
    debug_log(DEBUG_PORT, "connection %d\n\033[2J", 7);
    debug_log(DEBUG_BRIDGE, "never");
    g_autofree char *text = g_strnfill(4000, 'x');
    debug_log(DEBUG_PORT, "%s", text);
    g_setenv(DEBUG_VARIABLE, "port,nonsense", TRUE);
    debug_start("litterbox-tried");
    debug_log(DEBUG_PORT, "never");
}

static void test_debug_messages(void)
{
    int status;
    g_autofree char *text = run(write_messages, &status);
    g_assert_true(g_regex_match_simple(
        "^litterbox-tried: debug \\d+\\.\\d{6} port: connection 7\\\\x0a\\\\x1b\\[2J\n"
        "litterbox-tried: debug \\d+\\.\\d{6} port: x{700,800}\n$",
        text, 0, 0));
}

static void test_escapes(void)
{
    char out[16];
    g_assert_cmpint(log_text_escape(out, sizeof out, "a\tb", 3), ==, 6);
    g_assert_cmpstr(out, ==, "a\\x09b");
    /* Never a part of a character or of an escape. */
    g_assert_cmpint(log_text_escape(out, sizeof out, "\1\1\1\1\1", 5), ==, 12);
    g_assert_cmpint(log_text_escape(out, 3, "\xc3\xa4\xc3\xa4", 4), ==, 2);
    g_assert_cmpint(log_text_escape(out, 2, "\xc3\xa4", 2), ==, 0);
    g_assert_cmpint(log_text_escape(out, sizeof out, "\xe2\x82", 2), ==, 8);
    g_assert_cmpint(log_text_escape(out, sizeof out, "\xe2\x82\xac", 3), ==, 3);
    g_assert_cmpint(log_text_escape(out, 1, "a", 1), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/crash/lines", test_lines);
    g_test_add_func("/crash/hostile record", test_hostile_record);
    g_test_add_func("/debug/list", test_debug_list);
    g_test_add_func("/debug/messages", test_debug_messages);
    g_test_add_func("/log text/escapes", test_escapes);
    return g_test_run();
}
