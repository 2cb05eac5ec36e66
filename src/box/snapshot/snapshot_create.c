#include <string.h>

#include "box/registry/registry.h"
#include "box/session/connection.h"
#include "box/snapshot/manifest.h"
#include "box/snapshot/snapshot_scan.h"
#include "box/snapshot/system_image.h"
#include "common/interrupt.h"
#include "console/log.h"
#include "plan/plan.h"

/* The newest snapshot has all that MADE has. */
static gboolean is_known(const struct box *self, const snapshot_manifest *made)
{
    for (int part = 0; part < SNAPSHOT_PARTS; part++) {
        if (!made->header.has[part])
            continue;
        g_autoptr(snapshot_manifest) last = snapshot_find_last(self, (enum snapshot_part)part);
        g_autoptr(GArray) changes =
            last ? snapshot_compare(last, made, (enum snapshot_part)part) : NULL;
        if (!changes || changes->len)
            return FALSE;
    }
    return TRUE;
}

/* Boxes whose projects are above or below are not paused: that is said. */
static void note_others(const struct box *self, GPtrArray *notes)
{
    g_auto(GStrv) projects = registry_projects();
    for (char **project = projects; projects && *project; project++) {
        gboolean overlaps =
            strcmp(*project, self->project) != 0 && plan_overlaps(*project, self->project);
        g_autoptr(box) other = overlaps ? registry_by_project(*project, NULL) : NULL;
        if (other && box_find_init(other))
            g_ptr_array_add(notes, g_strdup_printf("box '%s', which can write in this project, "
                                                   "too, ran meanwhile, and was not paused",
                                                   other->name));
    }
}

/* *HAS_IMAGE: Podman has made one for it. */
static gboolean create(const struct box *self, const snapshot_options *how, object_store *store,
                       guint *number, gboolean *has_image, GPtrArray *notes, GError **error)
{
    g_autoptr(snapshot_manifest) made = snapshot_scan_paused(self, how, store, notes, error);
    *number = 0;
    if (made && how->reason == SNAPSHOT_AUTO && is_known(self, made))
        return TRUE;
    if (made && how->parts[SNAPSHOT_SYSTEM]) {
        *has_image = system_image_save(self, how->server, &made->header, error);
        if (!*has_image)
            return FALSE;
    }
    if (!made || !object_store_publish(store, error) || !interrupt_check(error) ||
        !snapshot_write(self, made, number, error))
        return FALSE;
    if (!snapshot_header_is_consistent(&made->header))
        g_ptr_array_add(notes,
                        g_strdup_printf("programs of box '%s' ran meanwhile, and could not be "
                                        "paused: what they wrote in the same moment may be there "
                                        "in part",
                                        self->name));
    if (how->parts[SNAPSHOT_PROJECT])
        note_others(self, notes);
    return TRUE;
}

static void say(const GPtrArray *notes)
{
    for (guint i = 0; i < notes->len; i++)
        log_warning("%s", (const char *)notes->pdata[i]);
}

gboolean snapshot_create(const struct box *self, const snapshot_options *how, guint *number,
                         GError **error)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(object_store) store = object_store_open(error);
    gboolean has_image = FALSE;
    if (!store)
        return FALSE;
    interrupt_begin();
    log_step("making a snapshot of box '%s'", self->name);
    gboolean done = create(self, how, store, number, &has_image, notes, error);
    log_step_done();
    g_clear_pointer(&store, object_store_close);
    if (!done && has_image)
        system_images_collect_or_warn();
    interrupt_end();
    if (how->reason != SNAPSHOT_AUTO)
        say(notes);
    return done;
}

snapshot_manifest *snapshot_now(const struct box *self, const snapshot_options *how, GError **error)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(object_store) store = object_store_open(error);
    if (!store)
        return NULL;
    interrupt_begin();
    log_step("reading what is there now");
    snapshot_manifest *now = snapshot_scan(self, how, store, NULL, notes, error);
    log_step_done();
    interrupt_end();
    say(notes);
    return now;
}
