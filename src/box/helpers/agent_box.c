/* Requests to the agent about one box: its start, its keys, its removal. */
#include "box/helpers/agent.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "net/unix_socket.h"

/* Bytes. Several public keys must fit into one request to the agent. */
#define PUBLIC_KEY_MAX 16384
#define ATTACHED_MAX (256 * 1024)

/* The file with the keys that `box keys attach` gave to the box NAME: lines "SHA256:… LABEL". */
static char *agent_attached_path(const char *name)
{
    g_autofree char *tail = g_build_filename("attached", name, NULL);
    return paths_state(tail);
}

/* The file stays, empty, when the last key is detached. */
gboolean agent_has_attached_keys(const struct box *self)
{
    struct stat st;
    g_autofree char *path = agent_attached_path(self->base);
    return lstat(path, &st) == 0 && st.st_size > 0;
}

/* The first line of a public key file and the file's name. Only the agent parses the key. */
static json_t *key_of_file(const char *written)
{
    g_autofree char *path =
        *written == '~' ? g_strconcat(paths_home(), written + 1, NULL) : g_strdup(written);
    g_autofree char *text = NULL, *name = g_path_get_basename(path);
    if (!fs_read(AT_FDCWD, path, PUBLIC_KEY_MAX, &text, NULL, NULL))
        return NULL;
    text[strcspn(text, "\r\n")] = '\0';
    /* Comment and name may be of another encoding. */
    g_autofree char *line = g_utf8_make_valid(text, -1);
    g_autofree char *label = g_utf8_make_valid(name, -1);
    return json_pack("{s:s, s:s}", "line", line, "label", label);
}

/* One entry for each of WANTED's keys. An unreadable file becomes an empty line, which the agent
 * reports as wrong. */
static json_t *configured_keys(const settings *wanted)
{
    json_t *list = json_array();
    for (char **key = wanted->ssh.keys; key && *key; key++) {
        json_t *entry = NULL;
        if (g_str_has_prefix(*key, "SHA256:"))
            entry = json_pack("{s:s}", "fingerprint", *key);
        else if (strchr(*key, '/'))
            entry = key_of_file(*key);
        else
            entry = json_pack("{s:s}", "label", *key);
        json_array_append_new(list, entry ? entry : json_pack("{s:s}", "line", ""));
    }
    return list;
}

static void add_attached(json_t *list, const char *path)
{
    g_autofree char *text = NULL;
    if (!fs_read(AT_FDCWD, path, ATTACHED_MAX, &text, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, " ", 2);
        if (!parts[0])
            continue;
        json_t *key = json_pack("{s:s}", "fingerprint", parts[0]);
        if (parts[1] && *parts[1])
            json_object_set_new(key, "label", json_string(parts[1]));
        json_array_append_new(list, key);
    }
}

json_t *agent_list_keys(const struct box *self, const settings *wanted)
{
    g_autofree char *path = agent_attached_path(self->base);
    json_t *list = json_array(), *configured = wanted ? configured_keys(wanted) : json_array(),
           *each;
    size_t i;
    add_attached(list, path);
    /* A key from a file is listed by the file's name. */
    json_array_foreach (configured, i, each) {
        json_object_del(each, "line");
        if (json_object_size(each) > 0)
            json_array_append(list, each);
    }
    json_decref(configured);
    return list;
}

/* ANSWER lists the indices of WANTED's keys that the agent could not parse. */
static void warn_of_keys(const settings *wanted, const json_t *answer)
{
    json_t *index;
    size_t i;
    guint count = wanted->ssh.keys ? g_strv_length(wanted->ssh.keys) : 0;
    json_array_foreach (json_object_get(answer, "wrong"), i, index) {
        json_int_t which = json_integer_value(index);
        if (which < 0 || which >= count)
            continue;
        g_autofree char *safe = text_safe(wanted->ssh.keys[which], -1);
        log_warning("[ssh] keys: '%s' is not a readable public key file", safe);
    }
}

char *agent_upstream_socket(const settings *wanted)
{
    const char *path = wanted->ssh.upstream;
    if (path && *path == '~')
        return g_strconcat(paths_home(), path + 1, NULL);
    return g_strdup(path ? path : g_getenv("SSH_AUTH_SOCK"));
}

static json_t *open_request(const struct box *self, const settings *wanted, pid_t pid)
{
    g_autofree char *upstream = agent_upstream_socket(wanted);
    json_t *request = json_pack("{s:s, s:s, s:s, s:i, s:o, s:s, s:{s:i, s:I}, s:o}", "op",
                                "box-open", "box", self->name, "project", self->project, "pid",
                                (int)pid, "keys", configured_keys(wanted), "forward",
                                wanted->ssh.forward == FORWARD_ASK ? "ask" : "deny", "grants",
                                "longest", (int)wanted->ssh.grants, "uses",
                                (json_int_t)wanted->ssh.grant_uses, "display", agent_display());
    if (upstream && g_utf8_validate(upstream, -1, NULL))
        json_object_set_new(request, "upstream", json_string(upstream));
    if (wanted->ssh.upstream)
        json_object_set_new(request, "upstream_fixed", json_true());
    if (strcmp(self->name, self->base) != 0)
        json_object_set_new(request, "attached", json_string(self->base));
    return request;
}

/* A box may ask the user for keys of the upstream agent on a display, until some were attached. */
static gboolean may_choose(const struct box *self, const settings *wanted)
{
    g_autofree char *upstream = agent_upstream_socket(wanted);
    g_autofree char *attached = agent_attached_path(self->base);
    return upstream && *upstream && access(attached, F_OK) < 0 &&
           (g_getenv("DISPLAY") || g_getenv("WAYLAND_DISPLAY"));
}

void agent_open_box(const struct box *self, const settings *wanted, int connection)
{
    g_autoptr(GError) problem = NULL;
    gboolean needed = (wanted->ssh.keys && *wanted->ssh.keys) || agent_has_attached_keys(self);
    json_t *answer = agent_call(open_request(self, wanted, unix_socket_peer_pid(connection)),
                                needed || may_choose(self, wanted), &problem);
    warn_of_keys(wanted, answer);
    json_decref(answer);
    if (problem && needed)
        log_warning("%s; the box has no SSH keys", problem->message);
}

void agent_ensure_running(const struct box *self)
{
    g_autofree char *tail = g_build_filename("open", self->name, NULL);
    g_autofree char *served = agent_path(tail);
    /* The agent keeps a file for each box that it serves. */
    if (!served || access(served, F_OK) < 0)
        return;
    g_autoptr(GError) problem = NULL;
    if (!agent_hello(self->name, &problem))
        log_warning("%s; the box has no SSH keys", problem->message);
}

/* Ends the agent's service for SELF, with its grants. */
static void close_box(const struct box *self)
{
    g_autofree char *folder = agent_box_folder(self->name);
    g_autofree char *notices = agent_notice_folder(self->name);
    json_decref(
        agent_call(json_pack("{s:s, s:s}", "op", "box-close", "box", self->name), FALSE, NULL));
    if (folder)
        fs_remove_tree(folder, NULL);
    if (notices)
        fs_remove_tree(notices, NULL);
}

void agent_forget_box(const struct box *self)
{
    g_autofree char *attached = agent_attached_path(self->name);
    close_box(self);
    unlink(attached);
}

gboolean agent_rename_box(const struct box *from, const struct box *to, GError **error)
{
    g_autofree char *old = agent_attached_path(from->name), *new = agent_attached_path(to->name);
    close_box(from);
    return fs_rename(old, new, error);
}
