#include "host/supervisor/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/supervisor/alarm.h"
#include "host/supervisor/helper_lock.h"
#include "host/supervisor/helper_log.h"
#include "sys/clock.h"
#include "sys/signals.h"

/* Between SIGTERM and SIGKILL for a worker that must end. */
#define END_TIMEOUT_MS 3000
/* Crashes of a helper that was never ready before the supervisor gives up. */
#define START_TRIES 3
/* Usual size of a pipe (pipe(7)). */
#define PIPE_BYTES 65536
/* The name of a supervisor in ps(1): it has the same command line as the worker. */
#define PROCESS_NAME "box-supervisor"
/* In the environment of a supervisor that has executed itself: "LOCK FAILURES WAS_READY KEPT KEPT".
 */
#define STATE_VARIABLE "LITTERBOX_SUPERVISOR"

static struct {
    const struct supervised *of;
    struct helper_log log, records;
    struct worker_page *page;
    int lock, signals, null;
    int log_pipe[2], records_pipe[2], answer_pipe[2];
    int kept[2];  /* for worker_keep() */
    pid_t worker; /* 0: none now */
    int64_t started, restart_at, kill_at;
    unsigned failures;
    int was_ready, is_ending;
    char result[HELPER_ANSWER_MAX]; /* of worker_result() */
} state = {.records_pipe = {-1, -1}, .kept = {-1, -1}};

int restart_delay(unsigned *failures, int64_t lived_ms)
{
    if (lived_ms >= RESTART_RESET_MS)
        *failures = 0;
    int delay = RESTART_MIN_MS;
    for (unsigned i = 0; i < *failures && delay < RESTART_MAX_MS; i++)
        delay *= 2;
    ++*failures;
    return delay < RESTART_MAX_MS ? delay : RESTART_MAX_MS;
}

/* The caller reads until stdout is closed, so only the first answer is sent. */
static void answer_caller(enum helper_answer answer, const char *line)
{
    helper_answer_send(STDOUT_FILENO, answer, line);
    dup2(state.null, STDOUT_FILENO);
}

static _Noreturn void become_worker(pid_t supervisor)
{
    const struct supervised *of = state.of;
    signals_end_with(supervisor);
    signals_reset();
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_NAME, of->program);
    if (dup2(state.null, STDIN_FILENO) < 0 || dup2(state.null, STDOUT_FILENO) < 0 ||
        dup2(state.log_pipe[1], STDERR_FILENO) < 0)
        _exit(1);
    close(state.lock);
    close(state.signals);
    close(state.null);
    close(state.log_pipe[0]);
    close(state.log_pipe[1]);
    close(state.answer_pipe[0]);
    if (state.log.fd >= 0)
        close(state.log.fd);
    if (of->records)
        close(state.records_pipe[0]);
    if (of->records && state.records.fd >= 0)
        close(state.records.fd);
    if (of->box > STDERR_FILENO)
        close(of->box);
    worker_begin(state.page, state.answer_pipe[1], state.records_pipe[1], state.kept);
    crash_handler_install(of->program, &state.page->crash);
    exit(stages_run(of->stages, of->data));
}

static void schedule_restart(int64_t lived)
{
    state.worker = 0;
    state.restart_at = clock_ms() + restart_delay(&state.failures, lived);
    helper_lock_set(state.lock, HELPER_PAUSED);
}

static void start_worker(void)
{
    pid_t self = getpid();
    state.started = clock_ms();
    state.worker = fork();
    if (state.worker == 0)
        become_worker(self);
    if (state.worker < 0) {
        helper_log_line(&state.log, "%s: cannot fork: %s", state.of->program, strerror(errno));
        schedule_restart(0);
    }
}

/* What executing another program does to the lock and what is kept. */
static int set_flags(int flags)
{
    for (int i = 0; i < 2; i++)
        if (state.kept[i] >= 0 && fcntl(state.kept[i], F_SETFD, flags) < 0)
            return -1;
    return fcntl(state.lock, F_SETFD, flags);
}

/* These, stdin and stdout stay open across the exec. */
static void execute_again(void)
{
    char text[96];
    snprintf(text, sizeof text, "%d %u %d %d %d", state.lock, state.failures, state.was_ready,
             state.kept[0], state.kept[1]);
    if (setenv(STATE_VARIABLE, text, 1) == 0 && set_flags(0) == 0)
        execv("/proc/self/exe", state.of->argv);
    helper_log_line(&state.log, "%s: cannot execute itself: %s", state.of->program,
                    strerror(errno));
    set_flags(FD_CLOEXEC);
    schedule_restart(0);
}

/* Releases the lock first: the caller may start another helper as soon as it has the answer. */
static _Noreturn void finish(enum helper_answer answer, const char *line)
{
    close(state.lock);
    answer_caller(answer, line);
    exit(0);
}

/* Reads one pipe buffer at most: a worker that never stops writing must not block other work. */
static void read_lines(int fd, struct helper_log *log)
{
    char bytes[2048];
    for (int i = 0; i < PIPE_BYTES / (int)sizeof bytes; i++) {
        ssize_t length = read(fd, bytes, sizeof bytes);
        if (length <= 0)
            return;
        helper_log_feed(log, bytes, (size_t)length);
    }
}

static void hear(const char *text, size_t length)
{
    alarm_hear(state.of->program, state.of->alarms, text, length);
}

static void read_logs(void)
{
    read_lines(state.log_pipe[0], &state.log);
    if (state.of->records)
        read_lines(state.records_pipe[0], &state.records);
}

static void read_answer(void)
{
    char line[HELPER_ANSWER_MAX];
    ssize_t length = read(state.answer_pipe[0], line, sizeof line - 1);
    if (length <= 0)
        return;
    line[length] = '\0';
    if (line[0] == HELPER_IS_DONE) {
        memcpy(state.result, line + 1, (size_t)length);
    } else if (line[0] == HELPER_IS_READY) {
        helper_lock_set(state.lock, HELPER_SERVING);
        state.was_ready = 1;
        answer_caller(HELPER_IS_READY, line + 1);
    }
}

/* How the worker has ended: "killed by SIGSEGV in stage 'serving' at litterbox-port+0x4f21". */
static void describe_end(int status, char *text, size_t room)
{
    const char *stage = stage_name(state.of->stages, state.page->stage);
    char place[256] = "";
    if (!WIFSIGNALED(status)) {
        snprintf(text, room, "failed in stage '%s'", stage);
        return;
    }
    crash_describe(&state.page->crash, WTERMSIG(status), place, sizeof place);
    snprintf(text, room, "killed by %s in stage '%s'%s", crash_signal_name(WTERMSIG(status)), stage,
             place);
}

static int is_done(int status)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return state.is_ending || number == SIGTERM || number == SIGINT || number == SIGHUP ||
           (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A caller waits for a helper that was never ready, and can go on without it, so only crashes are
 * tried again. SIGALRM means that the start has timed out. */
static void give_up_start(int status, const char *end)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (state.was_ready || (number && number != SIGALRM && state.failures + 1 < START_TRIES))
        return;
    helper_log_line(&state.log, "%s: %s; gives up", state.of->program, end);
    finish(number == SIGALRM ? HELPER_TIMED_OUT : HELPER_FAILED, "");
}

static void on_worker_end(int status)
{
    char end[512];
    read_logs();
    helper_log_feed(&state.log, "\n", 1);
    if (state.of->records)
        helper_log_feed(&state.records, "\n", 1);
    read_answer();
    if (is_done(status))
        finish(HELPER_IS_DONE, state.result);
    describe_end(status, end, sizeof end);
    give_up_start(status, end);
    schedule_restart(clock_ms() - state.started);
    helper_log_line(&state.log, "%s: %s; restarting in %.1f s", state.of->program, end,
                    (double)(state.restart_at - clock_ms()) / 1000);
}

static void reap(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == state.worker)
            on_worker_end(status);
}

static void begin_end(void)
{
    state.is_ending = 1;
    if (!state.worker)
        finish(HELPER_IS_DONE, "");
    kill(state.worker, SIGTERM);
    state.kill_at = clock_ms() + END_TIMEOUT_MS;
}

static void read_signals(void)
{
    struct signalfd_siginfo info;
    while (read(state.signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            reap();
        else if (info.ssi_signo == SIGUSR1)
            state.restart_at = 0; /* a caller waits for the worker */
        else if (!state.is_ending)
            begin_end();
    }
}

static int time_left(int64_t until)
{
    int64_t left = until - clock_ms();
    return left > 0 ? (int)left : 0;
}

static void act_on_time(void)
{
    if (state.is_ending && time_left(state.kill_at) == 0) {
        kill(state.worker, SIGKILL);
        state.kill_at += END_TIMEOUT_MS;
    }
    if (!state.worker && time_left(state.restart_at) == 0)
        execute_again();
}

static _Noreturn void serve(void)
{
    for (;;) {
        struct pollfd polls[] = {{.fd = state.signals, .events = POLLIN},
                                 {.fd = state.is_ending ? -1 : state.of->box, .events = POLLIN},
                                 {.fd = state.log_pipe[0], .events = POLLIN},
                                 {.fd = state.answer_pipe[0], .events = POLLIN},
                                 {.fd = state.records_pipe[0], .events = POLLIN}};
        int timeout = state.is_ending ? time_left(state.kill_at)
                      : state.worker  ? -1
                                      : time_left(state.restart_at);
        int count = poll(polls, sizeof polls / sizeof *polls, timeout);
        if (count > 0 && (polls[2].revents || polls[4].revents))
            read_logs();
        if (count > 0 && polls[3].revents)
            read_answer();
        if (count > 0 && polls[0].revents)
            read_signals();
        if (count > 0 && polls[1].revents && !state.is_ending)
            begin_end();
        act_on_time();
    }
}

static int watch_signals(void)
{
    static const int watched[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    signal(SIGPIPE, SIG_IGN);
    return signals_watch(SIG_SETMASK, watched, sizeof watched / sizeof *watched);
}

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", state.of->program, what, strerror(errno));
    helper_answer_send(STDOUT_FILENO, HELPER_FAILED, "");
    return 1;
}

/* Keeps the lock after the supervisor has executed itself, or takes it. Sets state.lock. */
static void take_lock(void)
{
    const char *text = getenv(STATE_VARIABLE);
    if (!text || sscanf(text, "%d %u %d %d %d", &state.lock, &state.failures, &state.was_ready,
                        &state.kept[0], &state.kept[1]) != 5) {
        state.lock = helper_lock_take(state.of->folder, state.of->name, state.of->run);
        return;
    }
    unsetenv(STATE_VARIABLE);
    helper_lock_set(state.lock, HELPER_STARTING);
    if (set_flags(FD_CLOEXEC) < 0)
        state.lock = -1;
}

int supervise(const struct supervised *self)
{
    state.of = self;
    state.signals = watch_signals(); /* before one can be lost */
    take_lock();
    if (state.lock < 0 && errno == EAGAIN) {
        helper_answer_send(STDOUT_FILENO, HELPER_IS_HELD, "");
        return 0;
    }
    if (state.lock < 0)
        return fail("lock");
    /* Not confine_harden(): a worker may start programs of the user that are setuid. */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_NAME, PROCESS_NAME);
    state.page =
        mmap(NULL, sizeof *state.page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    state.null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (state.page == MAP_FAILED || state.signals < 0 || state.null < 0 ||
        pipe2(state.log_pipe, O_CLOEXEC) < 0 || pipe2(state.answer_pipe, O_CLOEXEC) < 0)
        return fail("start");
    if (self->records && pipe2(state.records_pipe, O_CLOEXEC) < 0)
        return fail("start");
    if (self->keeps && state.kept[0] < 0 &&
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, state.kept) < 0)
        return fail("start");
    /* The worker's ends stay blocking. */
    fcntl(state.log_pipe[0], F_SETFL, O_NONBLOCK);
    fcntl(state.answer_pipe[0], F_SETFL, O_NONBLOCK);
    helper_log_init(&state.log, self->folder, self->name, self->program, HELPER_LOG_MAX);
    state.log.heard = self->alarms ? hear : NULL;
    if (self->records) {
        fcntl(state.records_pipe[0], F_SETFL, O_NONBLOCK);
        helper_log_init(&state.records, self->records_folder, self->records, self->program,
                        HELPER_RECORDS_MAX);
    }
    dup2(state.null, STDERR_FILENO);
    start_worker();
    serve();
}
