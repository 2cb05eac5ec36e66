#include "box/lifecycle/keep_files.h"

#include <errno.h>
#include <unistd.h>

#include "box/lifecycle/container_diff.h"
#include "box/lifecycle/image.h"
#include "box/lifecycle/keep_filter.h"
#include "box/lifecycle/trust_store.h"
#include "box/registry/box.h"
#include "common/fs.h"
#include "common/text.h"
#include "common/units.h"
#include "console/ask.h"
#include "console/log.h"
#include "plan/plan.h"

/* Where packages of distributions put files, and keep their lists of them. With another image, both
 * would be a mixture of two systems. */
static const char *const package_folders[] = {
    "/bin",          "/boot",        "/etc/alternatives", "/etc/apk",        "/lib",
    "/lib32",        "/lib64",       "/libx32",           "/sbin",           "/usr",
    "/var/lib/apt",  "/var/lib/dnf", "/var/lib/dpkg",     "/var/lib/pacman", "/var/lib/rpm",
    "/var/lib/zypp",
};

/* Podman writes the box's user into these of each container, so they are no sign that there is
 * something to keep; but packages add users of theirs, who own some of their files. Podman adds its
 * line to those that do not have it. */
static const char *const user_lists[] = {"/etc/passwd", "/etc/group"};

typedef struct {
    keep_filter *filter;
    int spool; /* the new tar */
    image_progress *shown;
    const char *doing;
    guint64 bytes; /* read so far */
} keeper;

static void keeper_clear(keeper *self)
{
    g_clear_pointer(&self->filter, keep_filter_free);
    if (self->spool >= 0)
        close(self->spool);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(keeper, keeper_clear)

static gboolean spool(const char *data, gsize length, gpointer user_data, GError **error)
{
    const keeper *self = user_data;
    if (fs_write_all(self->spool, data, length))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot keep the files: %s", g_strerror(errno));
    return FALSE;
}

static gboolean is_of_package(const char *path)
{
    if (fs_is_below(path, "/usr/local"))
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(package_folders); i++)
        if (fs_is_below(path, package_folders[i]))
            return TRUE;
    return FALSE;
}

/* Decides what can be said of CHANGE without the file. */
static void choose(keep_filter *filter, const container_change *change, const json_t *mounts,
                   gboolean same_image)
{
    gboolean is_deleted = change->kind == 2, is_new = change->kind == 1;
    gboolean stays = !same_image && (!is_new || is_of_package(change->path));
    keep_fate fate = KEEP_WANTED;
    if (is_deleted)
        fate = KEEP_RETURNS;
    else if (container_diff_is_mounted(change->path, mounts))
        fate = KEEP_MOUNT;
    else if (stays)
        fate = KEEP_IMAGE;
    if (fate == KEEP_WANTED)
        keep_filter_want(filter, change->path);
    else if (!change->has_others && (same_image || !is_deleted))
        keep_filter_tell(filter, change->path, fate);
}

static char **id_lines(const json_t *inspect, const char *kind)
{
    json_t *maps = json_object_get(json_object_get(inspect, "HostConfig"), "IDMappings"), *line;
    g_autoptr(GPtrArray) lines = g_ptr_array_new();
    gsize i;
    json_array_foreach (json_object_get(maps, kind), i, line) {
        const char *text = json_string_value(line);
        g_ptr_array_add(lines, g_strdup(text ? text : ""));
    }
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&lines), FALSE);
}

static void choose_user_lists(keep_filter *filter, const json_t *mounts)
{
    for (gsize i = 0; i < G_N_ELEMENTS(user_lists); i++)
        if (!container_diff_is_mounted(user_lists[i], mounts))
            keep_filter_want_uncounted(filter, user_lists[i]);
}

/* A filter that knows what to keep of SELF's container, whose inspect document is OLD, for NEXT. */
static keep_filter *make_filter(const struct box *self, podman_client *server, const json_t *old,
                                const char *next, keeper *to, GError **error)
{
    g_autoptr(json_t) new = podman_container_inspect(server, next, error);
    g_autoptr(GPtrArray) changes =
        new ? container_diff_list(self->container, server, old, NULL, error) : NULL;
    if (!changes)
        return NULL;
    g_auto(GStrv) uids = id_lines(old, "UidMap"), gids = id_lines(old, "GidMap");
    keep_filter *filter =
        keep_filter_new((const char *const *)uids, (const char *const *)gids, spool, to, error);
    g_autofree char *image = container_base_image(old), *next_image = container_base_image(new);
    gboolean same_image = image && g_strcmp0(image, next_image) == 0;
    if (filter && same_image)
        choose_user_lists(filter, json_object_get(new, "Mounts"));
    for (guint i = 0; filter && i < changes->len; i++) {
        const container_change *change = changes->pdata[i];
        /* Of another image it is not the user's, and the next start makes it anew. */
        if (same_image || !trust_store_may_have_changed(self, change->path))
            choose(filter, change, json_object_get(new, "Mounts"), same_image);
    }
    return filter;
}

static void show_progress(keeper *self, gint64 bytes)
{
    image_progress_report(
        &(podman_progress){.text = self->doing, .bytes = bytes, .is_repeat = TRUE}, self->shown);
}

static void on_read_tick(gint64 sent, gpointer user_data)
{
    keeper *self = user_data;
    (void)sent;
    show_progress(self, (gint64)self->bytes);
}

static void on_write_tick(gint64 sent, gpointer user_data)
{
    show_progress(user_data, sent);
}

static gboolean on_chunk(const char *data, gsize length, gpointer user_data, GError **error)
{
    keeper *self = user_data;
    self->bytes += length;
    return keep_filter_feed(self->filter, data, length, error);
}

/* Shows that DOING takes long, and lets Ctrl-C end it. */
static void begin(keeper *self, const char *doing)
{
    self->doing = doing;
    if (!isatty(STDERR_FILENO))
        log_step("%s", doing);
    self->shown = image_progress_new(log_quiet, FALSE);
}

static void end(keeper *self)
{
    g_clear_pointer(&self->shown, image_progress_free);
    log_step_done();
    /* A Ctrl-C has done its work; the old box is to be started again. */
    podman_cancel_reset();
}

static gboolean read_old(keeper *self, const struct box *of, podman_client *server, GError **error)
{
    begin(self, "reading the files to keep");
    gboolean done =
        podman_container_export(server, of->container, on_chunk, on_read_tick, self, error);
    end(self);
    return done && keep_filter_end(self->filter, error);
}

static gboolean write_new(keeper *self, podman_client *server, const char *next, GError **error)
{
    lseek(self->spool, 0, SEEK_SET);
    begin(self, "writing the files to keep");
    gboolean done = podman_container_extract(server, next, self->spool, on_write_tick, self, error);
    end(self);
    return done;
}

/* "3 files, such as '/opt/x'"; a new string. */
static char *name_files(const keep_tally *tally)
{
    g_autofree char *safe = text_safe_max(tally->example, -1, 200);
    return tally->count == 1 ? g_strdup_printf("'%s'", safe)
                             : g_strdup_printf("%u files, such as '%s'", tally->count, safe);
}

static const char *const left_because[KEEP_FATES] = {
    [KEEP_IMAGE] = "the new box has another image, which has its own files there; name software in "
                   "[box] packages",
    [KEEP_MOUNT] = "the new box has a mount there",
    [KEEP_SPECIAL] = "devices and FIFOs are not kept",
    [KEEP_LINKED] = "hard links to files that are not kept",
    [KEEP_OWNER] = "the owner is no user of the box",
    [KEEP_MISSING] = "sockets, and names that are not UTF-8 or too long, are not kept",
};

/* Names what is not kept. The number of files. */
static guint warn_of_left(const keep_filter *filter)
{
    guint left = 0;
    for (int fate = 0; fate < KEEP_FATES; fate++) {
        const keep_tally *tally = keep_filter_tally(filter, fate);
        if (!left_because[fate] || tally->count == 0)
            continue;
        g_autofree char *files = name_files(tally);
        log_warning("not kept: %s (%s)", files, left_because[fate]);
        left += tally->count;
    }
    return left;
}

static gboolean confirm(const keep_filter *filter, gboolean yes, GError **error)
{
    guint left = warn_of_left(filter);
    if (left == 0 || yes || (ask_can() && ask_yes("Recreate the box without them?")))
        return TRUE;
    if (ask_can())
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_CANCELLED, "nothing was deleted");
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "%u file%s cannot be kept, and there is no terminal to ask on: use --yes", left,
                    left == 1 ? "" : "s");
    return FALSE;
}

static void note_kept(const keep_filter *filter)
{
    const keep_tally *kept = keep_filter_tally(filter, KEEP_KEPT);
    const keep_tally *stripped = keep_filter_tally(filter, KEEP_STRIPPED);
    const keep_tally *returns = keep_filter_tally(filter, KEEP_RETURNS);
    g_autofree char *size = units_format_size((gint64)keep_filter_bytes(filter));
    if (kept->count)
        log_note("kept %u file%s outside the home (%s)", kept->count, kept->count == 1 ? "" : "s",
                 size);
    if (stripped->count) {
        g_autofree char *files = name_files(stripped);
        log_warning("kept without setuid and setgid bits and capabilities: %s", files);
    }
    if (returns->count) {
        g_autofree char *files = name_files(returns);
        log_warning("deleted in the old box, but not in the new one: %s", files);
    }
}

static gboolean keep_in(const struct box *self, podman_client *server, const json_t *old,
                        const char *next, gboolean yes, GError **error)
{
    g_auto(keeper) of = {.spool = fs_open_unnamed(self->data, error)};
    if (of.spool < 0)
        return FALSE;
    of.filter = make_filter(self, server, old, next, &of, error);
    if (!of.filter)
        return FALSE;
    gboolean any = keep_filter_is_waiting(of.filter);
    if ((any && !read_old(&of, self, server, error)) || !confirm(of.filter, yes, error) ||
        (any && !write_new(&of, server, next, error)))
        return FALSE;
    note_kept(of.filter);
    return TRUE;
}

gboolean keep_files(const struct box *self, podman_client *server, const char *next, gboolean yes,
                    GError **error)
{
    g_autoptr(box_container) old = box_container_inspect(self, server, error);
    if (!old)
        return FALSE;
    g_autofree char *contents = container_diff_describe(self, server, old);
    return !contents || keep_in(self, server, old->inspect, next, yes, error);
}
