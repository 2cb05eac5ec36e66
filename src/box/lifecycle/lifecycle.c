#include "box/lifecycle/lifecycle.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/helpers/bridge.h"
#include "box/helpers/secrets.h"
#include "box/inspect/project_changes.h"
#include "box/lifecycle/branch_copies.h"
#include "box/lifecycle/container.h"
#include "box/lifecycle/container_diff.h"
#include "box/lifecycle/home_lock.h"
#include "box/lifecycle/launch.h"
#include "box/lifecycle/ports.h"
#include "box/lifecycle/replace.h"
#include "box/menu/menu_entries.h"
#include "box/registry/branch_marks.h"
#include "box/registry/registry.h"
#include "box/session/freeze.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "net/unix_socket.h"
#include "podman/podman.h"
#include "proto/port_mapping.h"
#include "proto/session.h"
#include "sys/clock.h"
#include "sys/debug.h"

#define STOP_TIMEOUT_S 5
/* How often to inspect a container whose box-init does not answer, and how long conmon has to
 * notice that PID 1 has ended. */
#define POLL_INTERVAL_MS 50
#define CONMON_TIMEOUT_MS 500

/* TRUE when the call was interrupted: Podman may still be executing it, or may have crashed. */
static gboolean was_interrupted(const GError *problem)
{
    return g_error_matches(problem, BOX_ERROR, BOX_ERROR_CANCELLED) ||
           g_error_matches(problem, BOX_ERROR, BOX_ERROR_UNREACHABLE);
}

/* When conmon dies, Podman gives up on the start, but the OCI runtime's process stays. */
static void kill_runtime(const struct box *self, podman_client *server)
{
    g_autoptr(box_container) now = box_container_inspect(self, server, NULL);
    if (now && now->id && now->state == BOX_STOPPED)
        runtime_orphans_kill(now->id);
}

/* Removes a container that Podman cannot use any more, and tells the user what is lost. */
static gboolean remove_broken(const struct box *self, podman_client *server,
                              const box_container *now, GError **error)
{
    g_autofree char *contents = container_diff_describe(self, server, now);
    if (contents)
        log_warning(
            "podman can no longer use the container of box '%s', so it is recreated; this is "
            "lost: %s",
            self->name, contents);
    return podman_container_remove(server, self->container, error);
}

/*
 * Stops a container that is neither stopped nor missing, in whatever state a killed Podman or
 * conmon left it. Without conmon, Podman 5 stops it but reports a failure; Podman 4 reports success
 * and leaves it "stopping" until it is removed.
 */
static gboolean end_container(const struct box *self, podman_client *server,
                              const box_container *now, GError **error)
{
    g_autoptr(GError) problem = NULL;
    /* A container that is not running yet does not get SIGTERM, so kill it. */
    int timeout = now->begun ? STOP_TIMEOUT_S : 0;
    state_flag_set(self, STATE_FLAG_STOPPING);
    if (now->state == BOX_PAUSED) /* a frozen box-init could not end its sessions */
        podman_container_unpause(server, self->container, NULL);
    podman_container_stop(server, self->container, timeout, &problem);
    if (was_interrupted(problem)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    g_autoptr(box_container) after = box_container_inspect(self, server, error);
    if (!after)
        return FALSE;
    if (after->state == BOX_STOPPED || after->state == BOX_MISSING)
        return TRUE;
    log_note("podman has lost track of box '%s': it is recreated; its home stays", self->name);
    return remove_broken(self, server, after, error);
}

static int launch(struct box *self, podman_client *server, const char *id, GError **error)
{
    g_autoptr(GError) problem = NULL;
    log_step("starting box '%s'", self->name);
    state_flag_set(self, STATE_FLAG_STARTING);
    if (!self->branch)
        project_changes_begin(self);
    int fd = box_launch(self, server, &problem);
    if (fd < 0 && !was_interrupted(problem))
        kill_runtime(self, server);
    /* A hostile image can make the OCI runtime hang, and Podman with it. */
    else if (fd < 0)
        runtime_orphans_kill(id);
    if (fd >= 0 || !was_interrupted(problem))
        state_flag_clear(self, STATE_FLAG_STARTING);
    log_step_done();
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return fd;
}

/* The marks first: what the host changes meanwhile may be in the copy or not. */
static gboolean prepare_branch(const struct box *self, const config *loaded, GError **error)
{
    return branch_marks_start(self, error) &&
           branch_copies_update(self, config_settings(loaded)->project.hidden, error);
}

static int start_container(struct box *self, podman_client *server, const config *loaded,
                           const char *id, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (self->branch && !prepare_branch(self, loaded, error))
        return -1;
    int fd = launch(self, server, id, &problem);
    if (fd < 0 && self->branch && branch_copies_are_missing(self)) {
        g_clear_error(&problem);
        fd = prepare_branch(self, loaded, &problem) ? launch(self, server, id, &problem) : -1;
    }
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return fd;
}

/*
 * Podman reports that NOW is running, but nothing listens. Either box-init is starting or ending,
 * or it has ended and Podman did not notice because conmon was killed. Waits until it is clear
 * which. Returns a connection, or -1 when the box is no longer running and may be started.
 */
static int wait_for_running(const struct box *self, podman_client *server, const box_container *now,
                            GError **error)
{
    int gone = 0;
    int64_t until = clock_ms() + BOX_LISTEN_TIMEOUT_MS; /* to connect may take time, too */
    g_autofree char *ctl = g_build_filename(self->runtime, "ctl", NULL);
    /* If the folder of its socket has been removed, it can never answer. */
    gboolean can = g_file_test(ctl, G_FILE_TEST_IS_DIR);
    while (can && clock_ms() < until && gone < CONMON_TIMEOUT_MS) {
        int fd = box_connect(self);
        if (fd >= 0)
            return fd;
        g_usleep(POLL_INTERVAL_MS * 1000);
        gone = box_container_is_alive(now) ? 0 : gone + POLL_INTERVAL_MS;
        g_autoptr(box_container) later = box_container_inspect(self, server, error);
        if (!later || later->state == BOX_STOPPED || later->state == BOX_MISSING)
            return -1;
    }
    end_container(self, server, now, error);
    return -1;
}

/* Brings a container in any state into one from which it can be started. Takes GIVEN. Returns the
 * container, or NULL with ERROR; or NULL with a connection in *FD when the box runs. */
static box_container *make_startable(struct box *self, podman_client *server, box_container *given,
                                     int *fd, GError **error)
{
    g_autoptr(box_container) now = given;
    g_autoptr(GError) problem = NULL;
    gboolean removing = state_flag_is_set(self, STATE_FLAG_REMOVING);
    debug_log(DEBUG_BOX, "box '%s': container %s%s%s", self->name, box_state_name(now->state),
              removing ? ", a removal was killed" : "",
              now->state == BOX_RUNNING && state_flag_is_set(self, STATE_FLAG_STOPPING)
                  ? ", a stop was killed"
                  : "");
    if (!removing && (now->state == BOX_STOPPED || now->state == BOX_MISSING))
        return g_steal_pointer(&now);
    if (removing)
        podman_container_remove(server, self->container, &problem);
    else if (now->state == BOX_RUNNING && !state_flag_is_set(self, STATE_FLAG_STOPPING))
        *fd = wait_for_running(self, server, now, &problem);
    else
        end_container(self, server, now, &problem);
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    else if (*fd < 0)
        return box_container_inspect(self, server, error);
    return NULL;
}

/*
 * An earlier start that was killed may have left parts of the container, in the OCI runtime or in
 * its folder, that Podman does not know about and that prevent each further start. Then the
 * container is created again.
 */
static int prepare_and_start(struct box *self, podman_client *server, const config *loaded,
                             const box_container *now, GError **error)
{
    static const box_container missing = {.state = BOX_MISSING};
    g_autoptr(GError) problem = NULL;
    gboolean was_killed = state_flag_is_set(self, STATE_FLAG_STARTING);
    if (was_killed)
        debug_log(DEBUG_BOX, "box '%s': an earlier start was killed", self->name);
    if (was_killed && now->id)
        runtime_orphans_kill(now->id);
    g_autofree char *id = NULL, *next = NULL;
    if (!box_prepare_container(self, server, loaded, now, &id, error))
        return -1;
    int fd = start_container(self, server, loaded, id, &problem);
    if (fd >= 0) {
        replace_finish(self, server, NULL); /* or the next start does it */
        return fd;
    }
    /* This start may be the killed one: when Podman dies, the call is repeated. */
    was_killed |= problem && strstr(problem->message, "already exists");
    if (!was_killed || was_interrupted(problem)) {
        if (replace_is_open(self) && !was_interrupted(problem))
            replace_undo(self, server, NULL);
        g_propagate_error(error, g_steal_pointer(&problem));
        return -1;
    }
    return remove_broken(self, server, now, error) &&
                   box_prepare_container(self, server, loaded, &missing, &next, error)
               ? start_container(self, server, loaded, next, error)
               : -1;
}

static gboolean check_project(const struct box *self, GError **error)
{
    if (g_file_test(self->project, G_FILE_TEST_IS_DIR))
        return TRUE;
    g_autofree char *safe = text_safe(self->project, -1);
    g_set_error(
        error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
        "the project of box '%s' is no longer at '%s': move it back, run 'box init --move' in its "
        "new folder, or 'box rm %s' to remove the box",
        self->name, safe, self->name);
    return FALSE;
}

int box_start_locked(struct box *self, const char *const *flags, GError **error)
{
    /* Another process may have started it while this one waited for the lock. */
    int fd = box_connect(self);
    if (fd >= 0)
        return fd;
    if (!check_project(self, error))
        return -1;
    const box_installation *installs = self->installation;
    g_autoptr(config) files =
        installs ? NULL : config_load(self->project, self->base, flags, TRUST_ASK, error);
    const config *loaded = installs ? installs->config : files;
    g_autoptr(podman_client) server = loaded ? podman_connect(error) : NULL;
    box_container *found = server ? box_container_inspect(self, server, error) : NULL;
    g_autoptr(box_container) now = found ? make_startable(self, server, found, &fd, error) : NULL;
    if (!now)
        return fd;
    state_flag_clear(self, STATE_FLAG_REMOVING);
    state_flag_clear(self, STATE_FLAG_STOPPING);
    state_flag_clear(self, STATE_FLAG_NO_WINDOWS);
    state_flag_clear(self, STATE_FLAG_NO_X11);
    if (!port_forwards_prepare(self, error))
        return -1;
    fd = prepare_and_start(self, server, loaded, now, error);
    if (fd < 0)
        return -1;
    if (!self->installation)
        agent_open_box(self, config_settings(loaded), fd);
    port_forwards_open(self);
    return fd;
}

static gboolean repair(const struct box *self, GError **error)
{
    if (!replace_is_open(self))
        return TRUE;
    g_autoptr(podman_client) server = podman_connect(error);
    return server && replace_repair(self, server, error);
}

/* What the user has made for SELF while it was being started is not lost with it. */
static gboolean is_untouched(const struct box *self)
{
    static const char *const kept[] = {"branches", "devices", PORT_LIST, SECRETS_ATTACHED,
                                       "snapshots"};
    for (gsize i = 0; i < G_N_ELEMENTS(kept); i++) {
        g_autofree char *path = g_build_filename(self->data, kept[i], NULL);
        if (access(path, F_OK) == 0)
            return FALSE;
    }
    return TRUE;
}

int box_start(struct box *self, const char *const *flags, GError **error)
{
    int lock = self->branch ? home_lock_branch(self, error) : box_lock_registered(self, error);
    if (lock < 0)
        return -1;
    int fd = repair(self, error) ? box_start_locked(self, flags, error) : -1;
    /* What was refused is not registered, and does not become the project of what is below it. A
     * home that is empty holds nothing. */
    if (fd < 0 && self->fresh && is_untouched(self) && (rmdir(self->home) == 0 || errno == ENOENT))
        registry_remove(self, NULL);
    close(lock);
    return fd;
}

int box_start_unchanged(struct box *self, podman_client *server, const config *loaded,
                        GError **error)
{
    /* When it could not be stopped it may run still, and its folders are in use. */
    state_flag_clear(self, STATE_FLAG_STOPPING);
    int fd = box_connect(self);
    if (fd >= 0)
        return fd;
    g_autoptr(box_container) now = box_container_inspect(self, server, error);
    if (!now || !box_make_folders(self, error) || !port_forwards_prepare(self, error))
        return -1;
    fd = start_container(self, server, loaded, now->id, error);
    if (fd < 0)
        return -1;
    agent_open_box(self, config_settings(loaded), fd);
    port_forwards_open(self);
    return fd;
}

gboolean box_stop(const struct box *self, podman_client *server, GError **error)
{
    g_autoptr(box_container) now = box_container_inspect(self, server, error);
    if (!now)
        return FALSE;
    if (now->state == BOX_STOPPED || now->state == BOX_MISSING)
        return TRUE;
    log_step("stopping box '%s'", self->name);
    gboolean stopped = end_container(self, server, now, error);
    log_step_done();
    return stopped;
}

gboolean box_remove_container(const struct box *self, podman_client *server, GError **error)
{
    /* Refuses a container of another program with this name. */
    g_autoptr(box_container) found = box_container_inspect(self, server, error);
    if (!found)
        return FALSE;
    state_flag_set(self, STATE_FLAG_REMOVING);
    state_flag_set(self, STATE_FLAG_STOPPING);
    if (!podman_container_remove(server, self->container, error) ||
        !replace_finish(self, server, error))
        return FALSE;
    state_flag_clear(self, STATE_FLAG_REMOVING);
    return TRUE;
}

void box_revoke_host_access(const struct box *self)
{
    agent_forget_box(self);
    bridge_forget_consent(self);
    menu_entries_remove_all(self->name);
}

gboolean box_ensure_running(struct box *self, GError **error)
{
    int connection = box_connect(self);
    if (connection < 0)
        connection = box_start(self, NULL, error);
    if (connection < 0)
        return FALSE;
    gboolean frozen = freeze_is_paused(unix_socket_peer_pid(connection));
    close(connection);
    if (frozen)
        box_set_paused_error(self, error);
    return !frozen;
}
