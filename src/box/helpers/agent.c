#include "box/helpers/agent.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/helpers/start.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/ask.h"
#include "net/unix_socket.h"
#include "proto/agent_control.h"
#include "proto/question.h"
#include "proto/question_view.h"
#include "proto/session_notice.h"
#include "sys/descriptors.h"

#define ANSWER_MAX (4 << 20)
/* The agent answers at once, unless it has to wait for the user's own one, or is busy. */
#define ANSWER_SECONDS 90
/* A question has a minute from when it is shown, after up to three others of its box. Longer than
 * that only an agent takes that hangs. */
#define ASK_SECONDS 270
/* A working agent answers "hello" within a millisecond. A stopped one must not delay commands. */
#define HELLO_SECONDS 2

/* Covers the end of an old agent as well. */
#define START_TIMEOUT_MS 5000
#define POLL_INTERVAL_MS 10

static const struct helper ssh_agent = {
    .name = AGENT_HELPER, .program = "litterbox-ssh-agent", .timeout_ms = START_TIMEOUT_MS};

/* What the prompt needs to open a window. Sent to the agent, because it may have been started in
 * another session. */
static const char *const display_names[] = {
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "HOME",
    "LANG",
    "LC_ALL",
    "XDG_DATA_DIRS",
    "XDG_CURRENT_DESKTOP",
    "GTK_THEME",
    "GDK_SCALE",
    "AT_SPI_BUS_ADDRESS",
    "GDK_BACKEND",
    "NO_AT_BRIDGE",
};

char *agent_path(const char *tail)
{
    g_autofree char *below = g_build_filename(AGENT_FOLDER, tail, NULL);
    return paths_runtime(below, NULL);
}

char *agent_box_folder(const char *name)
{
    g_autofree char *tail = g_build_filename(AGENT_BOXES, name, NULL);
    return agent_path(tail);
}

char *agent_notice_folder(const char *name)
{
    g_autofree char *tail = g_build_filename(NOTICE_FOLDER, name, NULL);
    return agent_path(tail);
}

int agent_connect(void)
{
    g_autofree char *folder = agent_path(NULL);
    int fd = folder ? unix_socket_connect_in(folder, AGENT_CONTROL, SOCK_STREAM) : -1;
    if (fd >= 0)
        unix_socket_limit_waiting(fd, ANSWER_SECONDS);
    return fd;
}

int agent_start(GError **error)
{
    static const char *const arguments[] = {"--supervised", NULL};
    g_autofree char *folder = paths_runtime(AGENT_FOLDER, error);
    struct helper_request request = {folder, 0, arguments};
    gint64 end = g_get_monotonic_time() + START_TIMEOUT_MS * 1000;
    do {
        if (!folder || box_helper_start(&ssh_agent, &request, NULL, error) == HELPER_NOT_READY)
            return -1;
        int fd = agent_connect();
        if (fd >= 0)
            return fd;
        g_usleep(POLL_INTERVAL_MS * 1000); /* an old agent is ending */
    } while (g_get_monotonic_time() < end);
    g_autofree char *log = helper_log_path(&ssh_agent, folder);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the SSH agent does not answer; see its log '%s'", log);
    return -1;
}

/* Reads one line. NULL when the agent closed the connection, or with EAGAIN after a timeout. */
static char *read_line(int fd)
{
    g_autoptr(GString) line = g_string_new(NULL);
    char bytes[4096];
    while (line->len < ANSWER_MAX) {
        errno = 0;
        gssize n = recv(fd, bytes, sizeof bytes, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return NULL;
        g_string_append_len(line, bytes, n);
        if (line->str[line->len - 1] == '\n')
            return g_string_free(g_steal_pointer(&line), FALSE);
    }
    return NULL;
}

enum reply { REPLY_COMPLETE, REPLY_CLOSED, REPLY_LATE };

/* Waits for the answer. NULL with ERROR, which has the agent's message. */
static json_t *read_answer(int fd, enum reply *reply, GError **error)
{
    g_autofree char *line = read_line(fd);
    *reply = line ? REPLY_COMPLETE : errno == EAGAIN ? REPLY_LATE : REPLY_CLOSED;
    json_t *answer = line ? json_loads(line, 0, NULL) : NULL;
    if (json_is_true(json_object_get(answer, "ok")))
        return answer;
    const char *why = json_string_value(json_object_get(answer, "error"));
    g_autofree char *safe = text_safe(why ? why : "no answer", -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the SSH agent: %s", safe);
    json_decref(answer);
    return NULL;
}

json_t *agent_answer(int fd, GError **error)
{
    enum reply reply;
    return read_answer(fd, &reply, error);
}

static json_t *call(const json_t *request, gboolean start, int seconds, enum reply *reply,
                    GError **error)
{
    int fd = agent_connect();
    *reply = REPLY_COMPLETE;
    if (fd < 0 && start)
        fd = agent_start(error);
    else if (fd < 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "the SSH agent is not running");
    if (fd < 0)
        return NULL;
    unix_socket_limit_waiting(fd, seconds);
    json_line_send(fd, request);
    json_t *answer = read_answer(fd, reply, error);
    close(fd);
    return answer;
}

/* Calls again while the agent is ending, because a listener accepts connections until its process
 * is gone, which takes a while with locked memory. */
static json_t *call_with_retry(const json_t *request, gboolean start, int seconds,
                               enum reply *reply, GError **error)
{
    g_autoptr(GError) problem = NULL;
    gint64 end = g_get_monotonic_time() + START_TIMEOUT_MS * 1000;
    json_t *answer = call(request, start, seconds, reply, &problem);
    while (*reply == REPLY_CLOSED && start && g_get_monotonic_time() < end) {
        g_usleep(POLL_INTERVAL_MS * 1000);
        g_clear_error(&problem);
        answer = call(request, start, seconds, reply, &problem);
    }
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return answer;
}

json_t *agent_call(json_t *request, gboolean start, GError **error)
{
    enum reply reply;
    /* Nothing would be sent, and the answer waited for. */
    if (!request) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "a name or number that is not UTF-8");
        return NULL;
    }
    json_t *answer = call_with_retry(request, start, ANSWER_SECONDS, &reply, error);
    json_decref(request);
    return answer;
}

gboolean agent_hello(const char *box_name, GError **error)
{
    enum reply reply;
    g_autoptr(GError) problem = NULL;
    const char *real = g_getenv("SSH_AUTH_SOCK");
    if (real && !g_utf8_validate(real, -1, NULL))
        real = NULL;
    json_t *hello = json_pack("{s:s, s:o, s:s*, s:s*}", "op", "hello", "display", agent_display(),
                              "box", box_name, "upstream", real);
    json_t *answer = call_with_retry(hello, TRUE, HELLO_SECONDS, &reply, &problem);
    gboolean lives = answer || reply == REPLY_LATE;
    json_decref(hello);
    json_decref(answer);
    if (!lives)
        g_propagate_error(error, g_steal_pointer(&problem));
    return lives;
}

json_t *agent_display(void)
{
    json_t *set = json_object();
    const char *x11 = g_getenv("DISPLAY"), *wayland = g_getenv("WAYLAND_DISPLAY");
    for (gsize i = 0; (x11 || wayland) && i < G_N_ELEMENTS(display_names); i++) {
        const char *value = g_getenv(display_names[i]);
        if (value && g_utf8_validate(value, -1, NULL))
            json_object_set_new(set, display_names[i], json_string(value));
    }
    return set;
}

/* On a blank before the request. */
static gboolean send_descriptor(int fd, const question *asked)
{
    return asked->descriptor < 0 || descriptors_send(fd, " ", 1, &asked->descriptor, 1, 0) == 1;
}

int agent_ask_begin(const question *asked)
{
    gboolean has_display = g_getenv("DISPLAY") || g_getenv("WAYLAND_DISPLAY");
    if (!has_display && !question_kind_traits(asked->kind)->waits_for_user)
        return -1;
    int fd = agent_hello(NULL, NULL) ? agent_connect() : -1;
    if (fd < 0)
        return -1;
    unix_socket_limit_waiting(fd, ASK_SECONDS);
    json_t *request = json_pack("{s:s, s:o}", "op", "ask", "question", question_to_json(asked));
    gboolean sent = send_descriptor(fd, asked) && json_line_send(fd, request);
    json_decref(request);
    if (sent)
        return fd;
    close(fd);
    return -1;
}

enum question_answer agent_ask_end(int fd)
{
    enum question_answer answer = QUESTION_ANSWER_NOBODY;
    json_t *reply = agent_answer(fd, NULL);
    const char *word = json_string_value(json_object_get(reply, "answer"));
    /* An unknown answer allows nothing. */
    if (word && !question_answer_parse(word, &answer))
        answer = QUESTION_ANSWER_DENY;
    json_decref(reply);
    close(fd);
    return answer;
}

static gboolean ask_on_terminal(const question *asked)
{
    const char *line = question_kind_traits(asked->kind)->terminal;
    g_autofree char *details = question_describe(asked);
    g_autofree char *text = g_strdup_printf("box: %s\n%s%s", asked->headline, details, line);
    return line && ask_can() && ask_yes(text);
}

gboolean agent_ask(const question *asked)
{
    int fd = agent_ask_begin(asked);
    enum question_answer answer = fd >= 0 ? agent_ask_end(fd) : QUESTION_ANSWER_NOBODY;
    return answer == QUESTION_ANSWER_NOBODY ? ask_on_terminal(asked)
                                            : question_allows(asked, answer);
}
