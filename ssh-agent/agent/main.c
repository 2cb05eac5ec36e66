/*
 * litterbox-ssh-agent: one a user. Start-up in this order, because each stage still needs what the
 * next gives up: launcher (before anything secret is in memory), lock, sockets, boxes of before,
 * sandbox, session bus, "ready", loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "common/paths.h"
#include "common/subid.h"
#include "ssh-agent/agent/asker.h"
#include "ssh-agent/agent/boxes.h"
#include "ssh-agent/agent/control.h"
#include "ssh-agent/agent/places.h"
#include "ssh-agent/agent/sandbox.h"
#include "ssh-agent/agent/session.h"

#define IDLE_SECONDS 60
#define TICK_MS 500

static int idle_seconds = IDLE_SECONDS;
static gboolean ready_fd;
static const GOptionEntry entries[] = {
    {"idle", 0, 0, G_OPTION_ARG_INT, &idle_seconds, "end after this long without a box; 0: never",
     "SECONDS"},
    {"ready", 0, 0, G_OPTION_ARG_NONE, &ready_fd, "close stdout when ready", NULL},
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

static void log_forgotten(agent *self, const char *why, guint count)
{
    audit_write(self->log, json_pack("{s:s, s:s, s:i}", "event", "grants cleared", "why", why,
                                     "grants", (int)count));
}

void agent_check_sleep(agent *self)
{
    guint count = grants_slept(self->grants, agent_now() - read_clock(CLOCK_MONOTONIC));
    if (count > 0)
        log_forgotten(self, "suspend", count);
}

void agent_forget_grants(agent *self, const char *why)
{
    guint count = grants_clear(self->grants, NULL, NULL);
    questions_drop(self->questions, NULL, agent_now());
    log_forgotten(self, why, count);
}

/* For a box, for somebody who asks, or for keys that would have to be unlocked again. */
static gboolean is_needed(const agent *self)
{
    return g_hash_table_size(self->boxes) > 0 || control_is_busy() || !own_is_locked(self->own);
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
    questions_tick(self->questions, agent_now());
    if (questions_all(self->questions)->len > 0)
        return G_SOURCE_CONTINUE;
    self->ticker = 0;
    return G_SOURCE_REMOVE;
}

/* The clock runs while there are questions, and not in an idle agent. */
void agent_tick(agent *self)
{
    if (!self->ticker)
        self->ticker = g_timeout_add(TICK_MS, on_tick, self);
}

static gboolean on_signal(gpointer data)
{
    agent *self = data;
    g_main_loop_quit(self->loop);
    return G_SOURCE_CONTINUE;
}

/* Without prompts and known_hosts we are of little use; the next command starts another agent. */
static gboolean on_launcher_lost(gint fd, GIOCondition condition, gpointer data)
{
    agent *self = data;
    g_warning("the launcher is gone");
    g_main_loop_quit(self->loop);
    return G_SOURCE_REMOVE;
}

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

static void on_answered(gpointer waiter, const char *choice, const json_t *detail)
{
    ((asking *)waiter)->answered(waiter, choice, detail);
}

static gboolean begin(agent *self, GError **error)
{
    static const questions_hooks hooks = {asker_show, asker_hide, on_answered};
    if (!places_begin(error) || !identity_load(self, error) || !open_log(self, error))
        return FALSE;
    int control = places_listen_control();
    if (control < 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot make the control socket: %s",
                    g_strerror(errno));
        return FALSE;
    }
    self->locked = places_are_locked();
    self->own = own_new();
    self->grants = grants_new();
    self->questions = questions_new(&hooks, self);
    self->boxes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, boxes_free);
    boxes_restore(self);
    control_begin(self, control);
    return TRUE;
}

static void end(agent *self)
{
    places_end();
    questions_drop(self->questions, NULL, agent_now());
    g_clear_pointer(&self->boxes, g_hash_table_unref);
    g_clear_pointer(&self->prompts, g_hash_table_unref);
    launcher_free(self->launcher);
    audit_free(self->log);
    grants_free(self->grants);
    questions_free(self->questions);
    own_free(self->own);
    g_strfreev(self->display);
    explicit_bzero(self->secret, sizeof self->secret);
}

static int run(agent *self)
{
    g_autoptr(GError) error = NULL;
    if (!begin(self, &error)) {
        g_printerr("litterbox-ssh-agent: %s\n", error->message);
        return 125;
    }
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    subid_is_ours(getuid() + 1); /* reads the system's files while it may */
    sandbox_enter();
    self->loop = g_main_loop_new(NULL, FALSE);
    session_watch(self);
    g_unix_signal_add(SIGTERM, on_signal, self);
    g_unix_signal_add(SIGINT, on_signal, self);
    g_unix_signal_add(SIGHUP, on_signal, self);
    launcher_on_lost(self->launcher, on_launcher_lost, self);
    agent_check_idle(self);
    if (ready_fd && null >= 0)
        dup2(null, STDOUT_FILENO);
    g_main_loop_run(self->loop);
    g_main_loop_unref(self->loop);
    end(self);
    return 0;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    agent self = {0};
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error) || argc > 1 ||
        !paths_check_instance(&error)) {
        g_printerr("litterbox-ssh-agent: %s\n", error ? error->message : "takes no arguments");
        return 64;
    }
    g_autofree char *prompt = paths_libexec("litterbox-prompt");
    secret_start();
    /* A prompt's answer may be a password, and jansson copies what it reads. */
    json_set_alloc_funcs(malloc, secret_give_back);
    sandbox_harden();
    raise_limits();
    signal(SIGPIPE, SIG_IGN);
    self.idle_after = idle_seconds;
    self.launcher = launcher_start(prompt);
    if (!self.launcher) {
        g_printerr("litterbox-ssh-agent: cannot start: %s\n", g_strerror(errno));
        return 125;
    }
    return run(&self);
}
