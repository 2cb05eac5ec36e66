#include "host/bridge/audio/sound.h"

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

#include "host/bridge/audio/pulse_rules.h"
#include "host/bridge/audio/sound_link.h"
#include "host/bridge/core/bridge.h"
#include "net/desktop_sockets.h"
#include "net/event_loop.h"
#include "net/token_bucket.h"
#include "net/unix_socket.h"
#include "proto/bridge_status.h"
#include "sys/clock.h"
#include "sys/confine.h"
#include "sys/signals.h"

/* Programs of a box that are connected at a time: as many as one box gets of a PulseAudio that has
 * 64 for all. */
#define LINKS_MAX 16
/* How often one may connect; who comes too often waits. */
static struct token_bucket connections = {.burst = 40, .refill_ms = 100};
#define PAUSE_MS 100
/* Where the listener is in the process that waits. */
#define LISTENER 3
#define PROGRAM 3
#define SERVER 4

static unsigned allowed(void)
{
    unsigned may = bridge.settings.sound == SOUND_PLAYBACK ? PULSE_PLAYS : 0;
    return bridge.settings.microphone ? may | PULSE_RECORDS : may;
}

/* The server is connected to before anything of the box is read; then no file is left. */
static _Noreturn void become_link(pid_t parent, int program)
{
    static struct pulse_filter filter;
    char path[PATH_MAX];
    signals_reset();
    signals_end_with(parent);
    prctl(PR_SET_NAME, "litterbox-link");
    filter.box = bridge.name;
    filter.may = allowed();
    int high = fcntl(program, F_DUPFD_CLOEXEC, SERVER + 1);
    int server =
        desktop_sound_socket(path, sizeof path) == 0 ? unix_socket_connect(path, SOCK_STREAM) : -1;
    if (high < 0 || server < 0 || (server != SERVER && dup2(server, SERVER) < 0) ||
        dup2(high, PROGRAM) < 0 || close_range(SERVER + 1, ~0u, 0) < 0)
        _exit(1);
    /* A kernel without Landlock goes without. */
    confine_files(NULL, 0);
    if (confine_calls(0) == 0)
        sound_link_run(&filter, PROGRAM, SERVER);
    _exit(0);
}

static int start_link(pid_t self, int program)
{
    pid_t pid = fork();
    if (pid == 0)
        become_link(self, program);
    return pid > 0;
}

static void prepare(pid_t parent, int listener)
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

/* A descriptor that says when a link has ended. */
static int watch_links(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int reap(int ends)
{
    struct signalfd_siginfo info;
    int ended = 0;
    while (read(ends, &info, sizeof info) > 0)
        ;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ended++;
    return ended;
}

/* How many it has started: one, or none. */
static int serve(pid_t self)
{
    if (!token_bucket_take(&connections, clock_ms())) {
        poll(NULL, 0, PAUSE_MS);
        return 0;
    }
    int program = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC), started;
    if (program < 0)
        return 0;
    started = start_link(self, program);
    close(program);
    return started;
}

/* It reads no byte of the box's. */
static _Noreturn void work(pid_t parent, int listener)
{
    pid_t self = getpid();
    int running = 0;
    prepare(parent, listener);
    struct pollfd polls[] = {{.events = POLLIN}, {.fd = watch_links(), .events = POLLIN}};
    do {
        if (polls[1].revents)
            running -= reap(polls[1].fd);
        if (polls[0].revents)
            running += serve(self);
        polls[0].fd = running < LINKS_MAX ? LISTENER : -1;
    } while (polls[1].fd >= 0 && poll(polls, 2, -1) >= 0);
    _exit(1);
}

/* Without it the socket is dead; the next worker makes another. */
static void on_end(struct event_watch *self, uint32_t events)
{
    bridge_fail("listener for sound");
}

enum bridge_outcome sound_begin(void)
{
    char path[PATH_MAX];
    /* One that was killed may have left its own. */
    sound_end();
    if (!allowed())
        return BRIDGE_NO_DISPLAY;
    if (desktop_sound_socket(path, sizeof path) < 0)
        return BRIDGE_NO_SERVER;
    int listener = bridge_listen(BRIDGE_FOLDER "/" BRIDGE_SOUND, SOCK_STREAM);
    pid_t parent = getpid(), pid = listener < 0 ? -1 : fork();
    if (pid == 0)
        work(parent, listener);
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
