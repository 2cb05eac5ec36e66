/*
 * The supervisor of helpers: its pauses, its lock, its log, and whole helpers whose workers crash.
 * The helpers are this very program, run with a word for what its worker does.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fs.h"
#include "host/supervisor/helper_lock.h"
#include "host/supervisor/helper_log.h"
#include "host/supervisor/supervise.h"

#define NAME "tried"
#define WAIT_MS 60000

static const char *self_path;

static void test_pauses(void)
{
    unsigned failures = 0;
    const int expected[] = {100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
    for (gsize i = 0; i < G_N_ELEMENTS(expected); i++)
        g_assert_cmpint(restart_delay(&failures, 50), ==, expected[i]);
    for (int i = 0; i < 100; i++)
        g_assert_cmpint(restart_delay(&failures, RESTART_RESET_MS - 1), ==, RESTART_MAX_MS);
    g_assert_cmpint(restart_delay(&failures, RESTART_RESET_MS), ==, 100);
    g_assert_cmpint(restart_delay(&failures, 0), ==, 200);
}

/* A folder of its own for each test. */
static char *make_folder(int *folder)
{
    char *path = g_dir_make_tmp("supervisor-XXXXXX", NULL);
    g_assert_nonnull(path);
    *folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    g_assert_cmpint(*folder, >=, 0);
    return path;
}

static void remove_folder(char *path, int folder)
{
    close(folder);
    fs_remove_tree(path, NULL);
    g_free(path);
}

static void test_lock(void)
{
    int folder;
    char *path = make_folder(&folder);
    struct helper_holder holder;
    helper_lock_read(path, NAME, &holder);
    g_assert_cmpint(holder.state, ==, HELPER_ABSENT);
    int lock = helper_lock_take(folder, NAME, "4711");
    g_assert_cmpint(lock, >=, 0);
    g_assert_cmpint(helper_lock_take(folder, NAME, "4712"), ==, -1);
    g_assert_cmpint(errno, ==, EAGAIN);
    helper_lock_read(path, NAME, &holder);
    g_assert_cmpint(holder.state, ==, HELPER_STARTING);
    g_assert_cmpint(holder.supervisor, ==, getpid());
    g_assert_cmpstr(holder.run, ==, "4711");
    const enum helper_state states[] = {HELPER_SERVING, HELPER_PAUSED, HELPER_STARTING,
                                        HELPER_SERVING};
    for (gsize i = 0; i < G_N_ELEMENTS(states); i++) {
        g_assert_cmpint(helper_lock_set(lock, states[i]), ==, 0);
        helper_lock_read(path, NAME, &holder);
        g_assert_cmpint(holder.state, ==, states[i]);
    }
    close(lock);
    helper_lock_read(path, NAME, &holder);
    g_assert_cmpint(holder.state, ==, HELPER_ABSENT);
    lock = helper_lock_take(folder, NAME, "");
    helper_lock_read(path, NAME, &holder);
    g_assert_cmpstr(holder.run, ==, "");
    close(lock);
    g_assert_cmpint(helper_lock_take(folder, NAME, "a run with a name that is far too long"), ==,
                    -1);
    remove_folder(path, folder);
}

/* Even if a symbolic link could be planted, its target would stay unchanged. */
static void test_links_are_not_followed(void)
{
    int folder;
    char *path = make_folder(&folder);
    g_autofree char *victim = g_build_filename(path, "victim", NULL), *kept = NULL;
    g_assert_true(g_file_set_contents(victim, "precious", -1, NULL));
    g_assert_cmpint(symlinkat("victim", folder, NAME ".lock"), ==, 0);
    g_assert_cmpint(symlinkat("victim", folder, NAME ".log"), ==, 0);
    g_assert_cmpint(helper_lock_take(folder, NAME, "1"), ==, -1);
    g_assert_cmpint(helper_log_open(folder, NAME), ==, -1);
    struct helper_log log;
    helper_log_init(&log, folder, NAME, "litterbox-tried", HELPER_LOG_MAX);
    helper_log_line(&log, "lost");
    g_assert_true(g_file_get_contents(victim, &kept, NULL, NULL));
    g_assert_cmpstr(kept, ==, "precious");
    g_assert_cmpint(unlinkat(folder, NAME ".log", 0), ==, 0);
    g_assert_cmpint(mkfifoat(folder, NAME ".log", 0600), ==, 0);
    g_assert_cmpint(helper_log_open(folder, NAME), ==, -1);
    remove_folder(path, folder);
}

static char *read_log(const char *path, const char *name)
{
    g_autofree char *file = g_build_filename(path, name, NULL);
    char *text = NULL;
    return g_file_get_contents(file, &text, NULL, NULL) ? text : g_strdup("");
}

/* Checks the time of each line and removes it. */
static char *without_times(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) result = g_string_new(NULL);
    for (char **line = lines; *line && **line; line++) {
        g_assert_true(g_regex_match_simple("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ",
                                           *line, 0, 0));
        g_string_append_printf(result, "%s\n", strchr(*line, ' ') + 1);
    }
    return g_string_free(g_steal_pointer(&result), FALSE);
}

static void test_log_lines(void)
{
    int folder;
    char *path = make_folder(&folder);
    struct helper_log log;
    struct stat st;
    helper_log_init(&log, folder, NAME, "litterbox-tried", HELPER_LOG_MAX);
    const char text[] = "first\nlitterbox-wm[12]: second\n\n\033[31mred\r\nlitterbox-Wm: thi";
    helper_log_feed(&log, text, sizeof text - 1);
    helper_log_feed(&log, "rd\xc2\x9b\xff\xc3\xa4\n", 8);
    helper_log_line(&log, "litterbox-tried: %s", "a\nb");
    g_autofree char *raw = read_log(path, NAME ".log"), *lines = without_times(raw);
    g_assert_cmpstr(lines, ==,
                    "litterbox-tried: first\n"
                    "litterbox-wm[12]: second\n"
                    "litterbox-tried: \\x1b[31mred\\x0d\n"
                    "litterbox-tried: litterbox-Wm: third\\xc2\\x9b\\xff\xc3\xa4\n"
                    "litterbox-tried: a\\x0ab\n");
    g_assert_cmpint(fstatat(folder, NAME ".log", &st, 0), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0600);
    remove_folder(path, folder);
}

/* The gates of a box and of a build of its image have one log of connections. */
static void test_log_of_two(void)
{
    int folder;
    char *path = make_folder(&folder);
    struct helper_log logs[2];
    g_autofree char *text = g_strnfill(1000, 'x');
    for (int i = 0; i < 2; i++)
        helper_log_init(&logs[i], folder, NAME, "litterbox-tried", HELPER_LOG_MAX);
    const int lines = HELPER_LOG_MAX / 1000 + 10;
    for (int i = 0; i < lines; i++)
        helper_log_line(&logs[i % 2], "%s %d", text, i);
    g_autofree char *now = read_log(path, NAME ".log"), *old = read_log(path, NAME ".log.1");
    g_autofree char *both = g_strconcat(old, now, NULL);
    g_auto(GStrv) found = g_strsplit(both, "\n", -1);
    g_assert_cmpint(g_strv_length(found), ==, lines + 1);
    for (int i = 0; i < lines; i++) {
        g_autofree char *number = g_strdup_printf("x %d", i);
        g_assert_true(g_str_has_suffix(found[i], number));
    }
    g_assert_cmpuint(strlen(old), <=, HELPER_LOG_MAX);
    remove_folder(path, folder);
}

static void test_log_is_bounded(void)
{
    int folder;
    char *path = make_folder(&folder);
    struct helper_log log;
    struct stat st;
    helper_log_init(&log, folder, NAME, "litterbox-tried", HELPER_LOG_MAX);
    g_autofree char *zeros = g_malloc0(3 * HELPER_LOG_LINE_MAX);
    memset(zeros, '\001', 3 * HELPER_LOG_LINE_MAX);
    for (int i = 0; i < 100; i++)
        helper_log_feed(&log, zeros, 3 * HELPER_LOG_LINE_MAX);
    helper_log_line(&log, "the last one");
    for (int i = 0; i < 2; i++) {
        g_assert_cmpint(fstatat(folder, i ? NAME ".log.1" : NAME ".log", &st, 0), ==, 0);
        g_assert_cmpint(st.st_size, <=, HELPER_LOG_MAX);
    }
    g_autofree char *text = read_log(path, NAME ".log");
    g_assert_nonnull(strstr(text, "the last one"));
    remove_folder(path, folder);
}

/* What a worker does, by its argument. It crashes in the second stage. */
static char **helper_argv;

static enum stage_result first(void *data)
{
    return STAGE_NEXT;
}

__attribute__((noinline)) static void crash_here(void)
{
    *(volatile int *)helper_argv[3] = 0; /* NULL */
}

/* The first worker keeps a pipe with a letter, which the next ones find. */
static void keep_or_find(void)
{
    char letter = 'k';
    int ends[2], kept = worker_kept();
    g_assert_true(kept < 0 || read(kept, &letter, 1) == 1);
    g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
    g_assert_cmpint(write(ends[1], "k", 1), ==, 1);
    g_assert_cmpint(worker_keep(kept < 0 ? ends[0] : -1), ==, 0);
    g_assert_cmpint(worker_kept(), ==, -1); /* which this worker has nothing to do with any more */
    g_assert_cmpint(worker_keep(ends[0]), ==, -1);
    fprintf(stderr, "litterbox-tried: %s\n", kept < 0 ? "nothing is kept" : "it is kept");
}

static enum stage_result second(void *data)
{
    const char *word = helper_argv[1];
    if (strcmp(word, "keeps") == 0)
        keep_or_find();
    if (strcmp(word, "nothing") == 0) {
        worker_result("nothing to do");
        return STAGE_DONE;
    }
    if (strcmp(word, "fails") == 0) {
        fprintf(stderr, "litterbox-tried: it cannot\n");
        return STAGE_FAILED;
    }
    if (strcmp(word, "hangs") == 0)
        raise(SIGALRM);
    if (strcmp(word, "early") == 0)
        crash_here();
    worker_ready("here it is");
    return STAGE_NEXT;
}

/* A file counts the workers. Only the first one crashes. */
static enum stage_result third(void *data)
{
    int count = openat(*(int *)data, "count", O_WRONLY | O_CREAT | O_APPEND, 0600);
    struct stat st;
    g_assert_cmpint(write(count, "x", 1), ==, 1);
    g_assert_cmpint(fstat(count, &st), ==, 0);
    if (st.st_size == 1 && strcmp(helper_argv[1], "aborts") == 0)
        abort();
    if (st.st_size == 1 && strcmp(helper_argv[1], "exits") == 0)
        return STAGE_FAILED;
    if (st.st_size == 1)
        crash_here();
    for (;;)
        pause();
}

static int run_helper(char **argv)
{
    static const struct stage stages[] = {
        {"first", first}, {"second", second}, {"third", third}, {0}};
    static int folder;
    helper_argv = argv;
    folder = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
    const struct supervised self = {.name = NAME,
                                    .program = "litterbox-tried",
                                    .run = "1",
                                    .argv = argv,
                                    .keeps = strcmp(argv[1], "keeps") == 0,
                                    .folder = folder,
                                    .box = STDIN_FILENO,
                                    .stages = stages,
                                    .data = &folder};
    return supervise(&self);
}

/* A helper, and a process that stands for a box's PID 1. */
struct tried {
    char *path;
    int folder;
    pid_t supervisor, box;
    int answer;
    const char *log; /* what its log must be, an expression */
    pid_t killed;    /* its worker */
};

static void start(struct tried *self, char *word)
{
    int ends[2];
    if (!self->path)
        self->path = make_folder(&self->folder);
    if (!self->box && (self->box = fork()) == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
    self->supervisor = fork();
    if (self->supervisor == 0) {
        char *argv[] = {(char *)self_path, word, self->path, NULL};
        dup2((int)syscall(SYS_pidfd_open, self->box, 0), STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        execv(self_path, argv);
        _exit(127);
    }
    close(ends[1]);
    self->answer = ends[0];
}

/* Reads until the helper's stdout is closed. */
static char *read_answer(struct tried *self)
{
    char text[HELPER_ANSWER_MAX + 1] = "";
    gsize used = 0;
    for (gssize length = 1; length > 0; used += (gsize)length) {
        struct pollfd wait = {.fd = self->answer, .events = POLLIN};
        g_assert_cmpint(poll(&wait, 1, WAIT_MS), ==, 1);
        length = read(self->answer, text + used, sizeof text - 1 - used);
        g_assert_cmpint(length, >=, 0);
    }
    close(self->answer);
    return g_strdup(text);
}

static void assert_answers(struct tried *self, const char *expected)
{
    g_autofree char *text = read_answer(self);
    g_assert_cmpstr(text, ==, expected);
}

static gboolean eventually(gboolean (*check)(const struct tried *self), const struct tried *self)
{
    for (int waited = 0; waited < WAIT_MS; waited += 10) {
        if (check(self))
            return TRUE;
        g_usleep(10000);
    }
    return FALSE;
}

static pid_t worker_of(const struct tried *self)
{
    g_autofree char *path =
        g_strdup_printf("/proc/%d/task/%d/children", (int)self->supervisor, (int)self->supervisor);
    g_autofree char *text = NULL;
    return g_file_get_contents(path, &text, NULL, NULL) ? atoi(text) : 0;
}

static gboolean is_second(const struct tried *self)
{
    struct stat st;
    return fstatat(self->folder, "count", &st, 0) == 0 && st.st_size == 2 && worker_of(self) > 0;
}

/* The supervisor writes what a worker has printed, a moment later. */
static gboolean has_log(const struct tried *self)
{
    g_autofree char *raw = read_log(self->path, NAME ".log"), *lines = without_times(raw);
    return g_regex_match_simple(self->log, lines, G_REGEX_DOTALL, 0);
}

static int wait_for_end(pid_t pid)
{
    int status = -1, fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    g_assert_cmpint(poll(&wait, 1, WAIT_MS), ==, 1);
    close(fd);
    waitpid(pid, &status, 0);
    return status;
}

static void kill_and_wait(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void clear(struct tried *self)
{
    kill_and_wait(self->box);
    remove_folder(self->path, self->folder);
}

static void assert_ends_alone(char *word, const char *answer, const char *log)
{
    struct tried self = {0};
    struct helper_holder holder;
    start(&self, word);
    assert_answers(&self, answer);
    helper_lock_read(self.path, NAME, &holder);
    g_assert_cmpint(holder.state, ==, HELPER_ABSENT);
    wait_for_end(self.supervisor);
    g_autofree char *raw = read_log(self.path, NAME ".log"), *lines = without_times(raw);
    if (!g_regex_match_simple(log, lines, G_REGEX_DOTALL, 0))
        g_error("log: %s", lines);
    clear(&self);
}

static void test_helper_without_work(void)
{
    assert_ends_alone((char *)"nothing", "dnothing to do", "^$");
}

static void test_helper_that_fails(void)
{
    assert_ends_alone((char *)"fails", "f",
                      "^litterbox-tried: it cannot\n"
                      "litterbox-tried: failed in stage 'second'; gives up\n$");
}

static void test_helper_that_hangs(void)
{
    assert_ends_alone((char *)"hangs", "t",
                      "^litterbox-tried: killed by SIGALRM in stage 'second'; gives up\n$");
}

static void test_helper_that_always_crashes(void)
{
    assert_ends_alone(
        (char *)"early", "f",
        "^litterbox-tried: killed by SIGSEGV in stage 'second'[^;]*; restarting in 0.1 s\n"
        "litterbox-tried: killed by SIGSEGV in stage 'second'[^;]*; restarting in 0.2 s\n"
        "litterbox-tried: killed by SIGSEGV in stage 'second'[^;]*; gives up\n$");
}

/* The output of addr2line for the address in the log. */
static void assert_place(const char *lines, const char *function)
{
#if !defined __SANITIZE_ADDRESS__
    g_autofree char *output = NULL, *name = g_path_get_basename(self_path);
    char module[64], offset[64];
    const char *place = strstr(lines, "test-supervisor+0x");
    g_assert_nonnull(place);
    g_assert_cmpint(sscanf(place, "%63[^+]+%63[0-9a-fx]", module, offset), ==, 2);
    g_assert_cmpstr(module, ==, name);
    const char *argv[] = {"addr2line", "-f", "-e", self_path, offset, NULL};
    if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL,
                      NULL, NULL))
        return; /* no binutils installed */
    if (!g_str_has_prefix(output, function))
        g_error("%s is in %s", offset, output);
#endif
}

static void assert_restarts(char *word, const char *how, const char *function)
{
    struct tried self = {.log = how};
    struct helper_holder holder;
    start(&self, word);
    assert_answers(&self, "rhere it is");
    g_assert_true(eventually(is_second, &self));
    gboolean is_logged = eventually(has_log, &self);
    helper_lock_read(self.path, NAME, &holder);
    g_assert_cmpint(holder.supervisor, ==, self.supervisor);
    g_autofree char *raw = read_log(self.path, NAME ".log"), *lines = without_times(raw);
    if (!is_logged)
        g_error("log: %s", lines);
    if (function)
        assert_place(lines, function);
    /* The helper ends with the box. */
    kill_and_wait(self.box);
    g_assert_cmpint(wait_for_end(self.supervisor), ==, 0);
    self.box = fork();
    if (self.box == 0)
        _exit(0);
    clear(&self);
}

static void test_restart_after_fault(void)
{
    assert_restarts((char *)"faults",
                    "^litterbox-tried: killed by SIGSEGV in stage 'third'( at "
                    "test-supervisor\\+0x[0-9a-f]+)?; restarting in 0.1 s\n$",
                    "crash_here");
}

static void test_restart_after_abort(void)
{
    assert_restarts(
        (char *)"aborts",
        "^litterbox-tried: killed by SIGABRT in stage 'third'( at libc[^ ]*\\+0x[0-9a-f]+, "
        "called from test-supervisor\\+0x[0-9a-f]+)?; restarting in 0.1 s\n$",
        "third");
}

static void test_restart_after_failure(void)
{
    assert_restarts((char *)"exits",
                    "^litterbox-tried: failed in stage 'third'; restarting in 0.1 s\n$", NULL);
}

static void test_a_descriptor_is_kept(void)
{
    assert_restarts(
        (char *)"keeps",
        "^litterbox-tried: nothing is kept\nlitterbox-tried: killed by SIGSEGV in stage "
        "'third'.*; restarting in 0.1 s\nlitterbox-tried: it is kept\n$",
        NULL);
}

static gboolean is_serving(const struct tried *self)
{
    struct helper_holder holder;
    helper_lock_read(self->path, NAME, &holder);
    return holder.state == HELPER_SERVING && worker_of(self) > 0;
}

static gboolean is_paused(const struct tried *self)
{
    struct helper_holder holder;
    helper_lock_read(self->path, NAME, &holder);
    return holder.state == HELPER_PAUSED;
}

/* A pause of a fifth of a second can be over before a busy machine looks. */
static gboolean has_seen_the_end(const struct tried *self)
{
    pid_t worker = worker_of(self);
    return is_paused(self) || (worker > 0 && worker != self->killed);
}

static void test_killed_worker_is_replaced(void)
{
    struct tried self = {0};
    start(&self, (char *)"faults");
    assert_answers(&self, "rhere it is");
    g_assert_true(eventually(is_second, &self));
    /* Crashes until the pause is long enough to be seen, and to be ended by a caller. */
    for (int i = 0; i < 5; i++) {
        g_assert_true(eventually(is_serving, &self));
        self.killed = worker_of(&self);
        kill(self.killed, SIGKILL);
        g_assert_true(eventually(has_seen_the_end, &self));
    }
    gint64 before = g_get_monotonic_time();
    kill(self.supervisor, SIGUSR1);
    g_assert_true(eventually(is_serving, &self));
    /* The pause is 3.2 s by now. */
    g_assert_cmpint(g_get_monotonic_time() - before, <, 3000000);
    /* Both end after SIGTERM. */
    pid_t worker = worker_of(&self);
    kill(self.supervisor, SIGTERM);
    g_assert_cmpint(wait_for_end(self.supervisor), ==, 0);
    g_assert_cmpint(kill(worker, 0), ==, -1);
    clear(&self);
}

static void test_worker_ends_with_killed_supervisor(void)
{
    struct tried self = {0};
    for (int i = 0; i < 20; i++) {
        start(&self, (char *)"faults");
        g_usleep((gulong)g_random_int_range(0, 20000));
        pid_t worker = worker_of(&self);
        kill_and_wait(self.supervisor);
        close(self.answer);
        int fd = worker > 0 ? (int)syscall(SYS_pidfd_open, worker, 0) : -1;
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        g_assert_true(fd < 0 || poll(&wait, 1, WAIT_MS) == 1);
        if (fd >= 0)
            close(fd);
    }
    clear(&self);
}

static void test_one_supervisor_at_a_time(void)
{
    struct tried self = {0}, other;
    start(&self, (char *)"faults");
    assert_answers(&self, "rhere it is");
    other = self;
    start(&other, (char *)"faults");
    assert_answers(&other, "h");
    g_assert_cmpint(wait_for_end(other.supervisor), ==, 0);
    kill_and_wait(self.supervisor);
    start(&other, (char *)"faults");
    assert_answers(&other, "rhere it is");
    kill_and_wait(other.supervisor);
    clear(&self);
}

int main(int argc, char **argv)
{
    if (argc == 3 && argv[1][0] != '-')
        return run_helper(argv);
    char path[PATH_MAX] = "";
    g_assert_cmpint(readlink("/proc/self/exe", path, sizeof path - 1), >, 0);
    self_path = path;
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/supervisor/pauses grow after each crash", test_pauses);
    g_test_add_func("/supervisor/one process holds the lock", test_lock);
    g_test_add_func("/supervisor/links are not followed", test_links_are_not_followed);
    g_test_add_func("/supervisor/log lines", test_log_lines);
    g_test_add_func("/supervisor/log of two", test_log_of_two);
    g_test_add_func("/supervisor/log is bounded", test_log_is_bounded);
    g_test_add_func("/supervisor/a helper without work ends", test_helper_without_work);
    g_test_add_func("/supervisor/a helper that fails is not restarted", test_helper_that_fails);
    g_test_add_func("/supervisor/a helper that hangs times out", test_helper_that_hangs);
    g_test_add_func("/supervisor/gives up on a helper that always crashes",
                    test_helper_that_always_crashes);
    g_test_add_func("/supervisor/restarts a worker after a fault", test_restart_after_fault);
    g_test_add_func("/supervisor/restarts a worker after an abort", test_restart_after_abort);
    g_test_add_func("/supervisor/restarts a worker after a failure", test_restart_after_failure);
    g_test_add_func("/supervisor/a descriptor outlives workers", test_a_descriptor_is_kept);
    g_test_add_func("/supervisor/replaces a killed worker", test_killed_worker_is_replaced);
    g_test_add_func("/supervisor/the worker ends with a killed supervisor",
                    test_worker_ends_with_killed_supervisor);
    g_test_add_func("/supervisor/one supervisor runs at a time", test_one_supervisor_at_a_time);
    return g_test_run();
}
