/* Base images without a registry, from a distribution's packages. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include "box/lifecycle/image.h"
#include "box/lifecycle/image_source.h"
#include "common/text.h"
#include "console/log.h"
#include "podman/podman.h"

#define DEFAULT_SUITE "bookworm"

typedef struct {
    GPid pid;
    int tar, messages;
} mmdebstrap;

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

/* In the child. A group of its own can be ended as a whole: mmdebstrap waits for what it has
 * started before it obeys a signal, and then sends one to its group. */
static void begin_group(gpointer unused)
{
    (void)unused;
    setpgid(0, 0);
}

static gboolean mmdebstrap_start(mmdebstrap *self, const char *suite, GError **error)
{
    /* Without a mirror, mmdebstrap uses the host's apt sources, whose signatures apt checks. */
    char *argv[] = {"mmdebstrap",
                    "--variant=minbase",
                    "--mode=unshare",
                    "--format=tar",
                    (char *)suite,
                    "-",
                    NULL,
                    NULL};
    if (log_quiet)
        argv[6] = "--quiet";
    if (g_spawn_async_with_pipes("/", argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                 begin_group, NULL, &self->pid, NULL, &self->tar, NULL, error))
        return TRUE;
    g_prefix_error(error, "cannot start mmdebstrap (install the package mmdebstrap): ");
    return FALSE;
}

static gboolean mmdebstrap_wait(mmdebstrap *self, GError **error)
{
    int status = 0;
    close(self->tar);
    while (waitpid(self->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TRUE;
    if (!error || !*error)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "mmdebstrap failed; see its output above");
    return FALSE;
}

gboolean image_bootstrap(podman_client *server, const char *distribution, GError **error)
{
    const char *suite = suite_of(distribution, error);
    mmdebstrap process;
    if (!suite || !mmdebstrap_start(&process, suite, error))
        return FALSE;
    g_autofree char *tag = g_strconcat(IMAGE_BOOTSTRAP_PREFIX, suite, NULL);
    g_autofree char *source = image_bootstrap_source();
    g_autofree char *label = g_strconcat("LABEL " IMAGE_LABEL_SOURCE "=", source, NULL);
    log_note("building '%s' from Debian's packages", tag);
    /* mmdebstrap, which makes what is imported, shows its own progress on the same terminal. */
    g_autoptr(image_progress) shown = image_progress_new(TRUE, FALSE);
    g_autofree char *id =
        podman_image_import(server, tag, label, process.tar, image_progress_report, shown, error);
    g_clear_pointer(&shown, image_progress_free);
    if (!id)
        kill(-process.pid, SIGINT);
    gboolean complete = mmdebstrap_wait(&process, id ? error : NULL);
    /* The tar was cut off. */
    if (id && !complete)
        podman_image_remove(server, tag, NULL);
    if (id && complete)
        log_note("image '%s' is ready", tag);
    return id && complete;
}
