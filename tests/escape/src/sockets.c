/* Attacks on box-init's sockets: asking for a session from inside, and messages that make no sense.
 */
#include "attack.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/session.h"

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof address;
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    if (path[0] == '@') { /* an abstract name */
        address.sun_path[0] = '\0';
        size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    }
    struct timeval limit = {.tv_sec = 2};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return connect(fd, (struct sockaddr *)&address, size) < 0 ? -1 : fd;
}

/* A START of `true` with FLAGS and nothing for stdin, stdout and stderr but /dev/null. */
static size_t build(char message[512], uint32_t flags)
{
    static const char strings[] = "\0true"; /* cwd "", argv "true" */
    struct session_start start = {.flags = flags, .argc = 1};
    struct session_header header = {SESSION_VERSION, SESSION_START,
                                    (uint32_t)(sizeof start + sizeof strings)};
    memcpy(message, &header, sizeof header);
    memcpy(message + sizeof header, &start, sizeof start);
    memcpy(message + sizeof header + sizeof start, strings, sizeof strings);
    return sizeof header + sizeof start + sizeof strings;
}

static int send_with_files(int fd, const char *message, size_t length)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), files[] = {null, null, null};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof files)];
    } control = {0};
    struct iovec iov = {(void *)message, length};
    struct msghdr header = {.msg_iov = &iov,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    struct cmsghdr *cmsg = CMSG_FIRSTHDR(&header);
    cmsg->cmsg_level = SOL_SOCKET;
    cmsg->cmsg_type = SCM_RIGHTS;
    cmsg->cmsg_len = CMSG_LEN(sizeof files);
    memcpy(CMSG_DATA(cmsg), files, sizeof files);
    ssize_t n = sendmsg(fd, &header, MSG_NOSIGNAL);
    close(null);
    return n < 0 ? -1 : 0;
}

/* attack control PATH [FLAGS]: a session of our own. */
static int attack_control(char **arguments)
{
    char message[512];
    struct session_header header;
    int fd = connect_to(arguments[0]);
    if (fd < 0)
        return refused(errno, "connect");
    size_t length = build(message, arguments[1] ? (uint32_t)atoi(arguments[1]) : 0);
    if (send_with_files(fd, message, length) < 0)
        return refused(errno, "send");
    ssize_t n = recv(fd, &header, sizeof header, MSG_WAITALL);
    if (n == sizeof header && header.type == SESSION_STARTED)
        return succeeded("a session was started");
    return refused(n < 0 ? errno : ECONNRESET, "no session");
}

/* attack query PATH: what the host's side may ask. */
static int attack_query(char **arguments)
{
    struct session_header header = {SESSION_VERSION, SESSION_QUERY, 0};
    int fd = connect_to(arguments[0]);
    if (fd < 0)
        return refused(errno, "connect");
    if (send(fd, &header, sizeof header, MSG_NOSIGNAL) < 0)
        return refused(errno, "send");
    ssize_t n = recv(fd, &header, sizeof header, MSG_WAITALL);
    return n == sizeof header && header.type == SESSION_INFO
               ? succeeded("an answer")
               : refused(n < 0 ? errno : ECONNRESET, "no answer");
}

/* attack flood PATH COUNT SECONDS: connections that say nothing. */
static int attack_flood(char **arguments)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    int wanted = atoi(arguments[1]), open = 0;
    while (open < wanted && connect_to(arguments[0]) >= 0)
        open++;
    printf("%d connections\n", open);
    fflush(stdout);
    sleep((unsigned)atoi(arguments[2]));
    return open ? SUCCEEDED : REFUSED;
}

struct nonsense {
    const char *name;
    void (*make)(char message[512], size_t *length);
};

static struct session_header *header_of(char *message)
{
    return (struct session_header *)(void *)message;
}

static struct session_start *start_of(char *message)
{
    return (struct session_start *)(void *)(message + sizeof(struct session_header));
}

static void lie_version(char *m, size_t *n)
{
    (void)n;
    header_of(m)->version = 99;
}

static void lie_type(char *m, size_t *n)
{
    (void)n;
    header_of(m)->type = 0xffff;
}

static void lie_long(char *m, size_t *n)
{
    (void)n;
    header_of(m)->length = 0xffffffff;
}

static void lie_limit(char *m, size_t *n)
{
    (void)n;
    header_of(m)->length = SESSION_START_MAX; /* promised, never sent */
}

static void lie_empty(char *m, size_t *n)
{
    header_of(m)->length = 0;
    *n = sizeof(struct session_header);
}

static void lie_short(char *m, size_t *n)
{
    (void)m;
    *n = 3; /* half a header */
}

static void lie_argc(char *m, size_t *n)
{
    (void)n;
    start_of(m)->argc = 0xffffffff;
}

static void lie_envc(char *m, size_t *n)
{
    (void)n;
    start_of(m)->envc = 0x7fffffff;
}

static void lie_sum(char *m, size_t *n)
{
    (void)n;
    start_of(m)->argc = start_of(m)->envc = 0x80000000; /* their sum is 0 */
}

static void lie_none(char *m, size_t *n)
{
    (void)n;
    start_of(m)->argc = 0;
}

static void lie_nul(char *m, size_t *n)
{
    m[*n - 1] = 'x';
}

static void lie_flags(char *m, size_t *n)
{
    (void)n;
    start_of(m)->flags = 0xffffffff;
}

static void lie_wait(char *m, size_t *n)
{
    (void)n;
    start_of(m)->wait = 77;
}

static void lie_both(char *m, size_t *n)
{
    (void)n;
    start_of(m)->flags = SESSION_TTY | SESSION_DETACH;
}

static void lie_tail(char *m, size_t *n)
{
    header_of(m)->length += 4;
    memcpy(m + *n, "tail", 4);
    *n += 4;
}

static void lie_answer(char *m, size_t *n)
{
    header_of(m)->type = SESSION_ANSWER;
    header_of(m)->length = 4;
    *n = sizeof(struct session_header) + 4;
}

static void lie_exited(char *m, size_t *n)
{
    header_of(m)->type = SESSION_EXITED;
    header_of(m)->length = sizeof(struct session_exited);
    *n = sizeof(struct session_header) + sizeof(struct session_exited);
}

static const struct nonsense nonsense[] = {
    {"version", lie_version}, {"type", lie_type},   {"long", lie_long}, {"limit", lie_limit},
    {"empty", lie_empty},     {"short", lie_short}, {"argc", lie_argc}, {"envc", lie_envc},
    {"sum", lie_sum},         {"none", lie_none},   {"nul", lie_nul},   {"flags", lie_flags},
    {"wait", lie_wait},       {"both", lie_both},   {"tail", lie_tail}, {"answer", lie_answer},
    {"exited", lie_exited},
};

/* Sends one message and leaves at once; SUCCEEDED when it was taken for a good one. */
static int try_message(const char *path, const char *message, size_t length)
{
    struct session_header header = {0};
    int fd = connect_to(path);
    if (fd < 0)
        return -1;
    int sent = send_with_files(fd, message, length);
    shutdown(fd, SHUT_WR);
    ssize_t n = sent < 0 ? -1 : recv(fd, &header, sizeof header, MSG_WAITALL);
    close(fd);
    return n == sizeof header && header.type == SESSION_STARTED;
}

/* attack nonsense PATH: each row of the table; one that starts something is a success. */
static int attack_nonsense(char **arguments)
{
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        char message[512] __attribute__((aligned(8)));
        size_t length = build(message, 0);
        nonsense[i].make(message, &length);
        int taken = try_message(arguments[0], message, length);
        if (taken < 0)
            return broken(nonsense[i].name);
        if (taken)
            return succeeded("'%s' started a session", nonsense[i].name);
        printf("%s\n", nonsense[i].name);
    }
    return refused(EPROTO, "all nonsense");
}

/* attack noise PATH COUNT SEED: good messages with bytes changed at random. */
static int attack_noise(char **arguments)
{
    int count = atoi(arguments[1]);
    srandom((unsigned)atoi(arguments[2]));
    for (int i = 0; i < count; i++) {
        char message[512] __attribute__((aligned(8)));
        size_t length = build(message, 0);
        for (long changes = random() % 6 + 1; changes > 0; changes--)
            message[(size_t)random() % length] = (char)random();
        if (try_message(arguments[0], message, length) < 0)
            return broken("connect");
    }
    return refused(EPROTO, "noise");
}

const struct attack socket_attacks[] = {
    {"control", 1, attack_control},   {"query", 1, attack_query}, {"flood", 3, attack_flood},
    {"nonsense", 1, attack_nonsense}, {"noise", 3, attack_noise}, {0},
};
