#include "box/helpers/agent.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/helpers/agent_start.h"
#include "proto/json_line.h"
#include "common/paths.h"
#include "common/text.h"
#include "session/client.h"

#define ANSWER_MAX (4 << 20)
/* The agent answers at once, and a question to the user in a little over a minute. */
#define ANSWER_SECONDS 90

/* What a prompt needs to find the user's display; sent along, for an agent that was started from
 * elsewhere. */
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

char *agent_folder(const char *name)
{
    g_autofree char *tail = g_build_filename("boxes", name, NULL);
    return agent_path(tail);
}

int agent_connect(void)
{
    struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    g_autofree char *folder = agent_path(NULL);
    int fd = folder ? client_connect(folder, "control", 0) : -1;
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

/* One line, without its end; NULL when the agent has gone, or (EAGAIN) takes too long. */
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

/* Waits for the answer. NULL with ERROR, the agent's own words; *GONE when it has closed. */
static json_t *take_answer(int fd, gboolean *gone, GError **error)
{
    g_autofree char *line = read_line(fd);
    *gone = !line && errno != EAGAIN;
    json_t *answer = line ? json_loads(line, 0, NULL) : NULL;
    if (json_is_true(json_object_get(answer, "ok")))
        return answer;
    const char *why = json_string_value(json_object_get(answer, "error"));
    g_autofree char *safe = text_safe(why ? why : "it does not answer", -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the SSH agent: %s", safe);
    json_decref(answer);
    return NULL;
}

json_t *agent_answer(int fd, GError **error)
{
    gboolean gone;
    return take_answer(fd, &gone, error);
}

static json_t *call(const json_t *request, gboolean start, gboolean *gone, GError **error)
{
    int fd = agent_connect();
    if (fd < 0 && start)
        fd = agent_start(error);
    else if (fd < 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "the SSH agent does not run");
    if (fd < 0)
        return NULL;
    line_send(fd, request);
    json_t *answer = take_answer(fd, gone, error);
    close(fd);
    return answer;
}

json_t *agent_call(json_t *request, gboolean start, GError **error)
{
    g_autoptr(GError) problem = NULL;
    gboolean gone = FALSE;
    json_t *answer = call(request, start, &gone, &problem);
    /* It was just ending, because no box ran. */
    if (gone && start) {
        g_clear_error(&problem);
        answer = call(request, start, &gone, &problem);
    }
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    json_decref(request);
    return answer;
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

gboolean agent_ask_sudo(const box *self, const char *command, gboolean *yes)
{
    json_t *seen = agent_display();
    if (json_object_size(seen) == 0) {
        json_decref(seen);
        return FALSE;
    }
    json_decref(agent_call(json_pack("{s:s, s:o}", "op", "hello", "display", seen), TRUE, NULL));
    g_autofree char *headline = g_strdup_printf("Run a command as root of box %s", self->name);
    json_t *question = json_pack(
        "{s:i, s:s, s:{s:s, s:s}, s:s, s:s, s:s, s:[{s:s, s:s}], s:[{s:s, s:s}], s:[], s:[],"
        " s:[{s:s, s:s}],"
        " s:b}",
        "version", 1, "kind", "sudo", "box", "name", self->name, "project", self->project,
        "headline", headline, "verdict", "none", "verdict_text", "", "known", "label", "As",
        "value", "root of the box, nobody on this computer", "claimed", "label", "Command", "value",
        command, "chain", "warnings", "choices", "id", "once", "text", "Allow once", "mute", TRUE);
    json_t *answer =
        agent_call(json_pack("{s:s, s:o}", "op", "ask", "question", question), FALSE, NULL);
    const char *choice = json_string_value(json_object_get(answer, "answer"));
    gboolean asked = choice && strcmp(choice, "nobody") != 0;
    *yes = g_strcmp0(choice, "once") == 0;
    json_decref(answer);
    return asked;
}
