
#include <string.h>

#include "common/error.h"
#include "common/text.h"
#include "podman/reply.h"

/*
 * The first row counts whose text is part of the cause; if there is none, the first whose text is
 * part of the message. Texts are lower case, because case is ignored. Podman's wording differs
 * between 4.3 and 6; each text is what all versions share. Specific rows come first.
 */
static const struct {
    const char *text;
    box_error code;
    const char *advice; /* NULL: SUBUID_ADVICE */
} table[] = {
    {"database is locked", BOX_ERROR_BUSY,
     "podman's database is busy with another command; try again"},
    {"database configuration mismatch", BOX_ERROR_FAILED,
     "podman's storage settings do not match its database; undo the change of storage.conf, or "
     "delete the storage with 'podman system reset'"},
    {"subuid", BOX_ERROR_FAILED, NULL},
    {"subgid", BOX_ERROR_FAILED, NULL},
    {"additional uids", BOX_ERROR_FAILED, NULL},
    {"insufficient uids or gids", BOX_ERROR_FAILED, NULL},
    {"no space left on device", BOX_ERROR_FAILED,
     "the disk with podman's storage is full; free some space and try again"},
    {"disk quota exceeded", BOX_ERROR_FAILED,
     "your disk quota is used up; free some space and try again"},
    {"no such container", BOX_ERROR_NOT_FOUND, "there is no such container"},
    {"container not known", BOX_ERROR_NOT_FOUND, "there is no such container"},
    {"image not known", BOX_ERROR_NOT_FOUND, "there is no such image; build it or pull it first"},
    {"no such image", BOX_ERROR_NOT_FOUND, "there is no such image; build it or pull it first"},
    {"no such secret", BOX_ERROR_NOT_FOUND, "podman has no such secret; see 'podman secret ls'"},
    {"no such volume", BOX_ERROR_NOT_FOUND, "there is no such volume"},
    {"network not found", BOX_ERROR_NOT_FOUND, "there is no such network"},
    {"no such exec session", BOX_ERROR_NOT_FOUND, "that session has ended"},
    {"container has already been removed", BOX_ERROR_NOT_FOUND, "the container has been removed"},
    {"that name is already in use", BOX_ERROR_CONFLICT, "another container has that name"},
    {"name is in use", BOX_ERROR_CONFLICT, "another container has that name"},
    {"constraint failed: containerconfig.name", BOX_ERROR_CONFLICT,
     "another container has that name"},
    {"container already exists", BOX_ERROR_CONFLICT, "another container has that name"},
    {"image is in use by a container", BOX_ERROR_CONFLICT,
     "a container still uses the image; remove that one first"},
    {"image used by", BOX_ERROR_CONFLICT,
     "a container still uses the image; remove that one first"},
    {"address already in use", BOX_ERROR_CONFLICT,
     "a program on the host already listens on a port that the box publishes"},
    {"command that was not found", BOX_ERROR_FAILED, "the image does not have that command"},
    {"oci permission denied", BOX_ERROR_FAILED,
     "the command is not executable, or something in the image forbids it"},
    {"runtime permission denied", BOX_ERROR_FAILED,
     "the command is not executable, or something in the image forbids it"},
    {"container state improper", BOX_ERROR_STATE,
     "the container's state does not allow this now (not running, paused, or in between)"},
    {"container is stopped", BOX_ERROR_STATE, "the container is not running"},
    {"container is paused", BOX_ERROR_STATE, "the container is paused"},
    {"short-name", BOX_ERROR_FAILED,
     "write the image's name in full, such as docker.io/library/debian:stable"},
    {"unauthorized", BOX_ERROR_FAILED,
     "the registry refuses access: check the image's name, or log in with 'podman login'"},
    {"manifest unknown", BOX_ERROR_NOT_FOUND,
     "the registry has no such image or tag; check [box] image"},
    {"name unknown", BOX_ERROR_NOT_FOUND, "the registry has no such image; check [box] image"},
    {"toomanyrequests", BOX_ERROR_FAILED,
     "the registry's rate limit is reached; wait, or log in with 'podman login'"},
    {"server gave http response to https client", BOX_ERROR_FAILED,
     "the registry does not use TLS; if that is intended, add a [[registry]] with its location and "
     "insecure = true to ~/.config/containers/registries.conf"},
    {"x509:", BOX_ERROR_FAILED,
     "the registry's certificate is not trusted; add its CA to /etc/containers/certs.d, or check "
     "which server answers"},
    {"no such host", BOX_ERROR_FAILED,
     "the registry's name cannot be resolved; check the name and the network"},
    {"pinging container registry", BOX_ERROR_FAILED,
     "the registry cannot be reached; check the name and the network"},
    {"hybrid mode not supported", BOX_ERROR_FAILED,
     "crun needs cgroup v2; boot with systemd.unified_cgroup_hierarchy=1"},
    {"only available for cgroup v2", BOX_ERROR_FAILED,
     "that needs cgroup v2; boot with systemd.unified_cgroup_hierarchy=1"},
    {"could not find slirp4netns", BOX_ERROR_FAILED, "install slirp4netns"},
    {"could not find pasta", BOX_ERROR_FAILED, "install passt, which contains pasta"},
};

/* For Podman's several messages about missing user IDs. */
#define SUBUID_ADVICE                                                        \
    "rootless podman needs a range of subordinate user IDs: as root, run "   \
    "'usermod --add-subuids 100000-165535 --add-subgids 100000-165535 %s', " \
    "then 'podman system migrate'"

static int find(const char *text)
{
    g_autofree char *lower = text ? g_ascii_strdown(text, -1) : NULL;

    for (gsize i = 0; lower && i < G_N_ELEMENTS(table); i++)
        if (strstr(lower, table[i].text))
            return i;
    return -1;
}

static box_error code_of_status(long status)
{
    switch (status) {
    case 404:
        return BOX_ERROR_NOT_FOUND;
    case 409:
        return BOX_ERROR_CONFLICT;
    default:
        return BOX_ERROR_FAILED;
    }
}

static void set(int row, box_error code, const char *message, GError **error)
{
    g_autofree char *safe = text_safe(message, -1);
    g_autofree char *advice = NULL;

    if (row < 0) {
        g_set_error(error, BOX_ERROR, code, "podman: %s", safe);
        return;
    }
    if (table[row].advice)
        advice = g_strdup(table[row].advice);
    else
        advice = g_strdup_printf(SUBUID_ADVICE, g_get_user_name());
    g_set_error(error, BOX_ERROR, code, "%s (podman: %s)", advice, safe);
}

void reply_set_error(long status, const char *body, gsize length, GError **error)
{
    g_auto(reply_failure) failure = {0};
    const char *message;
    int row;

    reply_failure_parse(body, length, &failure);
    if (!failure.cause && !failure.message) {
        /* Podman's HTTP router answers with plain text when no handler matches. */
        g_autofree char *safe = text_safe_max(body, length, 200);
        g_set_error(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                    "podman does not know this call or gives no reason: HTTP %ld '%s'", status,
                    safe);
        return;
    }
    message = failure.message ? failure.message : failure.cause;
    row = find(failure.cause);
    if (row >= 0) {
        set(row, table[row].code, message, error);
        return;
    }
    /* A message may quote names that an image or a box chose, so it decides only the advice. */
    set(find(message), code_of_status(status), message, error);
}

void reply_set_error_message(const char *message, GError **error)
{
    int row = find(message);

    set(row, row < 0 ? BOX_ERROR_FAILED : table[row].code, message, error);
}
