#include "box/branch/private_git.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/registry/registry.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"

#define ARGUMENTS_MAX 32
#define STDERR_MAX 4096
/* Of each git: bytes that it allocates (packs are mapped beside that), and writes to one file. Of
 * all together: seconds. */
#define MEMORY_MAX ((rlim_t)1 << 30)
#define WRITTEN_MAX ((rlim_t)2 << 30)
#define SECONDS_MAX 300

/* Hooks and attributes are switched off although there are none. */
static const char config_text[] = "[core]\n"
                                  "\trepositoryformatversion = 0\n"
                                  "\tbare = true\n"
                                  "\thooksPath = /dev/null\n"
                                  "\tattributesFile = /dev/null\n"
                                  "\tbigFileThreshold = 8m\n"
                                  "\tpackedGitWindowSize = 32m\n"
                                  "\tpackedGitLimit = 512m\n"
                                  "\tdeltaBaseCacheLimit = 32m\n"
                                  "\talternateRefsCommand = true\n"
                                  "[transfer]\n"
                                  "\tfsckObjects = true\n"
                                  "[pack]\n"
                                  "\tthreads = 1\n"
                                  "[gc]\n"
                                  "\tauto = 0\n"
                                  "[maintenance]\n"
                                  "\tauto = false\n";

gboolean private_git_write(const private_git *self, const char *name, const char *text,
                           GError **error)
{
    g_autofree char *path = g_build_filename(self->folder, name, NULL);
    return fs_write(path, text, -1, 0600, error);
}

static gboolean make_part(const private_git *self, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename(self->folder, name, NULL);
    return fs_make_folder(path, 0700, error);
}

/* The line that names the objects of PROJECT (gitrepository-layout(5), "alternates"). */
static char *alternate_of(const char *project, GError **error)
{
    struct stat st;
    g_autofree char *objects = g_build_filename(project, ".git/objects", NULL);
    if (lstat(objects, &st) < 0 || !S_ISDIR(st.st_mode) || strpbrk(objects, "\n\"")) {
        g_autofree char *safe = text_safe(project, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "'%s' is no git repository of its own",
                    safe);
        return NULL;
    }
    return g_strconcat(objects, "\n", NULL);
}

void private_git_give_time(private_git *self, int seconds)
{
    self->deadline =
        g_get_monotonic_time() + (gint64)(seconds ? seconds : SECONDS_MAX) * G_USEC_PER_SEC;
}

static void say_reader_waits(const char *path)
{
    (void)path;
    log_note("waiting for another command that reads the commits of this branch");
}

static int lock_folder(const char *folder, gboolean waits, GError **error)
{
    g_autofree char *path = g_strconcat(folder, ".lock", NULL);
    int lock = waits ? fs_lock(path, say_reader_waits, error) : fs_try_lock(path);
    if (lock < 0 && !waits)
        g_set_error_literal(error, BOX_ERROR, BOX_ERROR_STATE,
                            "another command reads the commits of this branch");
    return lock;
}

gboolean private_git_open(private_git *self, const char *folder, const char *project, int seconds,
                          GError **error)
{
    *self = (private_git){.program = host_program("git", "install it", error),
                          .folder = g_strdup(folder),
                          .lock = -1};
    private_git_give_time(self, seconds);
    self->repository = self->folder;
    if (self->program)
        self->lock = lock_folder(folder, seconds == 0, error);
    g_autofree char *alternate = self->lock >= 0 ? alternate_of(project, error) : NULL;
    if (alternate && fs_remove_tree(folder, error) && make_part(self, "objects/info", error) &&
        make_part(self, "objects/pack", error) && make_part(self, "refs", error) &&
        private_git_write(self, "objects/info/alternates", alternate, error) &&
        private_git_write(self, "config", config_text, error) &&
        private_git_write(self, "HEAD", "ref: refs/heads/none\n", error))
        return TRUE;
    private_git_close(self);
    return FALSE;
}

void private_git_close(private_git *self)
{
    if (self->lock >= 0) {
        fs_remove_tree(self->folder, NULL);
        close(self->lock);
    }
    g_clear_pointer(&self->program, g_free);
    g_clear_pointer(&self->folder, g_free);
}

gboolean private_git_has_time(const private_git *self, GError **error)
{
    if (g_get_monotonic_time() < self->deadline)
        return TRUE;
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_FAILED,
                        "the git repository of the branch takes too long");
    return FALSE;
}

/* In the child. */
static void set_limits(gpointer of)
{
    static const struct rlimit memory = {MEMORY_MAX, MEMORY_MAX}, file = {WRITTEN_MAX, WRITTEN_MAX},
                               core = {0, 0};
    gint64 left = ((const private_git *)of)->deadline - g_get_monotonic_time();
    rlim_t seconds = left > 0 ? (rlim_t)(left / G_USEC_PER_SEC) + 1 : 1;
    struct rlimit time = {seconds, seconds};
    setrlimit(RLIMIT_DATA, &memory);
    setrlimit(RLIMIT_FSIZE, &file);
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &core);
}

/* All that git gets to know. */
static char **environment(const private_git *self)
{
    char **env = NULL;
    g_autofree char *path = g_path_get_dirname(self->program);
    g_autofree char *all = g_strconcat(path, ":/usr/bin:/bin", NULL);
    env = g_environ_setenv(env, "PATH", all, TRUE);
    env = g_environ_setenv(env, "HOME", self->folder, TRUE);
    env = g_environ_setenv(env, "GIT_DIR", self->repository, TRUE);
    env = g_environ_setenv(env, "GIT_CONFIG_NOSYSTEM", "1", TRUE);
    env = g_environ_setenv(env, "GIT_CONFIG_SYSTEM", "/dev/null", TRUE);
    env = g_environ_setenv(env, "GIT_CONFIG_GLOBAL", "/dev/null", TRUE);
    env = g_environ_setenv(env, "GIT_ATTR_NOSYSTEM", "1", TRUE);
    env = g_environ_setenv(env, "GIT_NO_REPLACE_OBJECTS", "1", TRUE);
    env = g_environ_setenv(env, "GIT_NO_LAZY_FETCH", "1", TRUE);
    env = g_environ_setenv(env, "GIT_ALLOW_PROTOCOL", "file", TRUE);
    env = g_environ_setenv(env, "GIT_TERMINAL_PROMPT", "0", TRUE);
    return g_environ_setenv(env, "LC_ALL", "C.UTF-8", TRUE);
}

/* Reads FD to its end. FALSE: there was more than MAX bytes, and nobody reads the rest. */
static gboolean read_all(int fd, GString *text, gsize max)
{
    char block[65536];
    for (ssize_t n; (n = read(fd, block, sizeof block)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || text->len + (gsize)n > max)
            return n < 0;
        g_string_append_len(text, block, n);
    }
    return TRUE;
}

static int wait_for(GPid pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    g_spawn_close_pid(pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What git said of its failure, for people. */
static void set_git_error(const char *command, int status, int said, GError **error)
{
    char text[STDERR_MAX];
    ssize_t length = pread(said, text, sizeof text, 0);
    g_autofree char *safe =
        length > 0 ? text_safe(g_strchomp(g_strndup(text, (gsize)length)), -1) : g_strdup("");
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'git %s' failed with status %d%s%s", command,
                status, *safe ? ": " : "", safe);
}

static gboolean spawn(const private_git *self, const char *const *arguments, int in, int out,
                      int said, GPid *pid, int *from, GError **error)
{
    const char *argv[ARGUMENTS_MAX + 2] = {self->program};
    g_auto(GStrv) env = environment(self);
    int nothing = in < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    for (gsize i = 0; arguments[i]; i++) {
        g_assert(i < ARGUMENTS_MAX);
        argv[i + 1] = arguments[i];
    }
    gboolean done = g_spawn_async_with_pipes_and_fds(
        self->folder, argv, (const char *const *)env, G_SPAWN_DO_NOT_REAP_CHILD, set_limits,
        (gpointer)self, in < 0 ? nothing : in, out, said, NULL, NULL, 0, pid, NULL,
        out < 0 ? from : NULL, NULL, error);
    if (nothing >= 0)
        close(nothing);
    return done;
}

gboolean private_git_run(const private_git *self, const char *const *arguments, int in, int out,
                         GString *text, gsize max, int *status, GError **error)
{
    GPid pid;
    if (!private_git_has_time(self, error))
        return FALSE;
    int from = -1, said = fs_open_unnamed(self->folder, error);
    if (said < 0)
        return FALSE;
    gboolean done = spawn(self, arguments, in, out, said, &pid, &from, error);
    gboolean fits = done;
    if (done && from >= 0) {
        fits = read_all(from, text, max);
        close(from);
    }
    int code = done ? wait_for(pid) : 0;
    if (done && !fits) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the output of 'git %s' is too long",
                    arguments[0]);
        done = FALSE;
    } else if (done && !status && code != 0) {
        set_git_error(arguments[0], code, said, error);
        done = FALSE;
    }
    if (status)
        *status = code;
    close(said);
    return done;
}
