#include <signal.h>
#include <unistd.h>

#include "box/lifecycle/container.h"
#include "box/lifecycle/container_diff.h"
#include "box/lifecycle/create_notes.h"
#include "box/lifecycle/image.h"
#include "box/lifecycle/keep_files.h"
#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/replace.h"
#include "box/registry/runtime_config.h"
#include "console/ask.h"
#include "console/log.h"

char *box_describe_loss(const struct box *self, gboolean runs, const char *contents)
{
    guint sessions = runs ? box_count_sessions(self) : 0;
    g_autofree char *left = runs ? box_describe_left(self) : NULL;
    GString *out = g_string_new(NULL);
    if (sessions == 1)
        g_string_append(out, "end a session");
    else if (sessions)
        g_string_append_printf(out, "end %u sessions", sessions);
    if (left)
        g_string_append_printf(out, "%send %s", !out->len ? "" : contents ? ", " : " and ", left);
    if (contents)
        g_string_append_printf(out, "%sdelete %s", out->len ? " and " : "", contents);
    return g_string_free(out, out->len == 0);
}

gboolean box_confirm_loss(const struct box *self, const char *loss, gboolean yes,
                          const box_loss_words *words, GError **error)
{
    if (!loss)
        return TRUE;
    if (!yes && !ask_can()) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "%s box '%s' will %s, and there is no terminal to ask on: use --yes%s%s",
                    words->doing, self->name, loss, words->advice ? "; " : "",
                    words->advice ? words->advice : "");
        return FALSE;
    }
    log_warning("%s box '%s' will %s", words->doing, self->name, loss);
    if (words->advice)
        log_note("%s", words->advice);
    if (yes || ask_yes(words->question))
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CANCELLED, "the box is unchanged");
    return FALSE;
}

/* Set by a signal that came while the containers were exchanged. */
static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    interrupted = number;
}

/* Ctrl-C waits while neither container runs: the exchange takes about a second. Handlers, for the
 * programs that are started meanwhile would inherit a blocked or ignored signal. */
static const int delayed[] = {SIGINT, SIGTERM, SIGHUP};
typedef struct sigaction saved_actions[G_N_ELEMENTS(delayed)];

static void delay_signals(saved_actions *before)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    for (gsize i = 0; i < G_N_ELEMENTS(delayed); i++)
        sigaction(delayed[i], &action, &(*before)[i]);
}

static void deliver_signals(const saved_actions *before)
{
    for (gsize i = 0; i < G_N_ELEMENTS(delayed); i++)
        sigaction(delayed[i], &(*before)[i], NULL);
    if (interrupted)
        raise(interrupted);
}

/* After a failed start of the new container: the old one has its name again, and runs if it ran. */
static void bring_back(struct box *self, podman_client *server, const config *loaded,
                       GBytes *before, gboolean was_running)
{
    g_autoptr(GError) problem = NULL;
    gboolean undone = !replace_is_open(self) || replace_undo(self, server, &problem);
    runtime_config_restore(self, before);
    int fd = undone && was_running ? box_start_unchanged(self, server, loaded, &problem) : -1;
    if (problem)
        log_warning("box '%s' is not running: %s", self->name, problem->message);
    else
        log_note("box '%s' is unchanged%s", self->name, fd >= 0 ? ", and running again" : "");
    if (fd >= 0)
        close(fd);
}

static gboolean keep(const struct box *self, podman_client *server, unsigned flags, GError **error)
{
    g_autofree char *next = replace_next_name(self);
    return keep_files(self, server, next, (flags & BOX_APPLY_YES) != 0, error);
}

/* The new container has been created. HAS_FILES: the old one has files of its own. */
static gboolean exchange(struct box *self, podman_client *server, const config *loaded,
                         unsigned flags, gboolean has_files, gboolean was_running, GError **error)
{
    g_autoptr(GBytes) before = runtime_config_save(self);
    gboolean keeps = (flags & BOX_APPLY_KEEP_FILES) != 0;
    if (!box_stop(self, server, error) || (keeps && !keep(self, server, flags, error)) ||
        !replace_swap(self, server, error)) {
        bring_back(self, server, loaded, before, was_running);
        return FALSE;
    }
    /* What runs, or has files to lose, goes only when the new one has started. */
    if (!was_running && !has_files)
        return replace_finish(self, server, error);
    int fd = box_start_locked(self, NULL, error);
    if (fd < 0) {
        bring_back(self, server, loaded, before, was_running);
        return FALSE;
    }
    close(fd);
    return was_running || box_stop(self, server, error);
}

/* Fetches the image anew, before any question. *WORTH: the box is to be recreated on it. */
static gboolean fetch_image(const struct box *self, podman_client *server, const config *loaded,
                            const box_container *now, gboolean *worth, GError **error)
{
    image_no_cache = image_pull_base = TRUE;
    g_autoptr(box_image) image =
        box_image_resolve(self, server, config_settings(loaded), IMAGE_REBUILD, error);
    image_no_cache = image_pull_base = FALSE;
    if (!image)
        return FALSE;
    *worth = image->reference && g_strcmp0(now->base_image, image->id) != 0;
    if (!image->reference)
        log_note("box '%s' uses the host image: there is nothing to upgrade", self->name);
    else if (!*worth)
        log_note("box '%s' is already up to date", self->name);
    return TRUE;
}

static gboolean apply_locked(struct box *self, podman_client *server, unsigned flags,
                             gboolean *runs, GError **error)
{
    if (!replace_repair(self, server, error))
        return FALSE;
    /* A mistake in the configuration must not end a running box. */
    g_autoptr(config) loaded = config_load(self->project, self->base, NULL, TRUST_ASK, error);
    g_autoptr(box_container) now = loaded ? box_container_inspect(self, server, error) : NULL;
    if (!now)
        return FALSE;
    gboolean was_running = now->state == BOX_RUNNING, worth = TRUE;
    if (flags & BOX_APPLY_UPGRADE && !fetch_image(self, server, loaded, now, &worth, error))
        return FALSE;
    if (!worth)
        return TRUE;
    if (now->state == BOX_MISSING) {
        log_note("the configuration takes effect at the next start");
        return TRUE;
    }
    create_notes_network(self, loaded, now);
    g_autofree char *contents = container_diff_describe(self, server, now);
    gboolean loses_files = contents && !(flags & BOX_APPLY_KEEP_FILES);
    g_autofree char *loss = box_describe_loss(self, was_running, loses_files ? contents : NULL);
    box_loss_words words = {"recreating", "Recreate it?",
                            loses_files ? "--keep-files keeps the files; name software that should "
                                          "always be there in [box] packages"
                                        : NULL};
    if (!box_confirm_loss(self, loss, flags & BOX_APPLY_YES, &words, error) ||
        !box_create_next(self, server, loaded, NULL, error))
        return FALSE;
    saved_actions before;
    delay_signals(&before);
    gboolean done = exchange(self, server, loaded, flags, contents != NULL, was_running, error);
    deliver_signals(&before);
    *runs = was_running;
    if (done && !was_running)
        log_note("the configuration takes effect at the next start");
    return done;
}

gboolean box_recreate_on(struct box *self, podman_client *server, const box_layer *layer,
                         GError **error)
{
    g_autoptr(config) loaded = config_load(self->project, self->base, NULL, TRUST_ASK, error);
    if (!loaded || !box_create_next(self, server, loaded, layer, error))
        return FALSE;
    saved_actions before;
    delay_signals(&before);
    gboolean done = exchange(self, server, loaded, 0, TRUE, FALSE, error);
    deliver_signals(&before);
    return done;
}

gboolean box_apply(struct box *self, podman_client *server, unsigned flags, gboolean *runs,
                   GError **error)
{
    int lock = box_lock_registered(self, error);
    if (lock < 0)
        return FALSE;
    gboolean done = apply_locked(self, server, flags, runs, error);
    close(lock);
    return done;
}
