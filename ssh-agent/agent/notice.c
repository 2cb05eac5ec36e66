#include "ssh-agent/agent/notice.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/paths.h"
#include "net/unix_socket.h"
#include "proto/agent_control.h"
#include "proto/session_notice.h"
#include "ssh-agent/agent/upstream.h"

/* Sessions that one notice reaches. */
#define SESSIONS_MAX 64

typedef struct {
    char *name;
    int terminal;
} listener;

static void listener_free(gpointer data)
{
    listener *self = data;
    g_free(self->name);
    g_free(self);
}

static GPtrArray *find_listeners(const char *folder)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(listener_free);
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));) {
        int terminal;
        if (!notice_name_parse(name, &terminal))
            continue;
        listener *one = g_new0(listener, 1);
        *one = (listener){g_strdup(name), terminal};
        g_ptr_array_add(list, one);
    }
    return list;
}

/* FALSE: nobody listens there. A client that was killed has left its socket. */
static gboolean send_to(const char *folder, const char *name, const char *text)
{
    int fd = unix_socket_connect_in(folder, name, SOCK_DGRAM | SOCK_NONBLOCK);
    if (fd < 0 && errno == ECONNREFUSED) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        unlink(path);
    }
    gboolean sent = fd >= 0 && send(fd, text, MIN(strlen(text), NOTICE_MAX), MSG_NOSIGNAL) > 0;
    if (fd >= 0)
        close(fd);
    return sent;
}

/* Sends to those of LIST with TERMINAL, or to all. FALSE: nobody was there. */
static gboolean send_to_some(const char *folder, const GPtrArray *list, gboolean all, int terminal,
                             const char *text)
{
    guint sent = 0;
    for (guint i = 0; i < list->len && sent < SESSIONS_MAX; i++) {
        const listener *one = list->pdata[i];
        if (all || one->terminal == terminal)
            sent += send_to(folder, one->name, text);
    }
    return sent > 0;
}

gboolean notice_send(const char *box, pid_t asker, const char *text)
{
    g_autofree char *where = g_build_filename(AGENT_FOLDER, NOTICE_FOLDER, box, NULL);
    g_autofree char *folder = paths_runtime(where, NULL);
    g_autoptr(GPtrArray) list = folder ? find_listeners(folder) : NULL;
    int terminal = asker > 0 ? peer_process_terminal(asker) : NOTICE_NO_TERMINAL;
    /* In the box's tmux, say, it is on a terminal that no client has. */
    return list && (send_to_some(folder, list, FALSE, terminal, text) ||
                    send_to_some(folder, list, FALSE, NOTICE_NO_TERMINAL, text) ||
                    send_to_some(folder, list, TRUE, 0, text));
}

gboolean notice_question(const pending_question *which, gint64 now)
{
    const question *asked = which->asked;
    const question_program *program = asked->chain->len ? asked->chain->pdata[0] : NULL;
    const char *command = question_kind_traits(asked->kind)->command;
    g_autofree char *text = g_strdup_printf(
        "box '%s' asks: %s\n"
        "answer in another terminal, within %d s: 'box %s approve %" G_GUINT64_FORMAT
        "', or 'box %s deny %" G_GUINT64_FORMAT "'",
        asked->box, asked->headline, (int)pending_question_seconds_left(which, now), command,
        which->id, command, which->id);
    return notice_send(asked->box, program ? (pid_t)program->host_pid : 0, text);
}

/* Why a request is refused without a question, and what to do about it. */
static const struct {
    const char *why, *help;
} refusals[] = {
    {"the key store is locked", "the key store is locked: 'box keys unlock' unlocks it"},
    {"locked", "the SSH agent is locked: 'box consent unlock' ends that"},
    {"muted", "it is muted: 'box consent mute --for 0' ends that"},
    {"cooldown", "it may not ask for a while after a refusal or requests that nobody answered"},
    {"queue full", "too many of its requests wait: 'box consent pending' shows them"},
    {"timeout",
     "nobody answered in time: 'box consent pending' shows what waits, and how to answer"},
    {"failed", "the window that asked has ended without an answer"},
    {"not attached any more", "the key was detached, or is gone from your own SSH agent"},
    {"forwarding",
     "another machine asked (ssh -A), which [ssh] forward = \"ask\" would let you answer"},
    {UPSTREAM_NONE, "you have no SSH agent: start one, and the box's next session has it"},
    {UPSTREAM_SILENT,
     "your own SSH agent does not answer: 'ssh-add -l', outside of the box, tries it"},
    {UPSTREAM_REFUSED, "your own SSH agent refused, which may be locked"},
    {UPSTREAM_LACKS,
     "your own SSH agent has none that the box may use: 'ssh-add', outside of the box, adds one"},
};

void notice_refusal(const char *box, pid_t asker, const char *why)
{
    for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
        if (strcmp(refusals[i].why, why) != 0)
            continue;
        g_autofree char *text =
            g_strdup_printf("box '%s' cannot use your SSH keys: %s", box, refusals[i].help);
        notice_send(box, asker, text);
        return;
    }
}
