/* The user, Podman's version, cgroups, our own files: the facts that need no search. */
#include "plan/look.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/resource.h>

#include "common/fs.h"
#include "common/paths.h"

/* A cgroup's list of controllers is a line of a few words. */
#define CGROUP_FILE_MAX 4096

static gboolean look_user(plan_facts *self, GError **error)
{
    const struct passwd *user = getpwuid(getuid());
    char *home = realpath(paths_home(), NULL);

    self->uid = getuid();
    self->gid = getgid();
    if (!home || !user || !user->pw_name[0]) {
        free(home);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "no home folder or no passwd entry for user %u; a box needs both", self->uid);
        return FALSE;
    }
    self->home = g_strdup(home);
    free(home);
    self->user = g_strdup(user->pw_name);
    self->shell = g_strdup(user->pw_shell && user->pw_shell[0] == '/' ? user->pw_shell : "/bin/sh");
    const struct group *group = getgrgid(self->gid);
    self->group = g_strdup(group ? group->gr_name : self->user);
    return TRUE;
}

static char *read_text(const char *path)
{
    char *text = NULL;

    return fs_read(AT_FDCWD, path, CGROUP_FILE_MAX, &text, NULL, NULL) ? text : NULL;
}

static gboolean has_word(const char *words, const char *word)
{
    g_auto(GStrv) list = g_strsplit_set(words, " \n", -1);

    return g_strv_contains((const char *const *)list, word);
}

/* The controllers that the user's boxes get: systemd's delegation, else those of our own cgroup. */
static char *delegated(guint uid)
{
    g_autofree char *service = g_strdup_printf(
        "/sys/fs/cgroup/user.slice/user-%u.slice/user@%u.service/cgroup.controllers", uid, uid);
    char *words = read_text(service);

    if (words)
        return words;
    g_autofree char *own = read_text("/proc/self/cgroup");
    char *line = own ? strstr(own, "0::/") : NULL;
    if (!line)
        return NULL;
    line += strlen("0::");
    line[strcspn(line, "\n")] = '\0';
    g_autofree char *path = g_build_filename("/sys/fs/cgroup", line, "cgroup.controllers", NULL);
    return read_text(path);
}

static void look_cgroups(plan_facts *self)
{
    self->cgroup_v2 = access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0;
    g_autofree char *words = self->cgroup_v2 ? delegated(self->uid) : NULL;
    if (!words)
        return;
    self->cgroup_memory = has_word(words, "memory");
    self->cgroup_cpu = has_word(words, "cpu");
    self->cgroup_pids = has_word(words, "pids");
}

static void look_limits(plan_facts *self)
{
    struct rlimit files;

    self->open_files = getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_max : RLIM_INFINITY;
}

static void look_podman(plan_facts *self, const char *version)
{
    /* An unknown version counts as the oldest that is served. */
    self->podman_major = 4;
    self->podman_minor = 3;
    if (version)
        sscanf(version, "%d.%d", &self->podman_major, &self->podman_minor);
}

static gboolean look_helpers(plan_facts *self, GError **error)
{
    self->init = paths_libexec("box-init");
    if (access(self->init, X_OK) != 0) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "Litterbox is not installed completely: '%s' is missing", self->init);
        return FALSE;
    }
    g_autofree char *shims = paths_libexec("bin");
    if (g_file_test(shims, G_FILE_TEST_IS_DIR))
        self->shims = g_steal_pointer(&shims);
    return TRUE;
}

plan_facts *plan_facts_collect(const plan_box *box, const settings *wanted,
                               const char *podman_version, GError **error)
{
    g_autoptr(plan_facts) self = plan_facts_new();

    if (!look_user(self, error) || !look_helpers(self, error))
        return NULL;
    look_podman(self, podman_version);
    look_cgroups(self);
    look_limits(self);
    plan_look_private(self);
    plan_look_paths(self, box, wanted);
    plan_look_devices(self, wanted);
    plan_look_git(self, box->project);
    if (!box->image)
        plan_look_host(self, "/");
    if (wanted->home.share_toolchains)
        plan_look_toolchains(self);
    if (settings_wants_appearance(wanted))
        plan_look_appearance(self, box);
    return g_steal_pointer(&self);
}
