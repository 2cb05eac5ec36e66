#include "bridge/relay.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge/bridge.h"

/* As many as one box gets of a server that has 256 for all. */
#define PAIRS_MAX 64
#define CHUNK 16384
/* As many as one message of X may carry. */
#define FDS_MAX 16

/* What was read from one end and is not yet written to the other. */
struct flow {
    char bytes[CHUNK];
    size_t length, sent;
    int fds[FDS_MAX];
    int n_fds;
};
struct pair {
    int ends[2];
    struct flow *flows; /* two: flows[i] goes from ends[i] to the other */
};

static struct pair pairs[PAIRS_MAX];
static int n_pairs;

static void close_fds(struct flow *flow)
{
    while (flow->n_fds > 0)
        close(flow->fds[--flow->n_fds]);
}

static void take_fds(struct flow *flow, struct msghdr *message)
{
    for (struct cmsghdr *each = CMSG_FIRSTHDR(message); each; each = CMSG_NXTHDR(message, each)) {
        size_t n = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(each) + i * sizeof fd, sizeof fd);
            if (flow->n_fds < FDS_MAX)
                flow->fds[flow->n_fds++] = fd;
            else
                close(fd);
        }
    }
}

/* -1: the connection is over. */
static int fill(struct flow *flow, int from)
{
    union {
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {flow->bytes, CHUNK};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    take_fds(flow, &message);
    flow->sent = 0;
    flow->length = (size_t)n;
    return n == 0 || message.msg_flags & MSG_CTRUNC ? -1 : 0;
}

static int drain(struct flow *flow, int to)
{
    union {
        char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {flow->bytes + flow->sent, flow->length - flow->sent};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (flow->n_fds > 0) {
        size_t size = (size_t)flow->n_fds * sizeof(int);
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        control.aligned = (struct cmsghdr){CMSG_LEN(size), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.aligned), flow->fds, size);
    }
    ssize_t n = sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    close_fds(flow);
    flow->sent += (size_t)n;
    return 0;
}

static int is_full(const struct flow *flow)
{
    return flow->sent < flow->length;
}

/* What each end waits for: to be written to, to be read from, or the other end. */
static void ask(const struct pair *pair, struct pollfd polls[2])
{
    for (int i = 0; i < 2; i++) {
        int events = is_full(&pair->flows[i]) ? 0 : POLLIN;
        if (is_full(&pair->flows[!i]))
            events |= POLLOUT;
        /* One that waits for nothing would be told of its end again and again. */
        polls[i] = (struct pollfd){.fd = events ? pair->ends[i] : -1, .events = (short)events};
    }
}

static int serve(struct pair *pair, const struct pollfd polls[2])
{
    for (int i = 0; i < 2; i++) {
        struct flow *in = &pair->flows[i], *out = &pair->flows[!i];
        if (polls[i].revents & POLLOUT && drain(out, pair->ends[i]) < 0)
            return -1;
        /* Hung up, with nothing left to read. */
        if (polls[i].revents & (POLLERR | POLLHUP | POLLNVAL) && !(polls[i].revents & POLLIN) &&
            !is_full(in))
            return -1;
        if (polls[i].revents & POLLIN && !is_full(in) &&
            (fill(in, pair->ends[i]) < 0 || (is_full(in) && drain(in, pair->ends[!i]) < 0)))
            return -1;
    }
    return 0;
}

static void end_pair(int i)
{
    for (int side = 0; side < 2; side++) {
        close_fds(&pairs[i].flows[side]);
        close(pairs[i].ends[side]);
    }
    free(pairs[i].flows);
    pairs[i] = pairs[--n_pairs];
}

static void begin_pair(int listener, const char *path)
{
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    int server = client < 0 ? -1 : bridge_connect(path);
    struct flow *flows = server < 0 ? NULL : calloc(2, sizeof *flows);
    if (flows) {
        pairs[n_pairs++] = (struct pair){{client, server}, flows};
        return;
    }
    if (client >= 0)
        close(client);
    if (server >= 0)
        close(server);
}

void relay_run(int listener, const char *path)
{
    struct pollfd polls[2 * PAIRS_MAX + 1];
    do {
        int n = n_pairs;
        for (int i = 0; i < n; i++)
            ask(&pairs[i], polls + 2 * i);
        polls[2 * n] = (struct pollfd){.fd = n < PAIRS_MAX ? listener : -1, .events = POLLIN};
        if (poll(polls, (nfds_t)n * 2 + 1, -1) < 0)
            continue;
        if (polls[2 * n].revents)
            begin_pair(listener, path);
        /* Backwards: one that ends is replaced by the last, which has been served. */
        for (int i = n - 1; i >= 0; i--) {
            if (serve(&pairs[i], polls + 2 * i) < 0)
                end_pair(i);
        }
    } while (n_pairs > 0);
    _exit(0);
}
