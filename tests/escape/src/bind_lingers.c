/*
 * Lets the guard be the last to close a connection that has something to send and SO_LINGER: one
 * thread binds the socket, which is refused, and the other closes it meanwhile.
 *
 *     bind-lingers TRIES
 *
 * Status 0: all calls of bind(2) came to an end; 1: some hang; 2: it does not work here.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINGER_S 600
#define LIMIT_S 20
#define DELAYS 150 /* of the close, by one microsecond more each */
#define NS 1000000000L

enum { STARTS, BINDS, BOUND };

static struct sockaddr_in address = {.sin_family = AF_INET};
static volatile int *state; /* of each try */
static int connection;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NS + time.tv_nsec;
}

static int listen_here(void)
{
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, SOMAXCONN) < 0 ||
                   getsockname(fd, (struct sockaddr *)&address, &size) < 0
               ? -1
               : fd;
}

/* A connection whose peer reads nothing, and that is full. */
static int fill_connection(void)
{
    static const char bytes[1 << 16];
    struct linger linger = {1, LINGER_S};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) < 0 ||
        fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
        return -1;
    while (write(fd, bytes, sizeof bytes) > 0)
        ;
    return fd;
}

static void *bind_once(void *mine)
{
    volatile int *at = mine;
    struct sockaddr_in any = {.sin_family = AF_INET};
    *at = BINDS;
    int refused = bind(connection, (struct sockaddr *)&any, sizeof any) < 0;
    *at = BOUND;
    return refused ? NULL : mine;
}

static void try_once(int number)
{
    pthread_t thread;
    connection = fill_connection();
    if (connection < 0 || pthread_create(&thread, NULL, bind_once, (void *)&state[number]) != 0)
        _exit(2);
    while (state[number] == STARTS)
        ;
    for (int64_t until = now() + number % DELAYS * 1000; now() < until;)
        ;
    close(connection); /* may linger itself */
    pthread_join(thread, NULL);
    pause();
}

/* Waits until try NUMBER is over. 1, 0 when it hangs, -1 when its process has ended. */
static int await_bound(int number, pid_t pid, int64_t until)
{
    struct timespec moment = {0, 1000000};
    while (state[number] != BOUND && now() < until) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return -1;
        nanosleep(&moment, NULL);
    }
    return state[number] == BOUND;
}

int main(int argc, char **argv)
{
    int tries = argc == 2 ? atoi(argv[1]) : 0, hanging = 0, broken = 0;
    size_t size = (size_t)tries * sizeof *state;
    pid_t *pids = calloc((size_t)tries + 1, sizeof *pids);
    if (tries <= 0 || !pids || listen_here() < 0)
        return 2;
    state = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (state == MAP_FAILED)
        return 2;
    for (int i = 0; i < tries; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            try_once(i);
        if (pids[i] < 0 || await_bound(i, pids[i], now() + NS / 5) < 0)
            broken++;
    }
    for (int64_t until = now() + LIMIT_S * NS, i = 0; i < tries && !broken; i++)
        hanging += !await_bound((int)i, pids[i], until);
    for (int i = 0; i < tries; i++) {
        if (pids[i] > 0 && kill(pids[i], SIGKILL) == 0)
            waitpid(pids[i], NULL, 0);
    }
    printf("%d of %d hang\n", hanging, tries);
    return broken ? 2 : hanging > 0;
}
