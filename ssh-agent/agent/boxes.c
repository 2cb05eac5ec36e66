#include "ssh-agent/agent/boxes.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/error.h"
#include "common/subid.h"
#include "config/settings.h"
#include "ssh-agent/agent/choose.h"
#include "ssh-agent/agent/client.h"
#include "ssh-agent/agent/places.h"
#include "ssh-agent/agent/wishes.h"

#define NAME_MAX_LENGTH 63
/* Listening sockets hold more than they accept: a burst of connections waits. */
#define BACKLOG 1024

static gboolean accept_one(agent_box *self, int fd)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    if (self->clients->len >= BOX_CLIENTS_MAX ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || !subid_is_ours(peer.uid))
        return FALSE;
    client_new(self, fd, peer.pid);
    return TRUE;
}

static gboolean on_connection(gint fd, GIOCondition condition, gpointer data)
{
    int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted >= 0 && !accept_one(data, accepted))
        close(accepted);
    /* Out of descriptors: the same event would come at once, again and again. */
    if (accepted < 0 && (errno == EMFILE || errno == ENFILE))
        g_usleep(10000);
    return G_SOURCE_CONTINUE;
}

static gboolean on_end(gint fd, GIOCondition condition, gpointer data)
{
    agent_box *self = data;
    boxes_close(self->agent, self->name);
    return G_SOURCE_CONTINUE;
}

static void stop_watching(agent_box *self)
{
    g_clear_handle_id(&self->watch, g_source_remove);
    if (self->pidfd >= 0)
        close(self->pidfd);
    self->pidfd = -1;
}

void boxes_free(gpointer data)
{
    agent_box *self = data;
    choose_forget(self);
    stop_watching(self);
    g_clear_handle_id(&self->accepting, g_source_remove);
    if (self->listener >= 0)
        close(self->listener);
    while (self->clients->len > 0)
        client_close(self->clients->pdata[0]);
    g_ptr_array_unref(self->clients);
    g_ptr_array_unref(self->keys);
    g_ptr_array_unref(self->attached);
    json_decref(self->opened);
    g_free(self->name);
    g_free(self->base);
    g_free(self->project);
    g_free(self->upstream);
    g_free(self);
}

static agent_box *box_new(agent *owner, const char *name)
{
    agent_box *self = g_new0(agent_box, 1);
    self->agent = owner;
    self->name = g_strdup(name);
    self->pidfd = self->listener = -1;
    self->clients = g_ptr_array_new();
    self->keys = wishes_new();
    self->attached = wishes_new();
    return self;
}

static gboolean fail(GError **error, const char *what)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "%s: %s", what, g_strerror(errno));
    return FALSE;
}

static gboolean listen_in_folder(agent_box *self, GError **error)
{
    self->listener = places_listen(self->name, BACKLOG);
    if (self->listener < 0)
        return fail(error, "cannot make the box's socket");
    self->accepting = g_unix_fd_add(self->listener, G_IO_IN, on_connection, self);
    return TRUE;
}

/* The process that PID is now; records name it by its start as well. */
static gboolean watch_pid(agent_box *self, pid_t pid, GError **error)
{
    int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (fd < 0)
        return fail(error, "the box does not run");
    stop_watching(self);
    self->pid = pid;
    self->pidfd = fd;
    self->watch = g_unix_fd_add(fd, G_IO_IN, on_end, self);
    return TRUE;
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

gboolean boxes_is_name(const char *name)
{
    return name && *name && *name != '.' && strlen(name) <= NAME_MAX_LENGTH &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-")];
}

/* Grants are for keys that were attached; they end when that ends, even if a label in the
 * configuration could still be the key's. */
static void read_attached(agent_box *self)
{
    g_autoptr(GPtrArray) before = self->attached;
    g_autoptr(GError) error = NULL;
    self->attached = wishes_new();
    if (!wishes_read(self->attached, self->base, &error))
        g_message("box '%s' has none of its attached keys: %s", self->name, error->message);
    self->changes++;
    for (guint i = 0; i < before->len; i++) {
        const key_wish *each = before->pdata[i];
        if (!wishes_name(self->attached, each->fingerprint) &&
            !wishes_name(self->keys, each->fingerprint))
            grants_clear(self->agent->grants, self->name, each->fingerprint);
    }
}

/* Returns the indices of the configuration's keys that are none. */
static json_t *take_settings(agent_box *self, const json_t *request)
{
    const char *forward = text(request, "forward"), *real = text(request, "upstream");
    const json_t *limits = json_object_get(request, "grants");
    g_free(self->project);
    g_free(self->upstream);
    self->project = g_strdup(text(request, "project"));
    self->upstream = real && *real == '/' ? g_strdup(real) : NULL;
    self->forward_ask = g_strcmp0(forward, "ask") == 0;
    self->grants =
        CLAMP((int)json_integer_value(json_object_get(limits, "longest")), GRANTS_ONCE, GRANTS_BOX);
    self->grant_uses = (guint64)MAX(json_integer_value(json_object_get(limits, "uses")), 1);
    json_t *wrong = wishes_take(self->keys, json_object_get(request, "keys"));
    const char *base = text(request, "attached"); /* a throw-away box has those of its model */
    g_free(self->base);
    self->base = g_strdup(boxes_is_name(base) ? base : self->name);
    read_attached(self);
    return wrong;
}

json_t *boxes_open(agent *self, const json_t *request, GError **error)
{
    const char *name = text(request, "box");
    pid_t pid = (pid_t)json_integer_value(json_object_get(request, "pid"));
    if (!boxes_is_name(name) || !text(request, "project")) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "no box, or no project");
        return NULL;
    }
    agent_box *box = g_hash_table_lookup(self->boxes, name);
    gboolean fresh = box == NULL;
    if (fresh)
        box = box_new(self, name);
    gboolean other = box->pid != pid;
    if ((other && !watch_pid(box, pid, error)) || (fresh && !listen_in_folder(box, error))) {
        if (fresh)
            boxes_free(box);
        return NULL;
    }
    /* It has stopped and started since, or is to have other keys. */
    if (!fresh && (other || !json_equal(json_object_get(box->opened, "keys"),
                                        json_object_get(request, "keys"))))
        grants_clear(self->grants, name, NULL);
    json_t *wrong = take_settings(box, request);
    json_decref(box->opened);
    box->opened = json_deep_copy(request);
    if (fresh)
        g_hash_table_insert(self->boxes, box->name, box);
    places_record(name, box->opened, pid);
    agent_check_idle(self);
    return wrong;
}

gboolean boxes_close(agent *self, const char *name)
{
    g_autofree char *kept = g_strdup(name);
    if (!g_hash_table_contains(self->boxes, kept))
        return FALSE;
    places_forget(kept);
    questions_drop(self->questions, kept, agent_now());
    questions_forget(self->questions, kept);
    grants_clear(self->grants, kept, NULL);
    g_hash_table_remove(self->boxes, kept);
    agent_check_idle(self);
    return TRUE;
}

static void restore_one(const json_t *request, gpointer data)
{
    g_autoptr(GError) error = NULL;
    json_decref(boxes_open(data, request, &error));
    if (error)
        g_message("a box of before: %s", error->message);
}

void boxes_restore(agent *self)
{
    places_each_record(restore_one, self);
}

void boxes_reload(agent *self)
{
    GHashTableIter iter;
    gpointer box;
    g_hash_table_iter_init(&iter, self->boxes);
    while (g_hash_table_iter_next(&iter, NULL, &box))
        read_attached(box);
}

char *boxes_label(const agent_box *self, const char *fingerprint, const char *comment, gsize length)
{
    char *label = wishes_label(self->attached, fingerprint, comment, length);
    return label ? label : wishes_label(self->keys, fingerprint, comment, length);
}
