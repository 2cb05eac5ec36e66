#include "guest/init/spare_session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest/init/guards.h"
#include "proto/session.h"
#include "sys/clock.h"

/* After a client was given away: its session starts at this moment, and is not to share the
 * processors with a fork. */
#define PAUSE_MS 5
/* After a fork that failed, or a process that was killed. */
#define RETRY_MS 1000
/* What most sessions use of their heap and of their stack. */
#define USED_BYTES 8192

static const struct init_options *spare_options;
static void (*close_descriptors)(void);
static pid_t process; /* 0: there is none */
static int orders = -1;
static unsigned guards; /* the generation that it knows */
static int64_t due;

void spare_session_init(const struct init_options *of_box, void (*close_in_child)(void))
{
    spare_options = of_box;
    close_descriptors = close_in_child;
    due = clock_ms() + PAUSE_MS;
}

void spare_session_close(void)
{
    if (orders >= 0)
        close(orders);
    orders = -1;
}

/* The process sees that its socket is closed, and exits. */
static void forget(int again_ms)
{
    spare_session_close();
    process = 0;
    due = clock_ms() + again_ms;
}

/* It could not reach the guard that runs now. */
static int is_outdated(void)
{
    return process > 0 && guards != guards_generation();
}

int spare_session_timeout(void)
{
    if (process > 0 && !is_outdated())
        return INT_MAX;
    int64_t left = due - clock_ms();
    return left > 0 ? (int)left : 0;
}

void spare_session_hurry(void)
{
    if (process == 0)
        due = clock_ms();
}

/* The pages of the program, which a fork does not bring along: Linux 5.14, else as they are used.
 */
static void load_program(void)
{
    extern char __executable_start[], _end[];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)__executable_start & ~(page - 1);
    madvise((void *)start, ((uintptr_t)_end - start + page - 1) & ~(page - 1), MADV_POPULATE_READ);
}

/* Pages of its data that a session uses: it shares those that it writes until it first does so, and
 * has none of those that it reads. */
static void load_data(void)
{
    char stack[USED_BYTES], *heap = malloc(USED_BYTES);
    if (heap)
        explicit_bzero(heap, USED_BYTES);
    explicit_bzero(stack, USED_BYTES);
    free(heap);
    clock_ms();
}

static int serve_spare(int socket)
{
    struct session_header header;
    struct session_context context = {.options = spare_options, .origin = SESSION_FROM_HOST};
    char *body;
    int fds[3];
    load_program();
    load_data();
    command_start_ahead(spare_options);
    poll(&(struct pollfd){.fd = socket, .events = POLLIN}, 1, -1);
    command_await_ahead();
    if (session_receive(socket, &header, &body, fds) != 1)
        return SESSION_WITHOUT_COMMAND; /* PID 1 does without this process */
    close(socket);
    session_info_read(&context.info, body, header.length);
    free(body);
    context.connection = fds[0];
    context.questions = fds[1];
    return session_run(&context);
}

void spare_session_fork(void)
{
    int pair[2];
    if (spare_session_timeout() > 0)
        return;
    forget(RETRY_MS);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return;
    process = fork();
    if (process == 0) {
        close_descriptors();
        close(pair[0]);
        _exit(serve_spare(pair[1]));
    }
    close(pair[1]);
    if (process > 0) {
        orders = pair[0];
        guards = guards_generation();
        errno = 0; /* copies its page, which both share, before a client waits for that */
    } else {
        process = 0;
        close(pair[0]);
    }
}

pid_t spare_session_give(int connection, int questions, const struct session_info *info)
{
    pid_t given = process;
    int fds[] = {connection, questions};
    if (given <= 0 || is_outdated())
        return -1;
    /* Root of the box may have stopped it, to keep the host out. */
    kill(given, SIGCONT);
    /* Does not block: the socket is empty. */
    if (session_send(orders, SESSION_INFO, info, sizeof *info, fds, questions < 0 ? 1 : 2) < 0)
        given = -1;
    forget(PAUSE_MS);
    return given;
}

void spare_session_ended(pid_t pid)
{
    if (pid == process)
        forget(RETRY_MS);
}
