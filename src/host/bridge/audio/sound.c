#include "host/bridge/audio/sound.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/bridge/audio/pulse_filter.h"
#include "host/bridge/core/bridge.h"
#include "net/desktop_sockets.h"
#include "net/event_loop.h"
#include "net/token_bucket.h"
#include "net/unix_socket.h"
#include "proto/bridge_protocol.h"
#include "sys/clock.h"
#include "sys/confine.h"
#include "sys/signals.h"

/* The relay: one process for each connection. */

#define CHUNK ((size_t)65536)
/* While this much waits to be sent to one side, nothing is read from the other. */
#define FULL ((size_t)256 * 1024)
/*
 * Token bucket for the program's data, in bytes: refill for each millisecond, and burst. Eight
 * channels at 192 kHz need a third of it. A frame costs at least FRAME_COST, so at most two frames
 * pass in a millisecond.
 */
#define PER_MS 16384
#define BURST ((int64_t)4 << 20)
#define FRAME_COST 8192

enum { PROGRAM, SERVER };

static struct end {
    int fd;
    struct byte_queue in, out;
} ends[2];

/* Tokens that are left, and when they were counted. */
static int64_t budget, counted;

static void refill_budget(void)
{
    int64_t now = clock_ms();
    budget += (now - counted) * PER_MS;
    budget = budget > BURST ? BURST : budget;
    counted = now;
}

static int is_open(const struct pulse_filter *filter, int side)
{
    if (side == PROGRAM && (budget < 0 || pulse_is_waiting(filter)))
        return 0;
    return ends[!side].out.length < FULL && ends[side].out.length < FULL;
}

/* Handles all complete frames from SIDE. -1: the connection must end. */
static int pass_frames(struct pulse_filter *filter, int side)
{
    struct byte_queue *in = &ends[side].in;
    size_t done = 0;
    long length = 0;
    while (is_open(filter, side)) {
        const unsigned char *frame = in->data + done;
        length = in->length > done ? pulse_frame(frame, in->length - done) : 0;
        if (length <= 0 || in->length - done < (size_t)length)
            break;
        int passed = side == PROGRAM ? pulse_from_program(filter, frame, (size_t)length,
                                                          &ends[SERVER].out, &ends[PROGRAM].out)
                                     : pulse_from_server(filter, frame, (size_t)length,
                                                         &ends[SERVER].out, &ends[PROGRAM].out);
        if (passed < 0)
            return -1;
        if (side == PROGRAM)
            budget -= length > FRAME_COST ? length : FRAME_COST;
        done += (size_t)length;
    }
    byte_queue_consume(in, done);
    return length < 0 ? -1 : 0;
}

static int receive_some(struct end *end)
{
    unsigned char *at = byte_queue_reserve(&end->in, CHUNK);
    ssize_t n = at ? recv(end->fd, at, CHUNK, MSG_DONTWAIT) : 0;
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    end->in.length += (size_t)n;
    return n == 0 ? -1 : 0;
}

static int send_some(struct end *end)
{
    if (end->out.length == 0)
        return 0;
    ssize_t n = send(end->fd, end->out.data, end->out.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    byte_queue_consume(&end->out, (size_t)n);
    return 0;
}

/* -1: one of them has ended. */
static int relay_sockets(const struct pollfd *polls, const int *wants)
{
    for (int i = 0; i < 2; i++) {
        if (polls[i].revents & POLLIN && wants[i] && receive_some(&ends[i]) < 0)
            return -1;
        if (polls[i].revents & (POLLERR | POLLHUP | POLLNVAL) && !(polls[i].revents & POLLIN))
            return -1;
    }
    return 0;
}

static int relay_turn(struct pulse_filter *filter)
{
    struct pollfd polls[2];
    int wants[2];
    refill_budget();
    /* The server first: the program may wait for it. */
    if (pass_frames(filter, SERVER) < 0 || pass_frames(filter, PROGRAM) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        if (send_some(&ends[i]) < 0)
            return -1;
        wants[i] = is_open(filter, i);
        polls[i].fd = ends[i].fd;
        polls[i].events = (short)((wants[i] ? POLLIN : 0) | (ends[i].out.length ? POLLOUT : 0));
    }
    int timeout = budget < 0 ? (int)(-budget / PER_MS) + 1 : -1;
    if (poll(polls, 2, timeout) < 0)
        return errno == EINTR ? 0 : -1;
    return relay_sockets(polls, wants);
}

/* Relays between the sockets PROGRAM and SERVER what FILTER lets pass, until one of them ends. */
static void relay_run(struct pulse_filter *filter, int program, int server)
{
    ends[PROGRAM].fd = program;
    ends[SERVER].fd = server;
    budget = BURST;
    counted = clock_ms();
    while (relay_turn(filter) == 0)
        ;
    /* An error reply may still wait. */
    send_some(&ends[PROGRAM]);
    send_some(&ends[SERVER]);
}

/* The listening process. */

/* Connections of a box at a time. PulseAudio accepts 64 for all programs of the user. */
#define RELAYS_MAX 16
/* How often programs may connect; others wait in the queue. */
static struct token_bucket connections = {.burst = 40, .refill_ms = 100};
#define PAUSE_MS 100
/* Descriptor numbers in the listening process and in a relay. */
#define LISTENER 3
#define PROGRAM_FD 3
#define SERVER_FD 4

static unsigned permissions(void)
{
    unsigned result = bridge.settings.sound == SOUND_PLAYBACK ? PULSE_PLAYBACK : 0;
    return bridge.settings.microphone ? result | PULSE_RECORDING : result;
}

/* Connects to the server, gives up all files and calls, and only then reads from the box. */
static _Noreturn void run_relay(pid_t parent, int program)
{
    static struct pulse_filter filter;
    char path[PATH_MAX];
    signals_reset();
    signals_end_with(parent);
    prctl(PR_SET_NAME, "litterbox-pulse");
    filter.client.box = bridge.name;
    filter.client.permissions = permissions();
    int high = fcntl(program, F_DUPFD_CLOEXEC, SERVER_FD + 1);
    int server =
        desktop_sound_socket(path, sizeof path) == 0 ? unix_socket_connect(path, SOCK_STREAM) : -1;
    if (high < 0 || server < 0 || (server != SERVER_FD && dup2(server, SERVER_FD) < 0) ||
        dup2(high, PROGRAM_FD) < 0 || close_range(SERVER_FD + 1, ~0u, 0) < 0)
        _exit(1);
    /* Landlock is optional. */
    confine_files(NULL, 0);
    if (confine_calls(0) == 0)
        relay_run(&filter, PROGRAM_FD, SERVER_FD);
    _exit(0);
}

static int start_relay(pid_t self, int program)
{
    pid_t pid = fork();
    if (pid == 0)
        run_relay(self, program);
    return pid > 0;
}

static void prepare_listener(pid_t parent, int listener)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    signals_reset();
    signals_end_with(parent);
    prctl(PR_SET_NAME, "litterbox-sound");
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        (listener != LISTENER && dup2(listener, LISTENER) < 0) ||
        close_range(LISTENER + 1, ~0u, 0) < 0)
        _exit(1);
}

static int reap(int signal_fd)
{
    struct signalfd_siginfo info;
    int ended = 0;
    while (read(signal_fd, &info, sizeof info) > 0)
        ;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ended++;
    return ended;
}

/* The number of relays that it has started: 0 or 1. */
static int accept_program(pid_t self)
{
    if (!token_bucket_take(&connections, clock_ms())) {
        poll(NULL, 0, PAUSE_MS);
        return 0;
    }
    int program = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC), started;
    if (program < 0)
        return 0;
    started = start_relay(self, program);
    close(program);
    return started;
}

/* The listening process, which reads no data from the box. */
static _Noreturn void run_listener(pid_t parent, int listener)
{
    pid_t self = getpid();
    int running = 0;
    prepare_listener(parent, listener);
    struct pollfd polls[] = {
        {.events = POLLIN},
        {.fd = signals_watch(SIG_BLOCK, (int[]){SIGCHLD}, 1), .events = POLLIN}};
    do {
        if (polls[1].revents)
            running -= reap(polls[1].fd);
        if (polls[0].revents)
            running += accept_program(self);
        polls[0].fd = running < RELAYS_MAX ? LISTENER : -1;
    } while (polls[1].fd >= 0 && poll(polls, 2, -1) >= 0);
    _exit(1);
}

/* Nobody accepts connections any more; the next worker of the bridge makes a new socket. */
static void on_end(struct event_watch *self, uint32_t events)
{
    bridge_fail("listener for sound");
}

enum bridge_outcome sound_begin(void)
{
    char path[PATH_MAX];
    /* A bridge that was killed may have left its socket. */
    sound_end();
    if (!permissions())
        return BRIDGE_NO_DISPLAY;
    if (desktop_sound_socket(path, sizeof path) < 0)
        return BRIDGE_NO_SERVER;
    int listener = bridge_listen(BRIDGE_FOLDER "/" BRIDGE_SOUND, SOCK_STREAM);
    pid_t parent = getpid(), pid = listener < 0 ? -1 : fork();
    if (pid == 0)
        run_listener(parent, listener);
    if (listener >= 0)
        close(listener);
    static struct event_watch ended = {.ready = on_end};
    ended.fd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    return ended.fd < 0 || event_watch_set(&ended, EPOLLIN) < 0 ? BRIDGE_FAILED : BRIDGE_SHARED;
}

void sound_end(void)
{
    bridge_unlink(BRIDGE_SOUND);
}
