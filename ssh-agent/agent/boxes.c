#include "ssh-agent/agent/agent.h"

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
#include "net/unix_socket.h"
#include "ssh-agent/agent/attached_keys.h"
#include "ssh-agent/agent/client.h"
#include "ssh-agent/agent/socket_paths.h"

#define NAME_MAX_LENGTH 63

gboolean agent_box_is_name(const char *name)
{
    return name && *name && *name != '.' && strlen(name) <= NAME_MAX_LENGTH &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-")];
}

/* Reads the keys that are attached to SELF again. Ends the grants for those that no longer are. */
static void agent_box_reload(agent_box *self)
{
    g_autoptr(GPtrArray) before = self->attached;
    g_autoptr(GError) error = NULL;
    self->attached = attached_keys_new();
    if (!attached_keys_read(self->attached, self->attached_name, &error))
        g_message("box '%s' has none of its attached keys: %s", self->name, error->message);
    self->keys_version++;
    for (guint i = 0; i < before->len; i++) {
        const attached_key *each = before->pdata[i];
        /* Even if a label of the configuration matches this key: the user has not approved that. */
        if (!attached_keys_contain(self->attached, each->fingerprint) &&
            !attached_keys_contain(self->keys, each->fingerprint))
            grants_clear(self->agent->grants, self->name, each->fingerprint);
    }
}

void agent_box_reload_all(agent *owner)
{
    GHashTableIter iter;
    gpointer box;
    g_hash_table_iter_init(&iter, owner->boxes);
    while (g_hash_table_iter_next(&iter, NULL, &box))
        agent_box_reload(box);
}

char *agent_box_label(const agent_box *self, const char *fingerprint, const char *comment,
                      gsize length)
{
    char *label = attached_keys_label(self->attached, fingerprint, comment, length);
    return label ? label : attached_keys_label(self->keys, fingerprint, comment, length);
}

question *agent_box_question(const agent_box *self, enum question_kind kind, const char *headline)
{
    question *asked = question_new(kind, self->name, self->project);
    question_set_headline(asked, headline);
    prompt_client_identify(self->agent, asked);
    return asked;
}

/* Connections that wait to be accepted: a burst of programs that start at once. */
#define BACKLOG 1024

static gboolean on_box_connection(gint fd, GIOCondition condition, gpointer data)
{
    agent_box *self = data;
    struct ucred peer;
    int accepted = unix_socket_accept(fd, SOCK_NONBLOCK, &peer);
    if (accepted >= 0 && self->clients->len < BOX_CLIENTS_MAX && subid_is_ours(peer.uid))
        client_new(self, accepted, peer.pid);
    else if (accepted >= 0)
        close(accepted);
    /* Without a free descriptor the connection stays queued, and the event repeats at once. */
    if (accepted < 0 && (errno == EMFILE || errno == ENFILE))
        g_usleep(10000);
    return G_SOURCE_CONTINUE;
}

static gboolean on_pid1_end(gint fd, GIOCondition condition, gpointer data)
{
    agent_box *self = data;
    boxes_close(self->agent, self->name);
    return G_SOURCE_CONTINUE;
}

static void stop_watching(agent_box *self)
{
    g_clear_handle_id(&self->pid_source, g_source_remove);
    if (self->pidfd >= 0)
        close(self->pidfd);
    self->pidfd = -1;
}

void boxes_free(gpointer data)
{
    agent_box *self = data;
    key_offer_cancel(self);
    stop_watching(self);
    g_clear_handle_id(&self->listener_source, g_source_remove);
    if (self->listener >= 0)
        close(self->listener);
    while (self->clients->len > 0)
        client_close(self->clients->pdata[0]);
    g_ptr_array_unref(self->clients);
    g_ptr_array_unref(self->keys);
    g_ptr_array_unref(self->attached);
    json_decref(self->opened);
    g_free(self->name);
    g_free(self->attached_name);
    g_free(self->project);
    g_free(self->upstream);
    g_free(self);
}

static agent_box *new_box(agent *owner, const char *name)
{
    agent_box *self = g_new0(agent_box, 1);
    self->agent = owner;
    self->name = g_strdup(name);
    self->pidfd = self->listener = -1;
    self->clients = g_ptr_array_new();
    self->keys = attached_keys_new();
    self->attached = attached_keys_new();
    return self;
}

static gboolean socket_failed(GError **error, const char *what)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "%s: %s", what, g_strerror(errno));
    return FALSE;
}

static gboolean listen_in_folder(agent_box *self, GError **error)
{
    self->listener = socket_paths_listen_box(self->name, BACKLOG);
    if (self->listener < 0)
        return socket_failed(error, "cannot create the box's socket");
    self->listener_source = g_unix_fd_add(self->listener, G_IO_IN, on_box_connection, self);
    return TRUE;
}

static gboolean watch_pid(agent_box *self, pid_t pid, GError **error)
{
    int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (fd < 0)
        return socket_failed(error, "the box is not running");
    stop_watching(self);
    self->pid = pid;
    self->pidfd = fd;
    self->pid_source = g_unix_fd_add(fd, G_IO_IN, on_pid1_end, self);
    return TRUE;
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Returns the indices of the configuration's keys that are no keys. */
static json_t *apply_settings(agent_box *self, const json_t *request)
{
    const char *forward = text(request, "forward"), *real = text(request, "upstream");
    const json_t *limits = json_object_get(request, "grants");
    g_free(self->project);
    g_free(self->upstream);
    self->project = g_strdup(text(request, "project"));
    self->upstream = real && *real == '/' ? g_strdup(real) : NULL;
    self->upstream_fixed = json_is_true(json_object_get(request, "upstream_fixed"));
    self->forward_ask = g_strcmp0(forward, "ask") == 0;
    self->grants =
        CLAMP((int)json_integer_value(json_object_get(limits, "longest")), GRANTS_ONCE, GRANTS_BOX);
    self->grant_uses = (guint64)MAX(json_integer_value(json_object_get(limits, "uses")), 1);
    json_t *wrong = attached_keys_parse(self->keys, json_object_get(request, "keys"));
    const char *model = text(request, "attached"); /* of a throw-away box */
    g_free(self->attached_name);
    self->attached_name = g_strdup(agent_box_is_name(model) ? model : self->name);
    agent_box_reload(self);
    return wrong;
}

json_t *boxes_open(agent *self, const json_t *request, GError **error)
{
    const char *name = text(request, "box");
    pid_t pid = (pid_t)json_integer_value(json_object_get(request, "pid"));
    if (!agent_box_is_name(name) || !text(request, "project")) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "no box, or no project");
        return NULL;
    }
    agent_box *box = g_hash_table_lookup(self->boxes, name);
    gboolean fresh = box == NULL;
    if (fresh)
        box = new_box(self, name);
    gboolean other = box->pid != pid;
    if ((other && !watch_pid(box, pid, error)) || (fresh && !listen_in_folder(box, error))) {
        if (fresh)
            boxes_free(box);
        return NULL;
    }
    /* The box has restarted, or its configuration has other keys. */
    if (!fresh && (other || !json_equal(json_object_get(box->opened, "keys"),
                                        json_object_get(request, "keys"))))
        grants_clear(self->grants, name, NULL);
    json_t *wrong = apply_settings(box, request);
    json_decref(box->opened);
    box->opened = json_deep_copy(request);
    if (fresh)
        g_hash_table_insert(self->boxes, box->name, box);
    socket_paths_save_box(name, box->opened, pid);
    agent_check_idle(self);
    return wrong;
}

static gboolean is_alive(const char *path)
{
    int fd = path ? unix_socket_connect(path, SOCK_STREAM | SOCK_NONBLOCK) : -1;
    /* A full queue is one of a living agent. */
    gboolean alive = fd >= 0 || (path && errno == EAGAIN);
    if (fd >= 0)
        close(fd);
    return alive;
}

void boxes_offer_upstream(agent *self, const char *name, const char *path)
{
    agent_box *box = name ? g_hash_table_lookup(self->boxes, name) : NULL;
    if (!box || box->upstream_fixed || !path || *path != '/' ||
        g_strcmp0(box->upstream, path) == 0 || is_alive(box->upstream) || !is_alive(path))
        return;
    g_free(box->upstream);
    box->upstream = g_strdup(path);
    box->keys_version++;
    json_object_set_new(box->opened, "upstream", json_string(path));
    socket_paths_save_box(name, box->opened, box->pid);
}

gboolean boxes_close(agent *self, const char *name)
{
    g_autofree char *copy = g_strdup(name); /* NAME may be the box's own */
    if (!g_hash_table_contains(self->boxes, copy))
        return FALSE;
    socket_paths_forget_box(copy);
    pending_questions_drop(self->questions, copy, agent_now());
    pending_questions_forget(self->questions, copy);
    grants_clear(self->grants, copy, NULL);
    g_hash_table_remove(self->boxes, copy);
    agent_check_idle(self);
    return TRUE;
}

static void restore_one(const json_t *request, gpointer data)
{
    g_autoptr(GError) error = NULL;
    json_decref(boxes_open(data, request, &error));
    if (error)
        g_message("cannot restore a box: %s", error->message);
}

void boxes_restore(agent *self)
{
    socket_paths_each_box(restore_one, self);
}
