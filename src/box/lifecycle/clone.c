/*
 * The copy is made in data/boxes/.cloning, which no box can be called, and without the registry's
 * lock, as it may take minutes:
 *
 *   boxes/.cloning.lock     held by the process that clones; there is one
 *   boxes/.cloning/home     the copy
 *   boxes/.cloning/settings the same for boxes/NAME.toml
 *   boxes/.cloning/name     the new box, while its parts move to their places
 * (REGISTRY_CLONE_RECORD)
 */
#include "box/lifecycle/clone.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/helpers/secrets.h"
#include "box/lifecycle/home_lock.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/replace.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/layer.h"
#include "console/log.h"
#include "tree/tree.h"

static volatile sig_atomic_t clone_interrupted;
static volatile pid_t sender; /* reads the source, as a process of its own; 0: none */

static void on_interrupt(int number)
{
    (void)number;
    clone_interrupted = 1;
    if (sender > 0)
        kill(sender, SIGKILL);
}

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

static void set_interrupts(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    for (gsize i = 0; i < G_N_ELEMENTS(interrupts); i++)
        sigaction(interrupts[i], &action, NULL);
}

static gboolean set_errno_error(const char *what, GError **error)
{
    int saved = errno;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot clone: %s: %s", what,
                g_strerror(saved));
    return FALSE;
}

static gboolean check_source(const struct box *source, podman_client *server, GError **error)
{
    const char *why = "is running, and would change the home while it is copied";
    if (!box_check_branches_stopped(source, FALSE, why, error) ||
        !replace_repair(source, server, error))
        return FALSE;
    g_autoptr(box_container) now = box_container_inspect(source, server, error);
    if (!now)
        return FALSE;
    if (now->state != BOX_MISSING && now->state != BOX_STOPPED)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' is %s, and its home would change while it is copied: run 'box stop "
                    "%s' first",
                    source->name, box_state_name(now->state), source->name);
    else if (access(source->home, F_OK) < 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_STATE,
                    "box '%s' was never started: there is no home to copy", source->name);
    else
        return TRUE;
    return FALSE;
}

/* The new box must not get settings that are not those of its source. */
static gboolean check_settings(const char *name, GError **error)
{
    g_autofree char *file = config_box_path(name);
    if (access(file, F_OK) < 0)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "'%s' is there already: move it away, as the box would get these settings", file);
    return FALSE;
}

static void note_left_out(void *data, const char *text)
{
    guint *count = data;
    g_autofree char *safe = text_safe(text, -1);
    if ((*count)++ < TREE_NOTES_MAX)
        log_warning("left out: %s", safe);
}

/* Ends the sender. Its id is not used again before SENDER is 0. */
static void end_sender(void)
{
    siginfo_t ended;
    if (sender <= 0)
        return;
    kill(sender, SIGKILL);
    while (waitid(P_PID, (id_t)sender, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    pid_t pid = sender;
    sender = 0;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* What is held while a home is copied. */
typedef struct {
    int cloning, source; /* locks */
    held_home home;      /* of the source */
} clone_locks;

/* LOCKS are not held by a sender that outlives its parent for a moment. */
static void start_sender(int source, const int ends[2], clone_locks *locks)
{
    pid_t pid = fork();
    if (pid == 0) {
        set_interrupts(SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        close(ends[0]);
        close(locks->cloning);
        close(locks->source);
        held_home_clear(&locks->home);
        _exit(tree_send(ends[1], source, "home", 0) < 0);
    }
    sender = pid;
    if (clone_interrupted)
        on_interrupt(0);
}

/* Gives us all rights to the home's folder, without which it cannot be moved, and waits until all
 * of it is on the disk. */
static gboolean sync_home(int folder, GError **error)
{
    struct stat st;
    int home = openat(folder, "home", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    gboolean done = home >= 0 && fstat(home, &st) == 0 &&
                    fchmod(home, (st.st_mode & 0777) | S_IRWXU) == 0 && syncfs(home) == 0;
    if (!done)
        set_errno_error("the home cannot be copied", error);
    if (home >= 0)
        close(home);
    return done;
}

static gboolean receive_home(int in, int folder, GError **error)
{
    guint left_out = 0;
    char text[TREE_TEXT_MAX];
    /* Links of a home lead to paths of the box: they are made as they are, and never followed. */
    struct tree_receiver to = {
        .folder = folder, .name = "home", .any_links = 1, .note = note_left_out, .data = &left_out};
    mode_t mask = umask(0);
    gboolean done = tree_receive(in, &to, text) == 0;
    umask(mask);
    if (!done && !clone_interrupted) {
        g_autofree char *safe = text_safe(text, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot copy the home: %s", safe);
    }
    if (done && left_out > TREE_NOTES_MAX)
        log_warning("left out: %u more", left_out - TREE_NOTES_MAX);
    return done && sync_home(folder, error);
}

/* Copies the home of SOURCE into UNFINISHED_CLONE, which is ours. */
static gboolean copy_home(const struct box *source, int folder, clone_locks *locks, GError **error)
{
    int ends[2], data = open(source->data, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    gboolean done = data >= 0 && pipe2(ends, O_CLOEXEC) == 0;
    if (!done) {
        set_errno_error(source->data, error);
    } else {
        log_step("copying the home of box '%s'", source->name);
        start_sender(data, ends, locks);
        close(ends[1]);
        done = receive_home(ends[0], folder, error);
        close(ends[0]);
        end_sender();
        log_step_done();
    }
    if (data >= 0)
        close(data);
    return done;
}

static gboolean copy_settings(const struct box *source, const char *to, GError **error)
{
    g_autofree char *file = config_box_path(source->name), *data = NULL;
    gsize length = 0;
    return layer_read_own_file(file, &data, &length, error) &&
           (!data || fs_write(to, data, (gssize)length, 0600, error));
}

static char *copy_path(const char *name)
{
    g_autofree char *folder = paths_data(UNFINISHED_CLONE);
    return g_build_filename(folder, name, NULL);
}

static gboolean place_settings(const char *name, GError **error)
{
    g_autofree char *copy = copy_path("settings"), *file = config_box_path(name), *data = NULL;
    g_autofree char *folder = g_path_get_dirname(file);
    gsize length = 0;
    return layer_read_own_file(copy, &data, &length, error) &&
           (!data || (fs_make_folder(folder, 0700, error) &&
                      fs_write(file, data, (gssize)length, 0600, error)));
}

static gboolean place_mark(const struct box *source, const struct box *fresh, const char *name,
                           GError **error)
{
    g_autofree char *from = box_home_mark(source, name), *to = box_home_mark(fresh, name);
    return box_home_mark_copy(from, to, error);
}

/* Of a home that no first session has filled yet (box/session/new_home.c), and of one with
 * placeholders of SOURCE, which are of no use in FRESH (placeholder_files.c). */
static gboolean place_marks(const struct box *source, const struct box *fresh, GError **error)
{
    return place_mark(source, fresh, PLAN_DATA_HOME_IS_NEW, error) &&
           place_mark(source, fresh, SECRETS_WRITTEN, error);
}

/* A registry_filler: moves what is complete to its places. */
static gboolean place_copy(const struct box *fresh, void *data, GError **error)
{
    const struct box *source = data;
    g_autofree char *record = paths_data(REGISTRY_CLONE_RECORD), *home = copy_path("home");
    if (!check_settings(fresh->name, error) || !fs_write(record, fresh->name, -1, 0600, error) ||
        !place_marks(source, fresh, error) || !place_settings(fresh->name, error))
        return FALSE;
    return rename(home, fresh->home) == 0 || set_errno_error(fresh->home, error);
}

/* Undoes place_copy() for the box NAME, unless it is registered: then it is complete. */
static gboolean undo_place(const char *name, GError **error)
{
    g_autoptr(GError) unknown = NULL;
    gboolean is_free = registry_is_free(name, &unknown);
    if (unknown) {
        g_propagate_error(error, g_steal_pointer(&unknown));
        return FALSE;
    }
    if (!is_free)
        return TRUE;
    g_autofree char *copy = copy_path("settings"), *file = config_box_path(name);
    g_autofree char *ours = fs_read_text(copy, CONFIG_FILE_MAX);
    g_autofree char *now = ours ? fs_read_text(file, CONFIG_FILE_MAX) : NULL;
    g_autofree char *data = box_data_path(name);
    if (now && strcmp(ours, now) == 0)
        unlink(file);
    return discard_tree(data, error);
}

/* Removes what is no box's. With the lock of clones. */
static gboolean clone_clean_up(GError **error)
{
    g_autofree char *folder = paths_data(UNFINISHED_CLONE),
                    *record = paths_data(REGISTRY_CLONE_RECORD);
    int lock = registry_lock(error);
    if (lock < 0)
        return FALSE;
    g_autofree char *name = fs_read_text(record, BOX_NAME_MAX);
    gboolean done = !name || !box_name_is_valid(name) || undo_place(name, error);
    if (done)
        unlink(record);
    close(lock);
    return done && discard_tree(folder, error);
}

void box_clone_repair(void)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *folder = paths_data(UNFINISHED_CLONE),
                    *path = paths_data(UNFINISHED_CLONE ".lock");
    int lock = access(folder, F_OK) == 0 ? fs_try_lock(path) : -1;
    if (lock < 0)
        return;
    log_step("removing what a killed 'box clone' has left");
    if (!clone_clean_up(&problem))
        log_warning("what a killed 'box clone' has left is still there: %s", problem->message);
    log_step_done();
    close(lock);
}

static void say_waited(const char *path)
{
    (void)path;
    log_note("waiting for another 'box clone'");
}

/* With both LOCKS, and an empty folder for the copy. */
static struct box *clone_locked(const struct box *source, const char *project, const char *wanted,
                                clone_locks *locks, GError **error)
{
    g_autofree char *path = paths_data(UNFINISHED_CLONE), *copy = copy_path("settings");
    g_autofree char *name = box_name_choose(project, wanted, registry_find_project, error);
    if (!name || !check_settings(name, error) || !fs_make_folder(path, 0700, error))
        return NULL;
    int folder = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    gboolean done = copy_settings(source, copy, error) && copy_home(source, folder, locks, error) &&
                    !clone_interrupted;
    close(folder);
    return done ? registry_add_filled(project, wanted, box_revoke_host_access, place_copy,
                                      (void *)source, error)
                : NULL;
}

/* With the lock of clones, CLONING. */
static struct box *clone_interruptibly(const struct box *source, const char *project,
                                       const char *wanted, podman_client *server, int cloning,
                                       GError **error)
{
    g_autoptr(GError) left = NULL;
    int lock = clone_clean_up(error) ? box_lock_registered(source, error) : -1;
    clone_locks locks = {cloning, lock, HELD_HOME_NONE};
    if (lock < 0 || !home_hold(&locks.home, source, error)) {
        if (lock >= 0)
            close(lock);
        return NULL;
    }
    struct box *fresh = NULL;
    clone_interrupted = 0;
    set_interrupts(on_interrupt);
    if (check_source(source, server, error))
        fresh = clone_locked(source, project, wanted, &locks, error);
    held_home_clear(&locks.home);
    close(lock);
    if (!clone_clean_up(&left))
        log_warning("the part that was copied is still on the disk: %s", left->message);
    set_interrupts(SIG_DFL);
    if (!fresh && clone_interrupted) {
        g_clear_error(error);
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CANCELLED, "nothing was changed");
    }
    return fresh;
}

struct box *box_clone(const struct box *source, const char *project, const char *wanted,
                      podman_client *server, GError **error)
{
    g_autofree char *boxes = paths_data("boxes"), *path = paths_data(UNFINISHED_CLONE ".lock");
    int cloning = fs_make_folder(boxes, 0700, error) ? fs_lock(path, say_waited, error) : -1;
    if (cloning < 0)
        return NULL;
    struct box *fresh = clone_interruptibly(source, project, wanted, server, cloning, error);
    close(cloning);
    return fresh;
}
