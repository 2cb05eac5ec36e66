#include "box/helpers/gate.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/helpers/gate_rules.h"
#include "box/registry/runtime_config.h"
#include "common/fs.h"
#include "console/log.h"
#include "host/supervisor/helper_start.h"
#include "net/unix_socket.h"
#include "proto/network_rules.h"

/* The names that the box has asked for, in its data folder: they outlive its container. */
#define NAMES_FILE "network-names"

#define ANSWER_MS 2000
/* For a change, for which the gate may start anew. */
#define CHANGE_MS 10000
#define POLL_INTERVAL_MS 10

static const struct helper gate = {
    .name = "gate", .program = "litterbox-gate", .timeout_ms = 10000};

static char *rules_path(const struct box *self)
{
    return g_build_filename(self->runtime, NETWORK_RULES_FILE, NULL);
}

static gboolean start_gate(const struct box *self, pid_t pid, GError **error)
{
    g_autofree char *run = g_strdup_printf("%d", (int)pid);
    g_autofree char *names = g_build_filename(self->data, NAMES_FILE, NULL);
    const char *arguments[] = {self->runtime, run, names, NULL};
    struct helper_request request = {self->runtime, pid, arguments};
    enum helper_status status = helper_start(&gate, &request, NULL, error);
    if (status == HELPER_READY || status == HELPER_RUNNING)
        return TRUE;
    if (status != HELPER_NOT_READY) {
        g_autofree char *log = helper_log_path(&gate, self->runtime);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the gate has ended; '%s' may say why",
                    log);
    }
    return FALSE;
}

static void add_lines(GPtrArray *lines, const char *word, char *const *rules)
{
    for (; rules && *rules; rules++)
        g_ptr_array_add(lines, g_strdup_printf("%s %s", word, *rules));
}

char **gate_all_rules(const struct box *self, const settings *known, GError **error)
{
    g_auto(GStrv) own = gate_rules_read(self, error);
    if (!own)
        return NULL;
    g_autoptr(GPtrArray) lines = g_ptr_array_new();
    add_lines(lines, "allow", known->network.allow);
    add_lines(lines, "deny", known->network.deny);
    for (char **line = own; *line; line++)
        g_ptr_array_add(lines, g_steal_pointer(line));
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&lines), FALSE);
}

static gboolean write_rules(const struct box *self, const settings *known, GError **error)
{
    g_autofree char *path = rules_path(self);
    g_auto(GStrv) lines = gate_all_rules(self, known, error);
    if (!lines)
        return FALSE;
    g_autoptr(GString) text = g_string_new(known->network.ech ? NETWORK_RULES_ECH "\n" : NULL);
    for (char **line = lines; *line; line++)
        g_string_append_printf(text, "%s\n", *line);
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}

/* What the gate says when it has read the rules again; 0: it does not answer. */
static char ask_gate(const struct box *self)
{
    int fd = unix_socket_connect_in(self->runtime, GATE_SOCKET, SOCK_STREAM | SOCK_NONBLOCK);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char answer = 0;
    if (fd >= 0 && poll(&wait, 1, ANSWER_MS) == 1 && recv(fd, &answer, 1, MSG_DONTWAIT) != 1)
        answer = 0;
    if (fd >= 0)
        close(fd);
    return answer;
}

gboolean gate_update(const struct box *self, pid_t pid, GError **error)
{
    g_autoptr(runtime_config) known = runtime_config_read(self);
    if (known && known->settings->network.mode != NETWORK_FILTERED)
        return TRUE;
    if (!known)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the runtime configuration of box '%s' cannot be read: run 'box restart'",
                    self->name);
    if (!known || !write_rules(self, known->settings, error))
        return FALSE;
    /* A gate that is starting may have read the rules already, and is asked once more. */
    for (gint64 end = g_get_monotonic_time() + CHANGE_MS * 1000; g_get_monotonic_time() < end;) {
        char answer = ask_gate(self);
        if (answer == GATE_CHANGED)
            return TRUE;
        if (answer == GATE_BROKEN)
            break;
        if (!start_gate(self, pid, error))
            return FALSE;
        g_usleep(POLL_INTERVAL_MS * 1000);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the gate of box '%s' did not take the rules; 'box logs --helpers' may say why",
                self->name);
    return FALSE;
}

gboolean gate_open(const struct box *self, pid_t pid, GError **error)
{
    g_autofree char *path = rules_path(self);
    g_autoptr(GError) problem = NULL;
    g_autoptr(runtime_config) known = runtime_config_read(self);
    if (known && known->settings->network.mode != NETWORK_FILTERED) {
        unlink(path);
        return TRUE;
    }
    if (!known)
        g_set_error(&problem, BOX_ERROR, BOX_ERROR_FAILED,
                    "its runtime configuration cannot be read");
    else if (write_rules(self, known->settings, &problem) && start_gate(self, pid, &problem))
        return TRUE;
    g_propagate_prefixed_error(
        error, g_steal_pointer(&problem),
        "box '%s' was not started: its network cannot be filtered: ", self->name);
    return FALSE;
}

void gate_ensure_running(const struct box *self, pid_t pid)
{
    g_autofree char *path = rules_path(self);
    g_autoptr(GError) problem = NULL;
    if (access(path, F_OK) == 0 && !helper_is_supervised(&gate, self->runtime, pid) &&
        !start_gate(self, pid, &problem))
        log_warning("%s; box '%s' has no network", problem->message, self->name);
}
