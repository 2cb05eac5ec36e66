/*
 * run-steps FOLDER ROUNDS: sessions in a box whose control socket is in FOLDER, without the start
 * of a program around them. Prints medians in milliseconds, in a line: to connect; from the request
 * to the answer that a program which is not there has not begun (a process with the user's rights,
 * and its end); and from the request to the exit status of `true`.
 *
 * When `true` has begun cannot be told: the kernel may run all of it before who waits for that.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "proto/session.h"

enum step { CONNECT, MISSING, COMMAND, STEPS };

/* For the box to have its next process ready, as it has while a program is started. */
#define PAUSE_US 3000

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void send_start(int connection, char *program)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), files[] = {null, null, null};
    char *argv[] = {program, NULL}, *env[] = {NULL}, *body = NULL;
    struct session_command command = {
        .start = {.flags = SESSION_CWD_HINT}, .cwd = "", .argv = argv, .env = env};
    size_t length;
    if (null < 0 || session_command_build(&command, &body, &length) < 0 ||
        session_send(connection, SESSION_START, body, length, files, 3) < 0)
        fail("START");
    free(body);
    close(null);
}

static void await(int connection, enum session_type type)
{
    struct session_header header;
    char *body;
    int files[3];
    if (session_receive(connection, &header, &body, files) != 1 || header.type != type) {
        fprintf(stderr, "run-steps: no message %d\n", (int)type);
        exit(1);
    }
    free(body);
}

static int connect_to(const char *folder)
{
    int connection = unix_socket_connect_in(folder, SESSION_SOCKET, SOCK_STREAM);
    if (connection < 0)
        fail(folder);
    return connection;
}

static void run_missing(const char *folder, double taken[STEPS])
{
    static char program[] = "/there/is/no/such/program";
    int connection = connect_to(folder);
    double began = now();
    send_start(connection, program);
    await(connection, SESSION_FAILED);
    taken[MISSING] = now() - began;
    close(connection);
}

static void run_true(const char *folder, double taken[STEPS])
{
    static char program[] = "/usr/bin/true";
    double began = now();
    int connection = connect_to(folder);
    double connected = now();
    send_start(connection, program);
    await(connection, SESSION_STARTED);
    await(connection, SESSION_EXITED);
    taken[COMMAND] = now() - connected;
    taken[CONNECT] = connected - began;
    close(connection);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int rounds = argc == 3 ? atoi(argv[2]) : 0;
    double taken[STEPS], *all = calloc((size_t)rounds * STEPS + 1, sizeof *all);
    if (rounds < 1 || !all) {
        fputs("usage: run-steps FOLDER ROUNDS\n", stderr);
        return 2;
    }
    for (int i = 0; i < rounds; i++) {
        usleep(PAUSE_US);
        run_missing(argv[1], taken);
        usleep(PAUSE_US);
        run_true(argv[1], taken);
        for (int step = 0; step < STEPS; step++)
            all[step * rounds + i] = taken[step];
    }
    for (int step = 0; step < STEPS; step++) {
        qsort(all + (size_t)step * (size_t)rounds, (size_t)rounds, sizeof *all, compare);
        printf("%.3f%c", all[step * rounds + rounds / 2], step == STEPS - 1 ? '\n' : ' ');
    }
    free(all);
    return 0;
}
