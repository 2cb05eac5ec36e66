#include "box/lifecycle/ports.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/forwarder.h"
#include "box/lifecycle/container.h"
#include "common/fs.h"
#include "console/log.h"
#include "proto/port_mapping.h"

/* Serialises changes of the lists. Not box_lock(), which a start holds for long. */
static int lock_lists(const struct box *self, GError **error)
{
    g_autofree char *path = g_build_filename(self->runtime, "ports.lock", NULL);
    if (!fs_make_folder(self->runtime, 0700, error))
        return -1;
    return fs_lock(path, NULL, error);
}

static void forward_free(gpointer data)
{
    port_forward *self = data;
    port_mapping_free(self->mapping);
    g_free(self);
}

static port_mapping *copy(const port_mapping *self)
{
    port_mapping *result = g_memdup2(self, sizeof *self);
    result->host_ip = g_strdup(self->host_ip);
    return result;
}

static int state_of(GHashTable *states, const port_mapping *mapping)
{
    g_autofree char *text = port_mapping_text(mapping);
    gpointer value = NULL;
    if (!g_hash_table_lookup_extended(states, text, NULL, &value))
        return EAGAIN;
    return GPOINTER_TO_INT(value);
}

static void add_forward(GPtrArray *list, const port_mapping *mapping, gboolean kept, int state)
{
    port_forward *one = g_new0(port_forward, 1);
    one->mapping = copy(mapping);
    one->kept = kept;
    one->error = state;
    g_ptr_array_add(list, one);
}

GPtrArray *port_forwards_list(const struct box *self, gboolean running, GError **error)
{
    g_autoptr(GPtrArray) kept = port_list_read(self->data);
    GPtrArray *all = g_ptr_array_new_with_free_func(forward_free);
    if (!running) {
        for (guint i = 0; i < kept->len; i++)
            add_forward(all, kept->pdata[i], TRUE, -1);
        return all;
    }
    g_autoptr(GPtrArray) now = port_list_read(self->runtime);
    g_autoptr(GHashTable) states = forwarder_sync(self, error);
    if (!states) {
        g_ptr_array_unref(all);
        return NULL;
    }
    for (guint i = 0; i < now->len; i++) {
        const port_mapping *one = now->pdata[i], *same = port_list_find(kept, one, NULL);
        add_forward(all, one, same && same->box_port == one->box_port, state_of(states, one));
    }
    return all;
}

/* FALSE with ERROR when another forward uses the same port of the host, or there are too many. */
static gboolean check_free(const GPtrArray *list, const port_mapping *mapping, GError **error)
{
    const port_mapping *same = port_list_find(list, mapping, NULL);
    g_autofree char *host = port_mapping_host_side(mapping);
    if (same && same->box_port != mapping->box_port) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "%s already leads to port %u of the box; remove that with 'box port remove "
                    "%u'",
                    host, same->box_port, same->host_port);
        return FALSE;
    }
    if (!same && list->len >= PORT_FORWARDS_MAX) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "the box already has %d forwards, the most that are possible",
                    PORT_FORWARDS_MAX);
        return FALSE;
    }
    return TRUE;
}

/* A port that is likely to be free. */
static guint suggest_port(const port_mapping *mapping)
{
    if (mapping->host_port < 1024)
        return mapping->host_port + 8000u;
    return mapping->host_port < G_MAXUINT16 ? mapping->host_port + 1u : 8080u;
}

/* The running box other than SELF that uses the same port of the host; a new string, or NULL. */
static char *find_owner(const struct box *self, const port_mapping *mapping)
{
    g_auto(GStrv) names = registry_names();
    for (char **name = names; *name; name++) {
        g_autoptr(box) other = strcmp(*name, self->name) ? box_new(*name, "/", NULL) : NULL;
        if (!other || !box_find_init(other))
            continue;
        g_autoptr(GPtrArray) list = port_list_read(other->runtime);
        if (port_list_find(list, mapping, NULL))
            return g_strdup(*name);
    }
    return NULL;
}

static void set_taken_error(const struct box *self, const port_mapping *mapping, GError **error)
{
    g_autofree char *owner = find_owner(self, mapping);
    g_autofree char *by = owner ? g_strdup_printf("box '%s'", owner) : g_strdup("another program");
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                "port %u of %s is in use by %s: choose another one, as in 'box port add %u:%u'",
                mapping->host_port, mapping->host_ip, by, suggest_port(mapping), mapping->box_port);
}

/* WHY: errno of listening. */
static void set_listen_error(const struct box *self, const port_mapping *mapping, int why,
                             GError **error)
{
    switch (why) {
    case EADDRINUSE:
        set_taken_error(self, mapping, error);
        return;
    case EACCES:
    case EPERM:
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "only root can listen on port %u: choose one above 1023, as in 'box port add "
                    "%u:%u'",
                    mapping->host_port, suggest_port(mapping), mapping->box_port);
        return;
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "this machine does not have the address '%s': 'ip address' lists its addresses",
                    mapping->host_ip);
        return;
    default:
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot listen on port %u of %s: %s",
                    mapping->host_port, mapping->host_ip, g_strerror(why));
    }
}

/* Adds MAPPING to the list of the current run, and removes it again if the host cannot listen. */
static gboolean add_to_run(const struct box *self, const port_mapping *mapping, gboolean *again,
                           GError **error)
{
    g_autoptr(GPtrArray) list = port_list_read(self->runtime);
    if (!check_free(list, mapping, error))
        return FALSE;
    *again = port_list_find(list, mapping, NULL) != NULL;
    if (!*again) {
        g_ptr_array_add(list, copy(mapping));
        if (!port_list_write(self->runtime, list, error))
            return FALSE;
    }
    g_autoptr(GHashTable) states = forwarder_sync(self, error);
    int why = states ? state_of(states, mapping) : 0;
    if (states && why == 0)
        return TRUE;
    if (!*again) {
        g_ptr_array_remove_index(list, list->len - 1);
        port_list_write(self->runtime, list, NULL);
        forwarder_notify(self);
    }
    if (why)
        set_listen_error(self, mapping, why, error);
    return FALSE;
}

static gboolean add_to_kept(const struct box *self, const port_mapping *mapping, gboolean *again,
                            GError **error)
{
    g_autoptr(GPtrArray) list = port_list_read(self->data);
    if (!check_free(list, mapping, error))
        return FALSE;
    *again = port_list_find(list, mapping, NULL) != NULL;
    if (*again)
        return TRUE;
    g_ptr_array_add(list, copy(mapping));
    return port_list_write(self->data, list, error);
}

gboolean port_forwards_add(const struct box *self, gboolean running, const port_mapping *mapping,
                           gboolean keep, gboolean *again, GError **error)
{
    gboolean was_kept = TRUE;
    int lock = lock_lists(self, error);
    if (lock < 0)
        return FALSE;
    *again = TRUE;
    gboolean done = (!running || add_to_run(self, mapping, again, error)) &&
                    (!keep || add_to_kept(self, mapping, &was_kept, error));
    *again = *again && was_kept;
    close(lock);
    return done;
}

static int remove_from(const char *folder,
                       gboolean (*match)(const port_mapping *mapping, const void *data),
                       const void *data, GError **error)
{
    g_autoptr(GPtrArray) list = port_list_read(folder);
    guint before = list->len;
    for (guint i = 0; i < list->len;) {
        if (match(list->pdata[i], data))
            g_ptr_array_remove_index(list, i);
        else
            i++;
    }
    if (list->len != before && !port_list_write(folder, list, error))
        return -1;
    return (int)(before - list->len);
}

int port_forwards_remove(const struct box *self, gboolean running,
                         gboolean (*match)(const port_mapping *mapping, const void *data),
                         const void *data, GError **error)
{
    int lock = lock_lists(self, error);
    if (lock < 0)
        return -1;
    int kept = remove_from(self->data, match, data, error);
    int now = kept >= 0 ? remove_from(self->runtime, match, data, error) : -1;
    if (now >= 0 && running) {
        g_autoptr(GHashTable) states = forwarder_sync(self, error);
        if (!states)
            now = -1;
    } else if (now >= 0) {
        /* The box may be running after all: it can hide its PID 1. */
        forwarder_notify(self);
    }
    close(lock);
    return kept < 0 || now < 0 ? -1 : MAX(kept, now);
}

gboolean port_forwards_prepare(const struct box *self, GError **error)
{
    int lock = lock_lists(self, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(GPtrArray) kept = port_list_read(self->data);
    gboolean done = port_list_write(self->runtime, kept, error);
    close(lock);
    return done;
}

void port_forwards_open(const struct box *self)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *path = g_build_filename(self->runtime, PORT_LIST, NULL);
    if (access(path, F_OK) < 0)
        return;
    g_autoptr(GPtrArray) all = port_forwards_list(self, TRUE, &problem);
    if (problem)
        log_warning("%s", problem->message);
    for (guint i = 0; all && i < all->len; i++) {
        const port_forward *one = all->pdata[i];
        g_autoptr(GError) why = NULL;
        if (one->error)
            set_listen_error(self, one->mapping, one->error, &why);
        if (why)
            log_warning("a port of box '%s' is not forwarded: %s", self->name, why->message);
    }
}
