#include "mcp/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console/log.h"
#include "mcp/call.h"
#include "mcp/message.h"
#include "mcp/own_branches.h"
#include "mcp/protocol.h"
#include "mcp/tools.h"
#include "net/byte_queue.h"
#include "net/event_loop.h"

#define MESSAGE_CHUNK 65536
/* While so much waits for the client, nothing more is read from it; */
#define OUTPUT_HIGH ((gsize)1 << 20)
/* and so much is more than its calls can have for an answer, unless a box has made up long ones: */
#define OUTPUT_MAX ((gsize)256 << 20)
/* in their place the client gets messages so short, for which there is room behind that. */
#define OUTPUT_SHORT ((gsize)4 << 10)
#define OUTPUT_LIMIT (OUTPUT_MAX + OUTPUT_HIGH)
/* For the last answers, when the client has gone or is about to. */
#define FLUSH_MS 2000

/* One a process, as the event loop is. */
static struct {
    struct tool_host host;
    struct protocol protocol;
    lines lines;
    struct event_watch input, output;
    struct event_timer file; /* in place of INPUT: epoll(7) waits for no file */
    gboolean is_file;
    struct byte_queue queue; /* for the client, of which so much is sent: */
    gsize sent;
    struct event_timer flush;
    gboolean is_over; /* standard input has ended */
    int failed;       /* errno of writing */
} server;

static void quit(void)
{
    event_loop_quit();
}

/* Neither blocks, nor sets O_NONBLOCK, which the client may share with us: that many bytes fit into
 * a pipe that is ready (poll(2), pipe(7)). */
static ssize_t write_some(int fd, const void *bytes, gsize length)
{
    ssize_t n = send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n >= 0 || errno != ENOTSOCK)
        return n;
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) == 1)
        return write(fd, bytes, MIN(length, PIPE_BUF));
    errno = EAGAIN;
    return -1;
}

static gsize unsent(void)
{
    return server.queue.length - server.sent;
}

static void wait_for_input(void)
{
    gboolean reads = !server.is_over && unsent() < OUTPUT_HIGH;
    if (!server.is_file)
        event_watch_set(&server.input, reads ? EPOLLIN : 0);
    else if (reads)
        event_timer_set(&server.file, 1);
}

/* A client that closes its end waits for nothing more; a file waits for its answers. */
static gboolean is_served(void)
{
    return server.is_over && unsent() == 0 && (!server.is_file || server.host.calls->len == 0);
}

static void fail_output(int error)
{
    server.failed = error;
    byte_queue_clear(&server.queue);
    server.sent = 0;
    quit();
}

static void flush_output(void)
{
    while (unsent() > 0) {
        ssize_t n = write_some(server.output.fd, server.queue.data + server.sent, unsent());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN) {
            fail_output(errno);
            return;
        }
        if (n < 0)
            break;
        server.sent += (gsize)n;
    }
    /* Seldom, as it moves all that is left: a client that reads a little at a time would have that
     * moved each time. */
    if (server.sent >= server.queue.length / 2) {
        byte_queue_consume(&server.queue, server.sent);
        server.sent = 0;
    }
    event_watch_set(&server.output, unsent() ? EPOLLOUT : 0);
    if (is_served())
        quit();
}

static void output_ready(struct event_watch *self, uint32_t events)
{
    (void)self;
    (void)events;
    flush_output();
    wait_for_input();
}

/* FALSE: there is no room for it. */
static gboolean send_message(json_t *sent)
{
    char *text = json_dumps(sent, JSON_COMPACT | JSON_REAL_PRECISION(15));
    gsize length = text ? strlen(text) : 0;
    gboolean fits = length <= OUTPUT_SHORT || length + server.queue.length <= OUTPUT_MAX;
    json_decref(sent);
    if (text && fits &&
        (byte_queue_append(&server.queue, text, length) < 0 ||
         byte_queue_append(&server.queue, "\n", 1) < 0))
        fail_output(ENOBUFS);
    free(text);
    flush_output();
    return fits;
}

static void send_own(json_t *sent)
{
    if (!send_message(sent))
        fail_output(ENOBUFS);
}

static void start_call(const protocol_step *step)
{
    if (call_is_open(&server.host, step->id))
        send_own(message_error(step->id, MESSAGE_INVALID_REQUEST,
                               "a request with this id is being worked on", NULL));
    else
        call_start(&server.host, step->tool, step->id, step->arguments, step->token, step->modern);
}

static void take_line(const char *line, gsize length)
{
    g_auto(message) given = {0};
    protocol_step step;
    message_parse(&given, line, length);
    protocol_take(&server.protocol, &given, &step);
    if (step.action == PROTOCOL_ANSWER)
        send_own(step.answer);
    else if (step.action == PROTOCOL_CALL)
        start_call(&step);
    else if (step.action == PROTOCOL_CANCEL)
        call_cancel(&server.host, step.id);
}

static void take_lines(void)
{
    const char *line;
    gsize length;
    line_state state;
    while ((state = lines_next(&server.lines, &line, &length)) != LINE_NONE) {
        if (state == LINE_READY)
            take_line(line, length);
        else
            send_own(message_error(NULL, MESSAGE_PARSE_ERROR, "the line is too long", NULL));
    }
}

static void give_up(struct event_timer *timer)
{
    (void)timer;
    quit();
}

/* The client is done: what it does not wait for any more ends. */
static void end(void)
{
    server.is_over = TRUE;
    if (!server.is_file) {
        event_watch_set(&server.input, 0);
        calls_clear(&server.host);
        g_ptr_array_set_size(server.host.background, 0);
        event_timer_set(&server.flush, FLUSH_MS);
    }
    flush_output();
}

static void read_input(void)
{
    static char bytes[MESSAGE_CHUNK];
    ssize_t n = read(server.input.fd, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        end();
        return;
    }
    if (n > 0) {
        lines_add(&server.lines, bytes, (gsize)n);
        take_lines();
    }
    wait_for_input();
}

static void input_ready(struct event_watch *self, uint32_t events)
{
    (void)self;
    (void)events;
    read_input();
}

static void file_due(struct event_timer *timer)
{
    (void)timer;
    read_input();
}

/* Moves FD out of the way of what prints without thinking, and puts INSTEAD there. */
static int take_stream(int fd, int instead)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (moved >= 0)
        dup2(instead, fd);
    return moved;
}

static gboolean open_streams(GError **error)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    server.input =
        (struct event_watch){.fd = take_stream(STDIN_FILENO, null), .ready = input_ready};
    server.output = (struct event_watch){.fd = take_stream(STDOUT_FILENO, STDERR_FILENO),
                                         .ready = output_ready};
    if (null >= 0)
        close(null);
    int status =
        server.input.fd < 0 || server.output.fd < 0 ? -1 : event_watch_set(&server.input, EPOLLIN);
    server.is_file = status < 0 && errno == EPERM;
    server.file = (struct event_timer){.expired = file_due};
    if (server.is_file)
        wait_for_input();
    if (status == 0 || server.is_file)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "standard input and output must be open, as an MCP client speaks over them: %s",
                g_strerror(errno));
    return FALSE;
}

int mcp_serve(struct box *self, GError **error)
{
    g_autofree char *instructions = g_strdup_printf(
        "Tools for the project '%s', in its box: a container in which commands and code run apart "
        "from the user's machine. The files are those of the project itself. When a call is refused, "
        "its text names the rule; 'status' lists all rules. Only the user can change them.",
        self->project);
    server.host = (struct tool_host){.box = self,
                                     .send = send_message,
                                     .calls = g_ptr_array_new(),
                                     .background = background_list_new(),
                                     .branches = own_branches_new()};
    server.protocol.instructions = instructions;
    server.queue.limit = OUTPUT_LIMIT;
    server.flush = (struct event_timer){.expired = give_up};
    signal(SIGPIPE, SIG_IGN);
    /* Progress of a start is for a terminal; here it would be in the output of a command. */
    log_quiet = TRUE;
    gboolean opened = open_streams(error);
    if (opened)
        event_loop_run();
    calls_clear(&server.host);
    g_ptr_array_unref(server.host.calls);
    g_ptr_array_unref(server.host.background);
    g_array_unref(server.host.branches);
    lines_clear(&server.lines);
    byte_queue_clear(&server.queue);
    if (opened && server.failed)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot write to the client: %s",
                    g_strerror(server.failed));
    return opened && !server.failed ? 0 : -1;
}
