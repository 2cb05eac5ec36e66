#include "box/lifecycle.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/create.h"
#include "box/helpers/bridge.h"
#include "box/launch.h"
#include "box/layer.h"
#include "box/notes.h"
#include "box/ports.h"
#include "box/say.h"
#include "box/strays.h"
#include "common/fs.h"
#include "common/text.h"
#include "menu/files.h"
#include "podman/containers.h"
#include "session/client.h"

#define STOP_TIMEOUT_S 5
/* Between two looks at a box that Podman says is running, and how long conmon gets to tell it that
 * PID 1 has ended. */
#define LOOK_MS 50
#define CONMON_MS 500

static void say_waiting(const char *path)
{
    (void)path;
    say_note("waiting for another 'box' that is busy with this box …");
}

int lifecycle_lock(const box *self, GError **error)
{
    g_autofree char *lock = g_build_filename(self->runtime, "lock", NULL);
    if (!fs_make_folder(self->runtime, 0700, error))
        return -1;
    return fs_lock(lock, say_waiting, error);
}

int lifecycle_connect(const box *self)
{
    if (note_is_there(self, NOTE_ENDING)) {
        errno = ECONNREFUSED;
        return -1;
    }
    g_autofree char *ctl = g_build_filename(self->runtime, "ctl", NULL);
    return client_connect(ctl, SESSION_SOCKET, 0);
}

/* TRUE when Podman may still be at it, or has died of it. */
static gboolean is_cut_off(const GError *problem)
{
    return g_error_matches(problem, BOX_ERROR, BOX_ERROR_CANCELLED) ||
           g_error_matches(problem, BOX_ERROR, BOX_ERROR_UNREACHABLE);
}

/* Podman may have given up on the start because conmon died, whose runtime lives on. */
static void end_runtime(const box *self, podman *server)
{
    g_autoptr(box_container) now = container_inspect(self, server, NULL);
    if (now && now->id && now->state == BOX_STOPPED)
        strays_kill(now->id);
}

/* Podman cannot use the container any more: nothing can keep what is in it, but it is said. */
static gboolean drop(const box *self, podman *server, const box_container *now, GError **error)
{
    g_autofree char *contents = layer_contents(self, server, now);
    if (contents)
        say_warning("podman cannot use the container of box '%s' any more; lost with it: %s",
                    self->name, contents);
    return podman_container_remove(server, self->container, error);
}

/*
 * Ends a container that is neither stopped nor missing, whatever a killed Podman or conmon left it
 * in. Without conmon, Podman 5 stops it and reports a failure all the same, and Podman 4 reports
 * success and leaves it "stopping" for ever, out of which only a removal leads.
 */
static gboolean end_container(const box *self, podman *server, const box_container *now,
                              GError **error)
{
    g_autoptr(GError) problem = NULL;
    /* What has not begun to run hears no SIGTERM. */
    int timeout = now->begun ? STOP_TIMEOUT_S : 0;
    note_make(self, NOTE_ENDING);
    if (now->state == BOX_PAUSED) /* frozen, it could not end its sessions */
        podman_container_unpause(server, self->container, NULL);
    podman_container_stop(server, self->container, timeout, &problem);
    if (is_cut_off(problem)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    g_autoptr(box_container) after = container_inspect(self, server, error);
    if (!after)
        return FALSE;
    if (after->state == BOX_STOPPED || after->state == BOX_MISSING)
        return TRUE;
    say_note("podman has lost track of box '%s': its container is made anew, its home stays",
             self->name);
    return drop(self, server, after, error);
}

static int start_container(box *self, podman *server, const char *id, GError **error)
{
    g_autoptr(GError) problem = NULL;
    say_step("starting box '%s'", self->name);
    note_make(self, NOTE_STARTING);
    int fd = launch(self, server, &problem);
    if (fd < 0 && !is_cut_off(problem))
        end_runtime(self, server);
    /* The runtime may hang in what the image has put in its way, and Podman with it, for good. */
    else if (fd < 0)
        strays_kill(id);
    if (fd >= 0 || !is_cut_off(problem))
        note_remove(self, NOTE_STARTING);
    say_step_done();
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return fd;
}

/*
 * Podman says that NOW runs, but nobody listens: box-init is about to, or is ending, or ended
 * without Podman having noticed, since its conmon was killed. Waits until that is told apart; a
 * connection, or -1 when the box does not run any more, and may be started.
 */
static int await_running(const box *self, podman *server, const box_container *now, GError **error)
{
    int gone = 0;
    g_autofree char *ctl = g_build_filename(self->runtime, "ctl", NULL);
    /* The folder that it would answer in may have been removed under it: then it never will. */
    gboolean can = g_file_test(ctl, G_FILE_TEST_IS_DIR);
    for (int waited = 0; can && waited < LAUNCH_LISTEN_MS && gone < CONMON_MS; waited += LOOK_MS) {
        int fd = lifecycle_connect(self);
        if (fd >= 0)
            return fd;
        g_usleep(LOOK_MS * 1000);
        gone = container_is_alive(now) ? 0 : gone + LOOK_MS;
        g_autoptr(box_container) later = container_inspect(self, server, error);
        if (!later || later->state == BOX_STOPPED || later->state == BOX_MISSING)
            return -1;
    }
    end_container(self, server, now, error);
    return -1;
}

/* Brings a container that is not simply stopped into a state from which it can be started. */
static box_container *make_startable(box *self, podman *server, box_container *given, int *fd,
                                     GError **error)
{
    g_autoptr(box_container) now = given;
    g_autoptr(GError) problem = NULL;
    gboolean removing = note_is_there(self, NOTE_REMOVING);
    if (!removing && (now->state == BOX_STOPPED || now->state == BOX_MISSING))
        return g_steal_pointer(&now);
    if (removing)
        podman_container_remove(server, self->container, &problem);
    else if (now->state == BOX_RUNNING && !note_is_there(self, NOTE_ENDING))
        *fd = await_running(self, server, now, &problem);
    else
        end_container(self, server, now, &problem);
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    else if (*fd < 0)
        return container_inspect(self, server, error);
    return NULL;
}

/*
 * A start after one that was killed half way. What that left of the container, with the runtime or
 * in its folder, Podman does not know about, and it may stand in the way of every further start:
 * then the container is made anew.
 */
static int prepare_and_start(box *self, podman *server, const config *settings_read,
                             const box_container *now, GError **error)
{
    static const box_container missing = {.state = BOX_MISSING};
    g_autoptr(GError) problem = NULL;
    gboolean left = note_is_there(self, NOTE_STARTING);
    if (left && now->id)
        strays_kill(now->id);
    g_autofree char *id = NULL, *next = NULL;
    if (!create_prepare(self, server, settings_read, now, &id, error))
        return -1;
    int fd = start_container(self, server, id, &problem);
    if (fd >= 0)
        return fd;
    /* The killed one may also have been our own: the call is repeated when Podman dies of it. */
    left |= problem && strstr(problem->message, "already exists");
    if (!left || is_cut_off(problem)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return -1;
    }
    return drop(self, server, now, error) &&
                   create_prepare(self, server, settings_read, &missing, &next, error)
               ? start_container(self, server, next, error)
               : -1;
}

static gboolean check_project(const box *self, GError **error)
{
    if (g_file_test(self->project, G_FILE_TEST_IS_DIR))
        return TRUE;
    g_autofree char *safe = text_safe(self->project, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                "the project of box '%s' is not at '%s' any more: bring it back, run 'box init "
                "--move' where it is now, or remove the box with 'box rm %s'",
                self->name, safe, self->name);
    return FALSE;
}

static int start_locked(box *self, const char *const *flags, GError **error)
{
    /* Somebody else may have started it while we waited for the lock. */
    int fd = lifecycle_connect(self);
    if (fd >= 0)
        return fd;
    if (!check_project(self, error))
        return -1;
    g_autoptr(config) settings_read =
        config_load(self->project, self->base, flags, TRUST_ASK, error);
    g_autoptr(podman) server = settings_read ? podman_connect(error) : NULL;
    box_container *found = server ? container_inspect(self, server, error) : NULL;
    g_autoptr(box_container) now = found ? make_startable(self, server, found, &fd, error) : NULL;
    if (!now)
        return fd;
    note_remove(self, NOTE_REMOVING);
    note_remove(self, NOTE_ENDING);
    note_remove(self, NOTE_NO_WINDOWS);
    note_remove(self, NOTE_NO_X11);
    if (!ports_prepare(self, error))
        return -1;
    fd = prepare_and_start(self, server, settings_read, now, error);
    if (fd < 0)
        return -1;
    agent_open_box(self, config_settings(settings_read), fd);
    ports_open(self);
    return fd;
}

int lifecycle_start(box *self, const char *const *flags, GError **error)
{
    int lock = lifecycle_lock(self, error);
    if (lock < 0)
        return -1;
    int fd = start_locked(self, flags, error);
    close(lock);
    return fd;
}

gboolean lifecycle_stop(const box *self, podman *server, GError **error)
{
    g_autoptr(box_container) now = container_inspect(self, server, error);
    if (!now)
        return FALSE;
    if (now->state == BOX_STOPPED || now->state == BOX_MISSING)
        return TRUE;
    say_step("stopping box '%s'", self->name);
    gboolean stopped = end_container(self, server, now, error);
    say_step_done();
    return stopped;
}

gboolean lifecycle_discard(const box *self, podman *server, GError **error)
{
    /* By name alone it could be somebody else's container: inspect refuses that. */
    g_autoptr(box_container) found = container_inspect(self, server, error);
    if (!found)
        return FALSE;
    note_make(self, NOTE_REMOVING);
    note_make(self, NOTE_ENDING);
    if (!podman_container_remove(server, self->container, error))
        return FALSE;
    note_remove(self, NOTE_REMOVING);
    return TRUE;
}

void lifecycle_forget(const box *self)
{
    agent_forget_box(self);
    desktop_forget(self);
    app_files_forget(self->name);
}
