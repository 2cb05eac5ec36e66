#include "box/bootstrap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/interrupt.h"
#include "box/progress.h"
#include "box/say.h"
#include "common/text.h"
#include "podman/images.h"

#define DEFAULT_SUITE "bookworm"

typedef struct {
    GPid pid;
    int tar, messages;
} maker;

static gboolean suite_is_valid(const char *suite)
{
    gsize length = strlen(suite);
    return length > 0 && length < 32 &&
           strspn(suite, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

/* The suite in "debian[:SUITE]"; NULL with ERROR for anything else. */
static const char *suite_of(const char *distribution, GError **error)
{
    const char *suite = DEFAULT_SUITE;
    if (g_str_has_prefix(distribution, "debian:"))
        suite = distribution + strlen("debian:");
    else if (strcmp(distribution, "debian") != 0)
        suite = "";
    if (suite_is_valid(suite))
        return suite;
    g_autofree char *safe = text_safe(distribution, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "only debian[:SUITE] can be bootstrapped, not '%s'", safe);
    return NULL;
}

static gboolean start_maker(maker *self, const char *suite, GError **error)
{
    /* With no mirror named, mmdebstrap takes the host's sources; apt checks their signatures. */
    char *argv[] = {
        "mmdebstrap", "--variant=minbase", "--mode=unshare", "--format=tar", (char *)suite, "-",
        NULL};
    if (g_spawn_async_with_pipes("/", argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                 NULL, NULL, &self->pid, NULL, &self->tar, NULL, error))
        return TRUE;
    g_prefix_error(error, "mmdebstrap cannot be started (install the package mmdebstrap): ");
    return FALSE;
}

static gboolean end_maker(maker *self, GError **error)
{
    int status = 0;
    close(self->tar);
    while (waitpid(self->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TRUE;
    if (!error || !*error)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "mmdebstrap failed; what it said is above");
    return FALSE;
}

gboolean bootstrap_image(podman *server, const char *distribution, GError **error)
{
    const char *suite = suite_of(distribution, error);
    maker made;
    if (!suite || !start_maker(&made, suite, error))
        return FALSE;
    g_autofree char *tag = g_strconcat("docker.io/library/debian:", suite, NULL);
    say_note("making '%s' from Debian's packages", tag);
    g_autoptr(progress) shown = progress_new(progress_choose(say_quiet, say_json));
    interrupt_begin();
    g_autofree char *id = podman_image_import(server, tag, made.tar, progress_take, shown, error);
    interrupt_end();
    g_clear_pointer(&shown, progress_free);
    if (!id)
        kill(made.pid, SIGTERM);
    gboolean made_well = end_maker(&made, id ? error : NULL);
    /* A tar that broke off is no base for anything. */
    if (id && !made_well)
        podman_image_remove(server, tag, NULL);
    return id && made_well;
}
