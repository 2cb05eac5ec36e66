#include "podman/reply.h"

#include <jansson.h>
#include <string.h>

#include "common/error.h"

/* Recorded replies of Podman 4.3.1 and 5.4.2, and the errors that they must become. */
static const struct {
    long status;
    const char *cause, *message;
    box_error code;
    const char *says; /* part of the error's message */
} rows[] = {
    {500, "database is locked", "retrieving container x: database is locked", BOX_ERROR_BUSY,
     "try again"},
    {500, "database configuration mismatch",
     "database graph driver name does not match our graph driver name: database configuration "
     "mismatch",
     BOX_ERROR_FAILED, "storage.conf"},
    {500, "exit status 1",
     "creating container storage: lchown /etc/gshadow: there might not be enough IDs available in "
     "the namespace: check /etc/subuid and /etc/subgid",
     BOX_ERROR_FAILED, "usermod --add-subuids"},
    {500, "insufficient UIDs or GIDs available in user namespace", "x", BOX_ERROR_FAILED,
     "usermod --add-subuids"},
    {500, "not enough available additional UIDs", "x", BOX_ERROR_FAILED, "usermod"},
    {500, "no space left on device", "writing blob: no space left on device", BOX_ERROR_FAILED,
     "full"},
    {500, "disk quota exceeded", "x", BOX_ERROR_FAILED, "quota"},
    {404, "no such container", "no container with name or ID \"nope\" found: no such container",
     BOX_ERROR_NOT_FOUND, "there is no such container"},
    {500, "container not known", "x", BOX_ERROR_NOT_FOUND, "there is no such container"},
    {404, "image not known", "failed to find image nope: nope: image not known",
     BOX_ERROR_NOT_FOUND, "build it or pull it"},
    {404, "no such image", "x", BOX_ERROR_NOT_FOUND, "build it or pull it"},
    {500, "no such secret", "x", BOX_ERROR_NOT_FOUND, "podman secret ls"},
    {404, "no such volume", "x", BOX_ERROR_NOT_FOUND, "volume"},
    {404, "network not found", "unable to find network with name or ID n: network not found",
     BOX_ERROR_NOT_FOUND, "network"},
    {404, "no such exec session", "x", BOX_ERROR_NOT_FOUND, "ended"},
    {500, "container has already been removed", "x", BOX_ERROR_NOT_FOUND, "removed"},
    {500, "that name is already in use",
     "creating container storage: the container name \"u\" is already in use by 7bcf. You have to "
     "remove that container to be able to reuse that name: that name is already in use",
     BOX_ERROR_CONFLICT, "another container has that name"},
    {500, "container already exists",
     "name w already in use, cannot rename container: container already exists", BOX_ERROR_CONFLICT,
     "another container has that name"},
    {500, "UNIQUE constraint failed: ContainerConfig.Name", "renaming container x",
     BOX_ERROR_CONFLICT, "another container has that name"},
    {409, "image is in use by a container", "image used by 7bcf: image is in use by a container",
     BOX_ERROR_CONFLICT, "remove that one first"},
    {500, "address already in use",
     "rootlessport listen tcp 127.0.0.1:80: bind: address already in use", BOX_ERROR_CONFLICT,
     "already listens"},
    {404, "OCI runtime attempted to invoke a command that was not found",
     "crun: executable file `nosuch` not found in $PATH: No such file or directory: OCI runtime "
     "attempted to invoke a command that was not found",
     BOX_ERROR_FAILED, "does not have that command"},
    {500, "OCI permission denied",
     "crun: open executable: Permission denied: OCI permission denied", BOX_ERROR_FAILED,
     "not executable"},
    {409, "container state improper",
     "can only kill running containers. 7bcf is in state created: container state improper",
     BOX_ERROR_STATE, "does not allow"},
    {409, "container is stopped", "x", BOX_ERROR_STATE, "not running"},
    {409, "container is paused", "x", BOX_ERROR_STATE, "paused"},
    /* Only the message is known: the status decides the code. */
    {500, "exit status 1", "short-name \"x\" did not resolve to an alias", BOX_ERROR_FAILED,
     "docker.io/library/debian"},
    {500, "x", "crun: cgroups in hybrid mode not supported: Operation not supported",
     BOX_ERROR_FAILED, "unified_cgroup_hierarchy"},
    {500, "x", "could not find slirp4netns, the network namespace can't be configured",
     BOX_ERROR_FAILED, "install slirp4netns"},
    {500, "x", "could not find pasta, the network namespace can't be configured", BOX_ERROR_FAILED,
     "install passt"},
    {409, "container stats resource only available for cgroup v2", "x", BOX_ERROR_FAILED,
     "unified_cgroup_hierarchy"},
    /* Neither cause nor message is known. */
    {404, "something new", "something new: odd", BOX_ERROR_NOT_FOUND, "podman: something new: odd"},
    {409, "something new", "something new: odd", BOX_ERROR_CONFLICT, "podman: something new: odd"},
    {500, "something new", "something new: odd", BOX_ERROR_FAILED, "podman: something new: odd"},
    /* A misleading container name changes the advice, but not the code. */
    {500, "something new", "starting 'no such container': odd", BOX_ERROR_FAILED, ""},
    {500, "something new", "'database is locked'", BOX_ERROR_FAILED, ""},
};

static void test_rows(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        json_t *body = json_pack("{s:s, s:s, s:i}", "cause", rows[i].cause, "message",
                                 rows[i].message, "response", (int)rows[i].status);
        char *text = json_dumps(body, 0);
        reply_set_error(rows[i].status, text, strlen(text), &error);
        g_assert_error(error, BOX_ERROR, (int)rows[i].code);
        g_assert_nonnull(strstr(error->message, rows[i].says));
        g_assert_nonnull(strstr(error->message, rows[i].message));
        free(text);
        json_decref(body);
    }
}

/* An error in a stream has only a message. */
static void test_messages(void)
{
    static const struct {
        const char *message;
        box_error code;
    } messages[] = {
        {"initializing source docker://x/y:1: reading manifest 1 in x/y: manifest unknown",
         BOX_ERROR_NOT_FOUND},
        {"reading manifest latest in x/y: name unknown: repository not found", BOX_ERROR_NOT_FOUND},
        {"reading manifest 1 in x/y: unauthorized: access is not authorized", BOX_ERROR_FAILED},
        {"toomanyrequests: You have reached your pull rate limit", BOX_ERROR_FAILED},
        {"Get \"https://x/v2/\": dial tcp: lookup x: no such host", BOX_ERROR_FAILED},
        {"pinging container registry x: connection refused", BOX_ERROR_FAILED},
        {"while running runtime: exit status 3", BOX_ERROR_FAILED},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(messages); i++) {
        g_autoptr(GError) error = NULL;
        reply_set_error_message(messages[i].message, &error);
        g_assert_error(error, BOX_ERROR, (int)messages[i].code);
        g_assert_nonnull(strstr(error->message, messages[i].message));
    }
}

static void test_plain(void)
{
    g_autoptr(GError) error = NULL;

    reply_set_error(404, "Not Found\n", 10, &error);
    g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
    g_clear_error(&error);
    reply_set_error(500, NULL, 0, &error);
    g_assert_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL);
}

/* Podman may quote text from a box. */
static void test_harmless(void)
{
    const char body[] = "{\"cause\":\"x\",\"message\":\"\\u001b[2J\\nall is well\\u202e\\u009b\"}";
    g_autoptr(GError) error = NULL;

    reply_set_error(500, body, strlen(body), &error);
    g_assert_null(strpbrk(error->message, "\033\n\r"));
    g_assert_null(strstr(error->message, "\u202e"));
    g_assert_null(strstr(error->message, "\xc2\x9b"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/podman/reply-error/rows", test_rows);
    g_test_add_func("/podman/reply-error/messages", test_messages);
    g_test_add_func("/podman/reply-error/plain", test_plain);
    g_test_add_func("/podman/reply-error/harmless", test_harmless);
    return g_test_run();
}
