#include "proto/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/descriptors.h"

#define FDS_MAX 3

int session_length_fits(unsigned type, uint32_t length)
{
    switch (type) {
    case SESSION_START:
        return length > sizeof(struct session_start) && length <= SESSION_START_MAX;
    case SESSION_SIGNAL:
        return length == sizeof(struct session_signal);
    case SESSION_ANSWER:
        return length == sizeof(struct session_answer);
    case SESSION_QUERY:
        return length == 0;
    case SESSION_STARTED:
        return length == sizeof(struct session_started);
    case SESSION_FAILED:
        return length == sizeof(struct session_failed);
    case SESSION_EXITED:
        return length == sizeof(struct session_exited) ||
               length == offsetof(struct session_exited, left);
    case SESSION_ASK:
        return length <= SESSION_SMALL_MAX;
    case SESSION_INFO:
        return length == sizeof(struct session_info) ||
               length == offsetof(struct session_info, left);
    case SESSION_CONNECT:
        return length == sizeof(struct session_connect);
    case SESSION_CONNECTED:
        return length == 0;
    default:
        return 0;
    }
}

static int send_all(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t n = send(fd, data, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        length -= (size_t)n;
    }
    return 0;
}

int session_send(int fd, enum session_type type, const void *body, size_t length, const int *fds,
                 size_t count)
{
    struct session_header header = {
        .version = SESSION_VERSION, .type = (uint16_t)type, .length = (uint32_t)length};
    struct iovec iov[2] = {{&header, sizeof header}, {(void *)body, length}};
    ssize_t n = descriptors_sendv(fd, iov, length ? 2 : 1, fds, count, 0);
    if (n < 0)
        return -1;
    size_t sent = (size_t)n;
    if (sent < sizeof header) {
        if (send_all(fd, (char *)&header + sent, sizeof header - sent) < 0)
            return -1;
        sent = sizeof header;
    }
    if (length == 0) /* BODY may be NULL, and adding 0 to NULL is undefined (C17 6.5.6) */
        return 0;
    return send_all(fd, (const char *)body + (sent - sizeof header),
                    length - (sent - sizeof header));
}

/*
 * A peer that always sends another byte must not hold up the receiver: the time for which that
 * waits for a byte (SO_RCVTIMEO) is also that of what is left of a message. *UNTIL: 0 at first.
 * Looked at only where a message does not come at once.
 */
static int is_late(int fd, int64_t *until)
{
    struct timeval limit = {0};
    socklen_t size = sizeof limit;
    if (*until == 0) {
        int known = getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, &size) == 0;
        int64_t ms = (int64_t)limit.tv_sec * 1000 + limit.tv_usec / 1000;
        *until = known && ms > 0 ? clock_ms() + ms : INT64_MAX;
    }
    errno = EAGAIN;
    return clock_ms() > *until;
}

/* Descriptors come with the first byte (session_send). The kernel closes any that come later. */
static int receive_header(int fd, struct session_header *header, int fds[FDS_MAX], int64_t *until)
{
    size_t have = 0;
    while (have < sizeof *header) {
        if (have > 0 && is_late(fd, until))
            return -1;
        ssize_t n = descriptors_receive(fd, (char *)header + have, sizeof *header - have, fds,
                                        have ? 0 : FDS_MAX, NULL);
        if (n < 0)
            return -1;
        if (n == 0 && have == 0)
            return 0;
        if (n == 0) {
            errno = EPROTO;
            return -1;
        }
        have += (size_t)n;
    }
    return 1;
}

static int receive_body(int fd, char *body, size_t length, int64_t *until)
{
    size_t have = 0;
    while (have < length) {
        if (have > 0 && is_late(fd, until))
            return -1;
        ssize_t n = recv(fd, body + have, length - have, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = EPROTO;
            return -1;
        }
        have += (size_t)n;
    }
    body[length] = '\0';
    return 0;
}

void session_close_descriptors(int fds[FDS_MAX])
{
    for (int i = 0; i < FDS_MAX; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

int session_receive(int fd, struct session_header *header, char **body, int fds[3])
{
    *body = NULL;
    for (int i = 0; i < FDS_MAX; i++)
        fds[i] = -1;
    int64_t until = 0;
    int got = receive_header(fd, header, fds, &until);
    if (got == 1) {
        if (header->version != SESSION_VERSION ||
            !session_length_fits(header->type, header->length)) {
            errno = EPROTO;
            got = -1;
        } else if (!(*body = malloc((size_t)header->length + 1)) ||
                   receive_body(fd, *body, header->length, &until) < 0) {
            got = -1;
        }
    }
    if (got == 1)
        return 1;
    int saved = errno;
    free(*body);
    *body = NULL;
    session_close_descriptors(fds);
    errno = saved;
    return got;
}

/* Returns the string at *AT and moves *AT behind its NUL; NULL when none ends before END. */
static char *take_string(char **at, const char *end)
{
    char *start = *at;
    char *nul = start < end ? memchr(start, '\0', (size_t)(end - start)) : NULL;
    if (nul)
        *at = nul + 1;
    return nul ? start : NULL;
}

static char **take_strings(char **at, const char *end, uint32_t count)
{
    char **list = calloc((size_t)count + 1, sizeof *list);
    if (!list)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = take_string(at, end);
        if (!list[i]) {
            free(list);
            errno = EINVAL;
            return NULL;
        }
    }
    return list;
}

static int start_fits(const struct session_start *start, size_t rest)
{
    return !(start->flags & ~(uint32_t)SESSION_FLAGS) && start->wait < SESSION_WAITS &&
           start->argc >= 1 && start->argc <= SESSION_STRINGS_MAX &&
           start->envc <= SESSION_STRINGS_MAX &&
           /* each string has at least its NUL */
           (size_t)start->argc + start->envc + 1 <= rest &&
           !((start->flags & SESSION_TTY) && (start->flags & SESSION_DETACH));
}

int session_command_parse(struct session_command *command, char *body, size_t length)
{
    *command = (struct session_command){0};
    errno = EINVAL;
    if (length <= sizeof command->start)
        return -1;
    memcpy(&command->start, body, sizeof command->start);
    if (!start_fits(&command->start, length - sizeof command->start))
        return -1;
    char *at = body + sizeof command->start;
    const char *end = body + length;
    command->cwd = take_string(&at, end);
    if (!command->cwd)
        return -1;
    command->argv = take_strings(&at, end, command->start.argc);
    if (command->argv)
        command->env = take_strings(&at, end, command->start.envc);
    if (!command->argv || !command->env || at != end || !command->argv[0][0]) {
        int saved = command->env ? EINVAL : errno;
        session_command_clear(command);
        errno = saved;
        return -1;
    }
    return 0;
}

void session_command_clear(struct session_command *command)
{
    free(command->argv);
    free(command->env);
    command->argv = command->env = NULL;
}

int session_connect_parse(const char *body, size_t length)
{
    struct session_connect request = {0};
    if (length == sizeof request)
        memcpy(&request, body, sizeof request);
    if (request.port >= 1 && request.port <= UINT16_MAX)
        return (int)request.port;
    errno = EINVAL;
    return -1;
}

static void make_left_safe(struct session_left *left)
{
    if (left->fate >= SESSION_FATES)
        left->fate = SESSION_LEFT_STAYS;
    for (int i = 0; i < SESSION_LEFT_MAX; i++)
        left->programs[i].name[SESSION_NAME_MAX - 1] = '\0';
}

void session_exited_read(struct session_exited *exited, const char *body, size_t length)
{
    *exited = (struct session_exited){0};
    memcpy(exited, body, length < sizeof *exited ? length : sizeof *exited);
    make_left_safe(&exited->left);
}

void session_info_read(struct session_info *info, const char *body, size_t length)
{
    *info = (struct session_info){0};
    memcpy(info, body, length < sizeof *info ? length : sizeof *info);
    make_left_safe(&info->left);
}

static size_t strings_size(char *const *list, uint32_t *count)
{
    size_t size = 0;
    *count = 0;
    for (; list && list[*count]; ++*count)
        size += strlen(list[*count]) + 1;
    return size;
}

static char *put_strings(char *at, char *const *list)
{
    for (; list && *list; list++)
        at = stpcpy(at, *list) + 1;
    return at;
}

int session_command_build(const struct session_command *command, char **body, size_t *length)
{
    struct session_start start = command->start;
    size_t size = sizeof start + strlen(command->cwd) + 1;
    size += strings_size(command->argv, &start.argc);
    size += strings_size(command->env, &start.envc);
    if (start.argc == 0) {
        errno = EINVAL;
        return -1;
    }
    if (size > SESSION_START_MAX) {
        errno = E2BIG;
        return -1;
    }
    *body = malloc(size);
    if (!*body)
        return -1;
    memcpy(*body, &start, sizeof start);
    char *at = stpcpy(*body + sizeof start, command->cwd) + 1;
    at = put_strings(at, command->argv);
    put_strings(at, command->env);
    *length = size;
    return 0;
}
