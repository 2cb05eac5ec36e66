/*
 * The container is recreated from the snapshot's image by the steps of 'box apply'
 * (box/lifecycle/replace.h): it changes places with the old one only when it has started.
 */
#include <unistd.h>

#include "box/lifecycle/lifecycle.h"
#include "box/lifecycle/replace.h"
#include "box/snapshot/restore.h"

/* The image of snapshot NUMBER, which Podman still has. FALSE with ERROR. */
static gboolean find_image(const struct box *self, guint number, podman_client *server,
                           char image[OBJECT_ID_TEXT], char base[OBJECT_ID_TEXT], GError **error)
{
    snapshot_header header;
    if (!snapshot_read_header(self, number, &header, error))
        return FALSE;
    object_id_print(&header.image, image);
    object_id_print(&header.base, base);
    snapshot_header_clear(&header);
    g_autoptr(GError) problem = NULL;
    if (podman_image_exists(server, image, &problem))
        return TRUE;
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "the image of snapshot %u is gone: somebody has removed it with Podman",
                    number);
    return FALSE;
}

/* What is there becomes a snapshot. *BEFORE stays 0 where there is nothing. */
static gboolean save_system(const struct box *self, const settings *wanted, podman_client *server,
                            guint *before, GError **error)
{
    g_autoptr(box_container) now = box_container_inspect(self, server, error);
    snapshot_options how = {.parts = {[SNAPSHOT_SYSTEM] = TRUE},
                            .reason = SNAPSHOT_BEFORE_RESTORE,
                            .wanted = wanted,
                            .server = server};
    return now && (now->state == BOX_MISSING || snapshot_create(self, &how, before, error));
}

gboolean restore_system(struct box *self, guint number, const settings *wanted,
                        podman_client *server, guint *before, GError **error)
{
    char image[OBJECT_ID_TEXT], base[OBJECT_ID_TEXT];
    int lock = box_lock(self, error);
    if (lock < 0)
        return FALSE;
    *before = 0;
    gboolean done = find_image(self, number, server, image, base, error) &&
                    replace_repair(self, server, error) && box_stop(self, server, error) &&
                    save_system(self, wanted, server, before, error) &&
                    box_recreate_on(self, server, &(box_layer){image, base}, error);
    close(lock);
    return done;
}
