/* The session protocol. */
#include <errno.h>
#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "proto/session.h"

typedef struct {
    char *body;
    size_t length;
} built;

static built build(struct session_start start, const char *cwd, char **argv, char **env)
{
    built result;
    struct session_command command = {.start = start, .cwd = cwd, .argv = argv, .env = env};
    g_assert_cmpint(session_command_build(&command, &result.body, &result.length), ==, 0);
    return result;
}

static int parse(const built *from)
{
    struct session_command command;
    int result = session_command_parse(&command, from->body, from->length);
    if (result == 0)
        session_command_clear(&command);
    return result;
}

static char *usual_argv[] = {(char *)"ls", (char *)"", (char *)"-l", NULL};
static char *usual_env[] = {(char *)"A=1", NULL};

static void start_survives_the_round_trip(void)
{
    struct session_command command;
    built b =
        build((struct session_start){.flags = SESSION_TTY, .rows = 3}, "/x", usual_argv, usual_env);
    g_assert_cmpint(session_command_parse(&command, b.body, b.length), ==, 0);
    g_assert_cmpstr(command.cwd, ==, "/x");
    g_assert_cmpstr(command.argv[0], ==, "ls");
    g_assert_cmpstr(command.argv[1], ==, "");
    g_assert_cmpstr(command.argv[2], ==, "-l");
    g_assert_null(command.argv[3]);
    g_assert_cmpstr(command.env[0], ==, "A=1");
    g_assert_cmpint(command.start.rows, ==, 3);
    session_command_clear(&command);
    free(b.body);
}

/* Cut bodies and wrong counts. */
static void broken_starts_are_refused(void)
{
    struct session_command command;
    built b = build((struct session_start){0}, "", usual_argv, usual_env);
    for (size_t length = 0; length < b.length; length++) {
        g_autofree char *copy = g_memdup2(b.body, b.length);
        g_assert_cmpint(session_command_parse(&command, copy, length), <, 0);
        g_assert_cmpint(errno, ==, EINVAL);
    }
    struct session_start lies[] = {
        {.argc = 0, .envc = 4},
        {.argc = 4, .envc = 1},
        {.argc = 3, .envc = 0},
        {.argc = 3, .envc = UINT32_MAX},
        {.argc = UINT32_MAX, .envc = 2},
        {.argc = 3, .envc = 1, .flags = 1u << 31},
        {.argc = 3, .envc = 1, .wait = SESSION_WAITS},
        {.argc = 3, .envc = 1, .flags = SESSION_TTY | SESSION_DETACH},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(lies); i++) {
        memcpy(b.body, &lies[i], sizeof lies[i]);
        g_assert_cmpint(parse(&b), <, 0);
    }
    free(b.body);
}

static void empty_program_is_refused(void)
{
    char *argv[] = {(char *)"", NULL};
    built b = build((struct session_start){0}, "", argv, NULL);
    g_assert_cmpint(parse(&b), <, 0);
    free(b.body);
}

static void too_large_start_is_not_built(void)
{
    g_autofree char *huge = g_strnfill(SESSION_START_MAX, 'x');
    char *argv[] = {huge, NULL}, *body;
    size_t length;
    struct session_command command = {.cwd = "", .argv = argv};
    g_assert_cmpint(session_command_build(&command, &body, &length), <, 0);
    g_assert_cmpint(errno, ==, E2BIG);
}

/* Of an older box-init, and one whose names have no end. */
static void left_is_read(void)
{
    struct session_info info = {
        .sessions = 2, .idle_left = 3, .left = {.fate = 77, .processes = 1}};
    struct session_info got;
    memset(info.left.programs[7].name, 'x', SESSION_NAME_MAX);
    g_assert_true(session_length_fits(SESSION_INFO, sizeof info));
    session_info_read(&got, (const char *)&info, sizeof info);
    g_assert_cmpuint(got.sessions, ==, 2);
    g_assert_cmpuint(got.left.processes, ==, 1);
    g_assert_cmpuint(got.left.fate, ==, SESSION_LEFT_STAYS);
    g_assert_cmpstr(got.left.programs[7].name, ==, "xxxxxxxxxxxxxxx");
    g_assert_true(session_length_fits(SESSION_INFO, 8));
    session_info_read(&got, (const char *)&info, 8);
    g_assert_cmpuint(got.idle_left, ==, 3);
    g_assert_cmpuint(got.left.processes, ==, 0);
    struct session_exited exited = {.status = 5, .left.processes = 9}, end;
    g_assert_true(session_length_fits(SESSION_EXITED, 8));
    session_exited_read(&end, (const char *)&exited, 8);
    g_assert_cmpint(end.status, ==, 5);
    g_assert_cmpuint(end.left.processes, ==, 0);
    session_exited_read(&end, (const char *)&exited, sizeof exited);
    g_assert_cmpuint(end.left.processes, ==, 9);
    for (uint32_t length = 0; length < 2 * sizeof info; length++)
        g_assert_cmpint(session_length_fits(SESSION_EXITED, length), ==,
                        length == 8 || length == sizeof exited);
}

static void receive_raw(const void *data, size_t size, int expected, int error)
{
    int pair[2], fds[3];
    struct session_header header;
    char *body;
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);
    g_assert_cmpint(write(pair[0], data, size), ==, (gssize)size);
    close(pair[0]);
    g_assert_cmpint(session_receive(pair[1], &header, &body, fds), ==, expected);
    if (expected < 0)
        g_assert_cmpint(errno, ==, error);
    g_assert_null(body);
    close(pair[1]);
}

static void broken_messages_are_refused(void)
{
    struct session_header good = {SESSION_VERSION, SESSION_QUERY, 0};
    struct session_header bad[] = {
        {2, SESSION_QUERY, 0},
        {SESSION_VERSION, 0, 0},
        {SESSION_VERSION, 99, 0},
        {SESSION_VERSION, SESSION_QUERY, 1},
        {SESSION_VERSION, SESSION_EXITED, 4},
        {SESSION_VERSION, SESSION_START, UINT32_MAX},
        {SESSION_VERSION, SESSION_START, SESSION_START_MAX + 1},
        {SESSION_VERSION, SESSION_ASK, SESSION_SMALL_MAX + 1},
        {SESSION_VERSION, SESSION_ASK, 10}, /* without its body */
    };
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
        receive_raw(&bad[i], sizeof bad[i], -1, EPROTO);
    receive_raw(&good, 3, -1, EPROTO);
    receive_raw("", 0, 0, 0);
}

/* A message that comes byte by byte, and each of them before the receiver has waited for long. */
static void slow_message_is_late(void)
{
    int pair[2], fds[3];
    struct session_header header, sent = {SESSION_VERSION, SESSION_ASK, SESSION_SMALL_MAX};
    char *body;
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);
    unix_socket_limit_waiting(pair[1], 1);
    pid_t sender = fork();
    if (sender == 0) {
        const char *at = (const char *)&sent;
        close(pair[1]);
        for (guint i = 0; send(pair[0], at + i % sizeof sent, 1, MSG_NOSIGNAL) == 1; i++)
            g_usleep(100000);
        _exit(0);
    }
    g_assert_cmpint(session_receive(pair[1], &header, &body, fds), ==, -1);
    g_assert_cmpint(errno, ==, EAGAIN);
    g_assert_null(body);
    close(pair[0]);
    close(pair[1]); /* which ends the sender */
    g_assert_cmpint(waitpid(sender, NULL, 0), ==, sender);
}

static void message_carries_three_descriptors(void)
{
    int pair[2], fds[3], give[3] = {0, 1, 2};
    struct session_header header;
    char *body;
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), ==, 0);
    g_assert_cmpint(session_send(pair[0], SESSION_ASK, "hi", 2, give, 3), ==, 0);
    g_assert_cmpint(session_receive(pair[1], &header, &body, fds), ==, 1);
    g_assert_cmpstr(body, ==, "hi");
    for (int i = 0; i < 3; i++) {
        g_assert_cmpint(fds[i], >, 2);
        close(fds[i]);
    }
    free(body);
    close(pair[0]);
    close(pair[1]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/session/round-trip", start_survives_the_round_trip);
    g_test_add_func("/session/broken-starts", broken_starts_are_refused);
    g_test_add_func("/session/empty-program", empty_program_is_refused);
    g_test_add_func("/session/too-large", too_large_start_is_not_built);
    g_test_add_func("/session/left", left_is_read);
    g_test_add_func("/session/broken-messages", broken_messages_are_refused);
    g_test_add_func("/session/slow-message", slow_message_is_late);
    g_test_add_func("/session/descriptors", message_carries_three_descriptors);
    return g_test_run();
}
