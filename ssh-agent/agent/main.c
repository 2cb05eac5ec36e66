/*
 * litterbox-ssh-agent: one for each user, started by `box` under a supervisor, or by systemd. It
 * starts in stages, as each needs rights that later ones give up. The launcher is forked before a
 * secret is in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/subid.h"
#include "host/supervisor/supervise.h"
#include "ssh-agent/agent/control_socket.h"
#include "ssh-agent/agent/socket_paths.h"
#include "sys/confine.h"
#include "sys/debug.h"

#define PROGRAM "litterbox-ssh-agent"
#define IDLE_SECONDS 60
/* How often questions are checked for their timeout. */
#define TICK_INTERVAL_MS 500

static int idle_seconds = IDLE_SECONDS;
static gboolean is_supervised;
static const GOptionEntry entries[] = {
    {"idle", 0, 0, G_OPTION_ARG_INT, &idle_seconds,
     "end when no box has run for this long; 0: never", "SECONDS"},
    {"supervised", 0, 0, G_OPTION_ARG_NONE, &is_supervised, "started by box, not by systemd", NULL},
    {NULL},
};

static gint64 read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

gint64 agent_now(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

static void log_cleared_grants(agent *self, const char *why, guint count)
{
    audit_write(self->log, json_pack("{s:s, s:s, s:i}", "event", "grants cleared", "why", why,
                                     "grants", (int)count));
}

void agent_check_sleep(agent *self)
{
    guint count = grants_slept(self->grants, agent_now() - read_clock(CLOCK_MONOTONIC));
    if (count > 0)
        log_cleared_grants(self, "suspend", count);
}

void agent_forget_grants(agent *self, const char *why)
{
    guint count = grants_clear(self->grants, NULL, NULL);
    pending_questions_drop(self->questions, NULL, agent_now());
    log_cleared_grants(self, why, count);
}

/* A box is open, a client is connected, or keys are unlocked, which would be lost. */
static gboolean is_needed(const agent *self)
{
    return g_hash_table_size(self->boxes) > 0 || control_is_busy() ||
           !keystore_backend_is_locked(self->keystore);
}

static gboolean on_idle(gpointer data)
{
    agent *self = data;
    self->idle = 0;
    if (!is_needed(self))
        g_main_loop_quit(self->loop);
    return G_SOURCE_REMOVE;
}

void agent_check_idle(agent *self)
{
    g_clear_handle_id(&self->idle, g_source_remove);
    if (self->idle_after > 0 && !is_needed(self))
        self->idle = g_timeout_add_seconds((guint)self->idle_after, on_idle, self);
}

static gboolean on_tick(gpointer data)
{
    agent *self = data;
    pending_questions_tick(self->questions, agent_now());
    prompt_client_tick(self);
    if (pending_questions_all(self->questions)->len > 0)
        return G_SOURCE_CONTINUE;
    self->ticker = 0;
    return G_SOURCE_REMOVE;
}

void agent_tick(agent *self)
{
    if (!self->ticker)
        self->ticker = g_timeout_add(TICK_INTERVAL_MS, on_tick, self);
}

static gboolean on_signal(gpointer data)
{
    agent *self = data;
    g_main_loop_quit(self->loop);
    return G_SOURCE_CONTINUE;
}

/* Without prompts and known_hosts the agent is of little use; its supervisor starts another one. */
static gboolean on_launcher_lost(gint fd, GIOCondition condition, gpointer data)
{
    agent *self = data;
    g_warning("the launcher is gone");
    self->has_failed = TRUE;
    g_main_loop_quit(self->loop);
    return G_SOURCE_REMOVE;
}

/* Each client of a box needs a descriptor, or two. */
static void raise_limits(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static gboolean open_log(agent *self, GError **error)
{
    g_autofree char *state = paths_state(NULL);
    self->log = audit_new(state);
    if (self->log)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot open '%s': %s", state,
                g_strerror(errno));
    return FALSE;
}

static void on_answered(gpointer waiter, const question_reply *reply)
{
    ((question_waiter *)waiter)->answered(waiter, reply);
}

static gboolean begin(agent *self, GError **error)
{
    static const pending_hooks hooks = {prompt_client_show, prompt_client_hide, on_answered,
                                        prompt_client_in_window};
    if (!socket_paths_open(error) || (!is_supervised && !socket_paths_take_lock(error)) ||
        !prompt_client_load_secret(self, error) || !open_log(self, error))
        return FALSE;
    int control = socket_paths_listen_control();
    if (control < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot create the control socket: %s",
                    g_strerror(errno));
        return FALSE;
    }
    self->locked = socket_paths_are_locked();
    self->keystore = keystore_backend_new();
    self->grants = grants_new();
    self->questions = pending_questions_new(&hooks, self);
    self->boxes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, boxes_free);
    boxes_restore(self);
    control_begin(self, control);
    return TRUE;
}

static void end(agent *self)
{
    socket_paths_close();
    pending_questions_drop(self->questions, NULL, agent_now());
    g_clear_pointer(&self->boxes, g_hash_table_unref);
    g_clear_pointer(&self->prompts, g_hash_table_unref);
    g_clear_pointer(&self->windowless, g_hash_table_unref);
    g_clear_pointer(&self->untold, g_array_unref);
    prompt_launcher_free(self->launcher);
    audit_free(self->log);
    grants_free(self->grants);
    pending_questions_free(self->questions);
    keystore_backend_free(self->keystore);
    g_strfreev(self->display);
    explicit_bzero(self->secret, sizeof self->secret);
}

/* Not dumpable, no core dumps, no swapped memory, no new privileges. The launcher and prompts
 * inherit all but the first. */
static enum stage_result secure_memory(void *data)
{
    struct rlimit locked;
    secret_protect_process();
    /* A prompt's answer may be a password, and jansson copies what it reads. */
    json_set_alloc_funcs(malloc, secret_wipe_and_free);
    confine_harden();
    /* Under a limit, mlockall() would make later allocations fail. */
    if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur == RLIM_INFINITY)
        mlockall(MCL_CURRENT | MCL_FUTURE);
    raise_limits();
    return STAGE_NEXT;
}

static enum stage_result start_launcher(void *data)
{
    agent *self = data;
    g_autofree char *prompt = paths_libexec("litterbox-prompt");
    signal(SIGPIPE, SIG_IGN);
    self->launcher = prompt_launcher_new(prompt);
    if (self->launcher)
        return STAGE_NEXT;
    g_printerr(PROGRAM ": cannot start: %s\n", g_strerror(errno));
    return STAGE_FAILED;
}

static enum stage_result open_sockets(void *data)
{
    g_autoptr(GError) error = NULL;
    if (begin(data, &error)) {
        subid_is_ours(getuid() + 1); /* reads /etc/subuid, while that is allowed */
        return STAGE_NEXT;
    }
    g_printerr(PROGRAM ": %s\n", error->message);
    return STAGE_FAILED;
}

/* Landlock allows the agent's three folders, /proc for the programs that ask, and /usr for what the
 * C library loads late; not the user's home: the launcher opens known_hosts files. A kernel without
 * Landlock leaves this out. */
static enum stage_result restrict_files(void *data)
{
    g_autofree char *runtime = paths_runtime(AGENT_FOLDER, NULL);
    g_autofree char *state = paths_state(NULL), *store = paths_data(NULL);
    g_autofree char *attached = paths_state("attached");
    fs_make_folder(store, 0700, NULL);
    fs_make_folder(attached, 0700, NULL);
    const struct confine_path paths[] = {{runtime, CONFINE_WRITE | CONFINE_SOCKETS},
                                         {state, CONFINE_WRITE},
                                         {store, CONFINE_READ},
                                         {"/proc", CONFINE_READ},
                                         {"/usr", CONFINE_READ}};
    if (confine_files(paths, G_N_ELEMENTS(paths)) < 0)
        g_warning("Landlock does not work here: %s", g_strerror(errno));
    return STAGE_NEXT;
}

/* GIO starts threads, the real agent is behind a socket, and the launcher may have to be killed. */
static enum stage_result restrict_calls(void *data)
{
    if (confine_calls(CONFINE_THREADS | CONFINE_CONNECT | CONFINE_SIGNALS) < 0)
        g_warning("the system call filter does not work here");
    return STAGE_NEXT;
}

static enum stage_result serve_agent(void *data)
{
    agent *self = data;
    self->loop = g_main_loop_new(NULL, FALSE);
    logind_watch(self);
    g_unix_signal_add(SIGTERM, on_signal, self);
    g_unix_signal_add(SIGINT, on_signal, self);
    g_unix_signal_add(SIGHUP, on_signal, self);
    prompt_launcher_on_lost(self->launcher, on_launcher_lost, self);
    agent_check_idle(self);
    worker_ready("");
    g_main_loop_run(self->loop);
    g_main_loop_unref(self->loop);
    end(self);
    return self->has_failed ? STAGE_FAILED : STAGE_DONE;
}

static const struct stage stages[] = {
    {"memory", secure_memory},
    {"launcher", start_launcher},
    {"sockets", open_sockets},
    {"landlock", restrict_files},
    {"seccomp", restrict_calls},
    {"serving", serve_agent},
    {0},
};

static int run_supervised(agent *self, char **argv)
{
    g_autofree char *path = paths_runtime(AGENT_FOLDER, NULL);
    const struct supervised supervised = {
        .name = AGENT_HELPER,
        .program = PROGRAM,
        .run = "",
        .argv = argv,
        .folder = path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1,
        .box = -1,
        .stages = stages,
        .data = self,
    };
    return supervise(&supervised);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_auto(GStrv) words = g_strdupv(argv); /* GLib removes its options from ARGV */
    agent self = {0};
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error) || argc > 1 ||
        !paths_check_instance(&error)) {
        g_printerr(PROGRAM ": %s\n", error ? error->message : "takes no arguments");
        return 64;
    }
    debug_start(PROGRAM);
    self.idle_after = idle_seconds;
    if (is_supervised)
        return run_supervised(&self, words);
    crash_handler_install(PROGRAM, NULL);
    if (stages_run(stages, &self) == 0)
        return 0;
    return self.has_failed ? 1 : 125; /* systemd does not restart after 125 */
}
