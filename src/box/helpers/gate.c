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
#include "box/registry/registry.h"
#include "box/registry/runtime_config.h"
#include "common/fs.h"
#include "config/settings.h"
#include "console/log.h"
#include "host/supervisor/helper_start.h"
#include "net/unix_socket.h"
#include "proto/network_rules.h"

/* One gate of a box: that of the box itself, or that of a build of its image. */

typedef struct {
    const struct box *box;
    char *folder; /* with its rules, lock, socket and log */
    char *names;  /* its file of the names that were asked for */
    pid_t pid;    /* a process in the network, with which it ends */
    gboolean is_build;
} gate_ref;

/* Frees what is in it. */
static void gate_ref_clear(gate_ref *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(gate_ref, gate_ref_clear)

#define ANSWER_MS 2000
/* For all tries together: for a change the gate may start anew. */
#define TRIES_MS 10000
/* After this, who waits is told. */
#define SILENCE_MS 1500
#define POLL_INTERVAL_MS 10

static const struct helper gate = {
    .name = "gate", .program = "litterbox-gate", .timeout_ms = 10000};

static void gate_ref_clear(gate_ref *self)
{
    g_clear_pointer(&self->folder, g_free);
    g_clear_pointer(&self->names, g_free);
}

/* Its supervisor is there. Four system calls. */
static gboolean gate_ref_is_supervised(const gate_ref *self)
{
    return helper_is_supervised(&gate, self->folder, self->pid);
}

/* The process for which a gate in FOLDER works; 0: there is none. */
static pid_t gate_ref_holder_run(const char *folder)
{
    struct helper_holder holder;
    helper_lock_read(folder, gate.name, &holder);
    return holder.state == HELPER_ABSENT ? 0 : (pid_t)atoi(holder.run);
}

/* Makes sure that it serves. FALSE with ERROR. */
static gboolean gate_ref_start(const gate_ref *self, GError **error)
{
    g_autofree char *run = g_strdup_printf("%d", (int)self->pid);
    const char *arguments[] = {self->folder, run, self->names, self->box->project, NULL};
    struct helper_request request = {self->folder, self->pid, arguments};
    enum helper_status status = box_helper_start(&gate, &request, NULL, error);
    if (status == HELPER_READY || status == HELPER_RUNNING)
        return TRUE;
    if (status != HELPER_NOT_READY) {
        g_autofree char *log = helper_log_path(&gate, self->folder);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the gate has ended; '%s' may say why",
                    log);
    }
    return FALSE;
}

static char *gate_ref_rules_path(const gate_ref *self)
{
    return g_build_filename(self->folder, NETWORK_RULES_FILE, NULL);
}

/* Writes the file of rules, with KNOWN. One process at a time: one that read the rules earlier must
 * not write its file later, without a rule that was added in between. */
static gboolean gate_ref_write_rules(const gate_ref *self, const settings *known, GError **error)
{
    g_autofree char *path = gate_ref_rules_path(self);
    g_autofree char *lock = g_strconcat(path, ".lock", NULL);
    int held = fs_lock(lock, NULL, error);
    if (held < 0)
        return FALSE;
    g_autoptr(GPtrArray) unknown = g_ptr_array_new_with_free_func(g_free);
    /* The image of the box's first container has none that tells of them. */
    g_autofree char *text = self->is_build
                                ? gate_list_text(self->box, known, GATE_LIST_BUILD, unknown, error)
                                : gate_list_text(self->box, known, GATE_LIST_RUNNING, NULL, error);
    gboolean done = text && fs_write(path, text, -1, 0600, error);
    close(held);
    return done;
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
static char *ask(const gate_ref *self, enum gate_request request, gsize max)
{
    int fd = unix_socket_connect_in(self->folder, GATE_SOCKET, SOCK_STREAM | SOCK_NONBLOCK);
    char byte = (char)request;
    g_autoptr(GString) answer = g_string_new(NULL);
    gboolean done = fd >= 0 && send(fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 &&
                    receive_answer(fd, max, answer);
    if (fd >= 0)
        close(fd);
    return done ? g_strdup(answer->str) : NULL;
}

/* Asks a gate that may be starting, until there is an answer that IS_COMPLETE. A new string; NULL
 * with ERROR, also for a gate that is stopped. */
static char *ask_until(const gate_ref *self, enum gate_request request, gsize max,
                       gboolean (*is_complete)(const char *answer), GError **error)
{
    gint64 begun = g_get_monotonic_time();
    gboolean is_told = FALSE;
    for (gint64 us = 0; us < TRIES_MS * 1000; us = g_get_monotonic_time() - begun) {
        if (us >= SILENCE_MS * 1000 && !is_told) {
            log_note("the gate of box '%s' does not answer yet; waiting for up to %d seconds",
                     self->box->name, TRIES_MS / 1000);
            is_told = TRUE;
        }
        g_autofree char *answer = ask(self, request, max);
        if (answer && is_complete(answer))
            return g_steal_pointer(&answer);
        if (!gate_ref_start(self, error))
            return NULL;
        g_usleep(POLL_INTERVAL_MS * 1000);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the gate of box '%s' does not answer, so the box reaches nothing; it may be "
                "stopped (SIGCONT lets it go on), and 'box logs --helpers' may say why",
                self->box->name);
    return NULL;
}

static gboolean is_whole_text(const char *answer)
{
    return g_str_has_suffix(answer, GATE_TEXT_END);
}

/* What the gate, which may be starting, answers to REQUEST with a text; a new string. */
static char *gate_ref_ask_for_text(const gate_ref *self, enum gate_request request, gsize max,
                                   GError **error)
{
    char *text = ask_until(self, request, max + strlen(GATE_TEXT_END), is_whole_text, error);
    if (text)
        text[strlen(text) - strlen(GATE_TEXT_END)] = '\0';
    return text;
}

static struct runtime_config *read_config(const gate_ref *self)
{
    struct box there = *self->box;
    there.runtime = self->folder;
    return runtime_config_read(&there);
}

/* Keeps KNOWN for gate_ref_update(). A box has them by its start. */
static gboolean gate_ref_write_config(const gate_ref *self, const settings *known, GError **error)
{
    static const char *const no_files[] = {NULL};
    struct box there = *self->box;
    there.runtime = self->folder;
    return runtime_config_write(&there, known, NULL, no_files, error);
}

/* The rules have changed: writes the file again if it is there. */
static void gate_ref_renew_rules(const gate_ref *self)
{
    g_autofree char *path = gate_ref_rules_path(self);
    g_autoptr(runtime_config) known = access(path, F_OK) == 0 ? read_config(self) : NULL;
    if (known)
        gate_ref_write_rules(self, known->settings, NULL);
}

/* A gate that starts anew may have read the rules already, and is asked once more. */
static gboolean is_taken_or_broken(const char *answer)
{
    return answer[0] == GATE_CHANGED || answer[0] == GATE_BROKEN;
}

/* The rules have changed: makes the gate obey them now. */
static gboolean gate_ref_update(const gate_ref *self, GError **error)
{
    g_autoptr(runtime_config) known = read_config(self);
    if (known && known->settings->network.mode != NETWORK_FILTERED)
        return TRUE;
    if (!known)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the runtime configuration of box '%s' cannot be read: run 'box restart'",
                    self->box->name);
    if (!known || !gate_ref_write_rules(self, known->settings, error))
        return FALSE;
    if (!self->is_build)
        secrets_check_rules(self->box, self->pid);
    g_autofree char *answer = ask_until(self, GATE_READ_RULES, 1, is_taken_or_broken, error);
    if (!answer)
        g_prefix_error(error, "the rules are kept, and hold as soon as the gate answers: ");
    if (!answer || answer[0] == GATE_CHANGED)
        return answer != NULL;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the gate of box '%s' did not take the rules; 'box logs --helpers' may say why",
                self->box->name);
    return FALSE;
}

/* The names that the box has asked for, in its data folder: they outlive its container. */
#define NAMES_FILE "network-names"

static gate_ref ref_of(const struct box *self, pid_t pid)
{
    return (gate_ref){.box = self,
                      .folder = g_strdup(self->runtime),
                      .names = g_build_filename(self->data, NAMES_FILE, NULL),
                      .pid = pid};
}

char *gate_held_rules(const struct box *self, pid_t pid, GError **error)
{
    g_auto(gate_ref) ref = ref_of(self, pid);
    return gate_ref_ask_for_text(&ref, GATE_LIST_RULES, NETWORK_RULES_FILE_MAX, error);
}

/* Of 1,024 connections. */
#define CONNECTIONS_TEXT_MAX (1024 * 1024)

char *gate_connections(const struct box *self, pid_t pid, GError **error)
{
    g_auto(gate_ref) ref = ref_of(self, pid);
    return gate_ref_ask_for_text(&ref, GATE_LIST_CONNECTIONS, CONNECTIONS_TEXT_MAX, error);
}

static gboolean gate_build_update(const struct box *self, GError **error);

gboolean gate_update(const struct box *self, pid_t pid, GError **error)
{
    g_auto(gate_ref) ref = ref_of(self, pid ? pid : gate_ref_holder_run(self->runtime));
    g_autoptr(GError) of_build = NULL;
    gboolean done = TRUE, build_done;
    if (ref.pid)
        done = gate_ref_update(&ref, error);
    /* Neither keeps a rule from the other. */
    build_done = gate_build_update(self, &of_build);
    if (done && !build_done)
        g_propagate_prefixed_error(error, g_steal_pointer(&of_build), "the build of its image: ");
    return done && build_done;
}

static gboolean open_filtered(const struct box *self, const char *id, pid_t pid,
                              const settings *known, GError **error)
{
    g_auto(gate_ref) ref = ref_of(self, pid);
    if (known->network.audit) /* the user may have forgotten it */
        log_warning("network.audit is true: box '%s' reaches every name that no rule denies",
                    self->name);
    if (!package_hosts_choose(self, id, error) || !gate_answers_begin(self, error) ||
        !gate_ref_write_rules(&ref, known, error))
        return FALSE;
    secrets_open(self, pid);
    return gate_ref_start(&ref, error);
}

gboolean gate_open(const struct box *self, const char *id, pid_t pid, GError **error)
{
    g_auto(gate_ref) ref = ref_of(self, pid);
    g_autofree char *path = gate_ref_rules_path(&ref);
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
    g_auto(gate_ref) ref = ref_of(self, pid);
    g_autofree char *path = gate_ref_rules_path(&ref);
    g_autoptr(GError) problem = NULL;
    if (access(path, F_OK) == 0 && !gate_ref_is_supervised(&ref) && !gate_ref_start(&ref, &problem))
        log_warning("%s; box '%s' has no network", problem->message, self->name);
}

static gate_ref ref_of_build(const struct box *self, pid_t process)
{
    return (gate_ref){.box = self,
                      .folder = g_build_filename(self->runtime, GATE_BUILD_FOLDER, NULL),
                      .names =
                          g_build_filename(self->runtime, GATE_BUILD_FOLDER, "network-names", NULL),
                      .pid = process,
                      .is_build = TRUE};
}

char *gate_build_folder(const struct box *self, GError **error)
{
    g_auto(gate_ref) ref = ref_of_build(self, 0);
    if (!helper_stop_all(ref.folder)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the gate of an earlier build of box '%s' does not end", self->name);
        return NULL;
    }
    fs_remove_tree(ref.folder, NULL);
    return fs_make_folder(ref.folder, 0700, error) ? g_steal_pointer(&ref.folder) : NULL;
}

gboolean gate_build_open(const struct box *self, const settings *wanted, pid_t process,
                         GError **error)
{
    g_auto(gate_ref) ref = ref_of_build(self, process);
    if (wanted->network.audit)
        log_warning("network.audit is true: the build reaches every name that no rule denies");
    /* Those of a run that has ended hold no more. */
    if (!gate_ref_holder_run(self->runtime) && !gate_answers_begin(self, error))
        return FALSE;
    return gate_ref_write_config(&ref, wanted, error) &&
           gate_ref_write_rules(&ref, wanted, error) && gate_ref_start(&ref, error);
}

gboolean gate_build_ensure_running(const struct box *self, pid_t process, GError **error)
{
    g_auto(gate_ref) ref = ref_of_build(self, process);
    return gate_ref_is_supervised(&ref) || gate_ref_start(&ref, error);
}

void gate_build_close(const struct box *self)
{
    g_auto(gate_ref) ref = ref_of_build(self, 0);
    if (helper_stop_all(ref.folder))
        fs_remove_tree(ref.folder, NULL);
}

/* The rules of SELF have changed: makes the gate of a build obey them now, if there is one. */
static gboolean gate_build_update(const struct box *self, GError **error)
{
    g_auto(gate_ref) ref = ref_of_build(self, 0);
    ref.pid = gate_ref_holder_run(ref.folder);
    if (ref.pid)
        return gate_ref_update(&ref, error);
    /* Its gate may have died, and be started again with what is there. */
    gate_ref_renew_rules(&ref);
    return TRUE;
}
