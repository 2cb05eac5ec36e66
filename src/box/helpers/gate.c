#include "box/helpers/gate.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/helpers/gate_answers.h"
#include "box/helpers/gate_list.h"
#include "box/helpers/package_hosts.h"
#include "box/helpers/secrets.h"
#include "box/helpers/start.h"
#include "box/registry/runtime_config.h"
#include "common/fs.h"
#include "console/log.h"
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
    const char *arguments[] = {self->runtime, run, names, self->project, NULL};
    struct helper_request request = {self->runtime, pid, arguments};
    enum helper_status status = box_helper_start(&gate, &request, NULL, error);
    if (status == HELPER_READY || status == HELPER_RUNNING)
        return TRUE;
    if (status != HELPER_NOT_READY) {
        g_autofree char *log = helper_log_path(&gate, self->runtime);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the gate has ended; '%s' may say why",
                    log);
    }
    return FALSE;
}

static gboolean write_rules(const struct box *self, const settings *known, GError **error)
{
    g_autofree char *path = rules_path(self);
    g_autofree char *text = gate_list_text(self, known, TRUE, NULL, error);
    return text && fs_write(path, text, -1, 0600, error);
}

/* Reads the answer of FD up to its end into ANSWER, of at most MAX bytes. FALSE: none comes. */
static gboolean receive_answer(int fd, gsize max, GString *answer)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char bytes[4096];
    while (answer->len <= max && poll(&wait, 1, ANSWER_MS) == 1) {
        ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (got <= 0)
            return got == 0 && answer->len > 0;
        g_string_append_len(answer, bytes, got);
    }
    return FALSE;
}

/* What the gate answers to REQUEST, a new string of at most MAX bytes; NULL: nothing. */
static char *ask_gate(const struct box *self, enum gate_request request, gsize max)
{
    int fd = unix_socket_connect_in(self->runtime, GATE_SOCKET, SOCK_STREAM | SOCK_NONBLOCK);
    char byte = (char)request;
    g_autoptr(GString) answer = g_string_new(NULL);
    gboolean done = fd >= 0 && send(fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 &&
                    receive_answer(fd, max, answer);
    if (fd >= 0)
        close(fd);
    return done ? g_strdup(answer->str) : NULL;
}

/* What the gate, which may be starting, answers to REQUEST with a text; a new string. */
static char *ask_for_text(const struct box *self, pid_t pid, enum gate_request request, gsize max,
                          GError **error)
{
    for (gint64 end = g_get_monotonic_time() + CHANGE_MS * 1000; g_get_monotonic_time() < end;) {
        g_autofree char *text = ask_gate(self, request, max + strlen(GATE_TEXT_END));
        if (text && g_str_has_suffix(text, GATE_TEXT_END))
            return g_strndup(text, strlen(text) - strlen(GATE_TEXT_END));
        if (!start_gate(self, pid, error))
            return NULL;
        g_usleep(POLL_INTERVAL_MS * 1000);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the gate of box '%s' does not answer, so the box reaches nothing; 'box logs "
                "--helpers' may say why",
                self->name);
    return NULL;
}

char *gate_held_rules(const struct box *self, pid_t pid, GError **error)
{
    return ask_for_text(self, pid, GATE_LIST_RULES, NETWORK_RULES_FILE_MAX, error);
}

/* Of 1,024 connections. */
#define CONNECTIONS_TEXT_MAX (1024 * 1024)

char *gate_connections(const struct box *self, pid_t pid, GError **error)
{
    return ask_for_text(self, pid, GATE_LIST_CONNECTIONS, CONNECTIONS_TEXT_MAX, error);
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
    secrets_check_rules(self, pid);
    /* A gate that is starting may have read the rules already, and is asked once more. */
    for (gint64 end = g_get_monotonic_time() + CHANGE_MS * 1000; g_get_monotonic_time() < end;) {
        g_autofree char *answer = ask_gate(self, GATE_READ_RULES, 1);
        if (answer && answer[0] == GATE_CHANGED)
            return TRUE;
        if (answer && answer[0] == GATE_BROKEN)
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

static gboolean open_filtered(const struct box *self, const char *id, pid_t pid,
                              const settings *known, GError **error)
{
    if (known->network.audit) /* the user may have forgotten it */
        log_warning("network.audit is true: box '%s' reaches every name that no rule denies",
                    self->name);
    if (!package_hosts_choose(self, id, error) || !gate_answers_begin(self, error) ||
        !write_rules(self, known, error))
        return FALSE;
    secrets_open(self, pid);
    return start_gate(self, pid, error);
}

gboolean gate_open(const struct box *self, const char *id, pid_t pid, GError **error)
{
    g_autofree char *path = rules_path(self);
    g_autoptr(GError) problem = NULL;
    g_autoptr(runtime_config) known = runtime_config_read(self);
    if (known && known->settings->network.mode != NETWORK_FILTERED) {
        unlink(path);
        secrets_close(self);
        return TRUE;
    }
    if (!known)
        g_set_error(&problem, BOX_ERROR, BOX_ERROR_FAILED,
                    "its runtime configuration cannot be read");
    else if (open_filtered(self, id, pid, known->settings, &problem))
        return TRUE;
    g_propagate_prefixed_error(
        error, g_steal_pointer(&problem),
        "box '%s' was not started: its network cannot be filtered: ", self->name);
    return FALSE;
}

void gate_ensure_running(const struct box *self, pid_t pid)
{
    secrets_ensure_running(self, pid);
    g_autofree char *path = rules_path(self);
    g_autoptr(GError) problem = NULL;
    if (access(path, F_OK) == 0 && !helper_is_supervised(&gate, self->runtime, pid) &&
        !start_gate(self, pid, &problem))
        log_warning("%s; box '%s' has no network", problem->message, self->name);
}
