#include "guest/init/session_table.h"

#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest/init/proc_tree.h"
#include "guest/init/session_bus.h"
#include "guest/init/spare_session.h"

/* Far more than anybody has terminals; further clients are turned away. */
#define SESSIONS_MAX 1024
/* Most of these that sudo has started, so that a flood of sudo cannot keep the host out. */
#define SUDO_SESSIONS_MAX 64

struct slot {
    pid_t pid;
    int questions; /* PID 1's end of the session's question socket, or -1 */
    int from_sudo;
};

static const struct init_options *table_options;
static void (*close_of_pid_1)(void);
static struct slot slots[SESSIONS_MAX];
static int sessions, sudo_sessions;

/* KEEP: the question socket of the new session, or -1. */
static void close_others_in_child(int keep)
{
    close_of_pid_1();
    spare_session_close();
    for (int i = 0; i < SESSIONS_MAX; i++) {
        if (slots[i].pid && slots[i].questions >= 0 && slots[i].questions != keep)
            close(slots[i].questions);
    }
}

static void close_in_session(void)
{
    close_others_in_child(-1);
    session_bus_close();
}

void session_table_init(const struct init_options *of_box, void (*closer)(void))
{
    table_options = of_box;
    close_of_pid_1 = closer;
    spare_session_init(of_box, close_in_session);
}

void session_table_signal(int signal)
{
    for (int i = 0; i < SESSIONS_MAX; i++) {
        if (slots[i].pid)
            kill(slots[i].pid, signal);
    }
}

int session_table_count(void)
{
    return sessions;
}

static struct slot *free_slot(void)
{
    for (int i = 0; i < SESSIONS_MAX; i++) {
        if (!slots[i].pid)
            return &slots[i];
    }
    return NULL;
}

static int is_session(int pid, void *data)
{
    for (int i = 0; i < SESSIONS_MAX; i++) {
        if (slots[i].pid == pid) {
            *(struct slot **)data = &slots[i];
            return 1;
        }
    }
    return 0;
}

/* The question socket of the session that PID belongs to, or -1. */
static int questions_of(int pid)
{
    struct slot *slot = NULL;
    return proc_tree_find_ancestor(pid, is_session, &slot) > 0 && slot ? slot->questions : -1;
}

pid_t session_table_start_bus(int socket, struct session_info info)
{
    pid_t pid = fork();
    if (pid == 0) {
        close_others_in_child(-1);
        struct session_context context = {table_options, socket, SESSION_FROM_INIT, -1, info};
        _exit(session_run(&context));
    }
    return pid;
}

/* In the child. PAIR: PID 1's end of the session's question socket, or -1. */
static void serve_session(const struct session_context *context, int pair)
{
    close_others_in_child(context->questions);
    session_bus_close();
    if (pair >= 0)
        close(pair);
    _exit(session_run(context));
}

/* Its PID, or -1. */
static pid_t start_process(const struct session_context *context, int pair)
{
    pid_t pid = context->origin == SESSION_FROM_HOST
                    ? spare_session_give(context->connection, context->questions, &context->info)
                    : -1;
    if (pid < 0)
        pid = fork();
    if (pid == 0)
        serve_session(context, pair);
    return pid;
}

void session_table_start(int connection, enum session_origin origin, int peer,
                         struct session_info info)
{
    int pair[2] = {-1, -1};
    int from_sudo = origin == SESSION_FROM_SUDO;
    struct slot *slot = from_sudo && sudo_sessions >= SUDO_SESSIONS_MAX ? NULL : free_slot();
    if (slot && origin == SESSION_FROM_HOST && table_options->sudo == SUDO_ASK &&
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        slot = NULL;
    int ask = from_sudo ? questions_of(peer) : pair[1];
    struct session_context context = {table_options, connection, origin, ask, info};
    pid_t pid = slot ? start_process(&context, pair[0]) : -1;
    if (pid > 0) {
        *slot = (struct slot){pid, pair[0], from_sudo};
        sessions++;
        sudo_sessions += from_sudo;
    } else if (pair[0] >= 0) {
        close(pair[0]);
    }
    if (pair[1] >= 0)
        close(pair[1]);
    close(connection);
}

int session_table_ended(pid_t pid)
{
    struct slot *slot = NULL;
    spare_session_ended(pid);
    if (!is_session(pid, &slot))
        return 0;
    spare_session_hurry();
    if (slot->questions >= 0)
        close(slot->questions);
    sudo_sessions -= slot->from_sudo;
    *slot = (struct slot){0, -1, 0};
    sessions--;
    return 1;
}
