#include "guest/init/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest/init/left_running.h"
#include "guest/init/session_bus.h"
#include "net/unix_socket.h"

/* A client that sends its request slowly must not occupy a process for ever. */
#define REQUEST_TIMEOUT_S 10
/* As much of a command as a person reads: the client escapes it, and shows all of it. */
#define QUESTION_TEXT_MAX 1024
/* A connect on loopback waits only for a server whose queue is full. */
#define CONNECT_TIMEOUT_MS 5000

void sudo_question_answer(struct sudo_question *self, int yes)
{
    if (self->reply < 0)
        return;
    struct session_answer answer = {yes ? 1 : 0};
    session_send(self->reply, SESSION_ANSWER, &answer, sizeof answer, NULL, 0);
    close(self->reply);
    self->reply = -1;
}

void sudo_question_forward(struct sudo_question *self, int questions, int client)
{
    struct session_header header;
    char *text;
    int fds[3];
    if (session_receive(questions, &header, &text, fds) != 1)
        return;
    self->reply = fds[0];
    fds[0] = -1;
    session_close_descriptors(fds);
    if (header.type != SESSION_ASK ||
        session_send(client, SESSION_ASK, text, header.length, NULL, 0) < 0)
        sudo_question_answer(self, 0);
    free(text);
}

/* Asks over QUESTIONS (-1: nobody can be asked) whether TEXT may run as root. 1: yes. */
static int ask_user(int questions, const char *text, size_t length)
{
    int pair[2], yes = 0;
    if (questions < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return 0;
    int sent = session_send(questions, SESSION_ASK, text, length, &pair[1], 1);
    close(pair[1]);
    struct pollfd wait = {.fd = pair[0], .events = POLLIN};
    if (sent == 0 && poll(&wait, 1, SESSION_ANSWER_MS) == 1) {
        struct session_header header;
        struct session_answer answer = {0};
        char *body;
        int fds[3];
        if (session_receive(pair[0], &header, &body, fds) == 1) {
            if (header.type == SESSION_ANSWER)
                memcpy(&answer, body, sizeof answer);
            yes = answer.yes == 1;
            free(body);
        }
    }
    close(pair[0]);
    return yes;
}

/* The result of a connect(2) that failed with EINPROGRESS. */
static int await_connect(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int error = 0, n;
    socklen_t size = sizeof error;
    do {
        n = poll(&wait, 1, CONNECT_TIMEOUT_MS);
    } while (n < 0 && errno == EINTR);
    if (n == 0)
        error = ETIMEDOUT;
    else if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    errno = error;
    return error ? -1 : 0;
}

/* The socket belongs to the user, as those of the user's sessions do. The process stays root's: if
 * processes of the box could stop it, enough stopped ones would keep the host from connecting. */
static void use_user_ids(const struct init_options *options)
{
    setfsgid(options->gid);
    setfsuid(options->uid);
}

static int connect_tcp(const struct sockaddr *address, socklen_t size)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    if (fd < 0)
        return -1;
    if (connect(fd, address, size) == 0 || (errno == EINPROGRESS && await_connect(fd) == 0))
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* Some development servers listen on IPv4 only, others on IPv6 only. */
static int connect_loopback(int port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                              .sin6_port = htons((uint16_t)port),
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = connect_tcp((struct sockaddr *)&v4, sizeof v4);
    if (fd >= 0 || errno != ECONNREFUSED)
        return fd;
    fd = connect_tcp((struct sockaddr *)&v6, sizeof v6);
    if (fd < 0) /* there may be no IPv6: report what IPv4 answered */
        errno = ECONNREFUSED;
    return fd;
}

/* Answers the CONNECT whose body is BODY, and hands the connected socket to CLIENT. Returns the
 * exit status of the process. */
static int serve_connect(const struct init_options *options, int client, const char *body,
                         size_t length)
{
    struct session_failed failure = {SESSION_STAGE_CONNECT, 0};
    int port = session_connect_parse(body, length);
    int fd = -1;
    use_user_ids(options);
    if (port < 0)
        failure = (struct session_failed){SESSION_STAGE_REQUEST, EINVAL};
    else if ((fd = connect_loopback(port)) < 0)
        failure.error = errno;
    if (fd < 0) {
        session_send(client, SESSION_FAILED, &failure, sizeof failure, NULL, 0);
        return SESSION_WITHOUT_COMMAND;
    }
    return session_send(client, SESSION_CONNECTED, NULL, 0, &fd, 1) == 0 ? 0
                                                                         : SESSION_WITHOUT_COMMAND;
}

static int refuse_session(const struct session_context *context, enum session_stage stage,
                          int error)
{
    struct session_failed failure = {stage, error};
    session_send(context->connection, SESSION_FAILED, &failure, sizeof failure, NULL, 0);
    return -1;
}

/* 0, or an errno: E2BIG for what is too long to be shown to the user. */
static int ask_about(const struct session_context *context, struct session_command *request)
{
    char text[QUESTION_TEXT_MAX];
    if (sudo_command_resolve(request) < 0)
        return EPERM;
    size_t length = sudo_command_describe(text, sizeof text, request);
    if (!length)
        return E2BIG;
    return ask_user(context->questions, text, length) ? 0 : EPERM;
}

/* 0 when it is allowed, or an errno. */
static int check_allowed(const struct session_context *context, struct session_command *request)
{
    if (context->origin == SESSION_FROM_HOST)
        return 0;
    request->start.flags |= SESSION_ROOT;
    if (request->start.flags & SESSION_DETACH)
        return EPERM;
    return context->options->sudo == SUDO_ALLOW ? 0
           : context->options->sudo == SUDO_ASK ? ask_about(context, request)
                                                : EPERM;
}

static void answer_query(const struct session_context *context)
{
    struct session_info info = context->info;
    if (left_running_find(context->options, &info.left) < 0)
        info.left = (struct session_left){.fate = SESSION_LEFT_STAYS};
    if (info.left.processes && info.left.fate == SESSION_LEFT_KEEPS)
        info.idle_left = UINT32_MAX; /* PID 1 looks a moment later */
    session_send(context->connection, SESSION_INFO, &info, sizeof info, NULL, 0);
}

/* Answers the requests that run no command, which only the host may send, and exits. Returns for
 * any other request. */
static void serve_without_command(const struct session_context *context,
                                  const struct session_header *header, const char *body)
{
    if (header->type == SESSION_QUERY) {
        command_end_ahead(); /* else it would be found left running */
        answer_query(context);
        _exit(SESSION_WITHOUT_COMMAND);
    }
    if (header->type == SESSION_CONNECT)
        _exit(serve_connect(context->options, context->connection, body, header->length));
}

static int request_bus(const struct session_context *context, struct session_command *request)
{
    static char *argv[] = {SESSION_BUS_PROGRAM, NULL}, *env[] = {NULL};
    *request = (struct session_command){.start = {.flags = SESSION_DETACH | SESSION_CWD_HINT},
                                        .cwd = context->options->home,
                                        .argv = argv,
                                        .env = env};
    return 0;
}

int session_request_read(const struct session_context *context, struct session_command *request,
                         char **body, int received[3])
{
    if (context->origin == SESSION_FROM_INIT)
        return request_bus(context, request);
    struct session_header header;
    unix_socket_limit_waiting(context->connection, REQUEST_TIMEOUT_S);
    if (session_receive(context->connection, &header, body, received) != 1)
        return -1;
    if (context->origin == SESSION_FROM_HOST)
        serve_without_command(context, &header, *body);
    if (header.type != SESSION_START || session_command_parse(request, *body, header.length) < 0)
        return refuse_session(context, SESSION_STAGE_REQUEST, EINVAL);
    int refused = check_allowed(context, request);
    if (refused)
        return refuse_session(
            context, refused == E2BIG ? SESSION_STAGE_REQUEST : SESSION_STAGE_DENIED, refused);
    return 0;
}
