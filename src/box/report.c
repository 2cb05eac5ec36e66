#include "box/report.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/say.h"
#include "common/fs.h"
#include "common/text.h"

#define TIME_MAX_US 333000
#define SHOWN_MAX 10
/* The kernel stamps files with the time of its last tick. */
#define CLOCK_GRAIN_US 10000

typedef struct {
    int top; /* the project, O_PATH */
    const record *known;
    gint64 since, deadline;
    GQueue folders;   /* relative paths still to be looked into, upper ones first */
    GPtrArray *found; /* relative paths */
} search;

/* TRUE when PATH is, ends in, or runs through NAME ("a/.git/hooks/x" runs through ".git/hooks"). */
static gboolean bears(const char *path, const char *name)
{
    gsize length = strlen(name);
    for (const char *at = path; (at = strstr(at, name)); at++) {
        gboolean begins = at == path || at[-1] == '/';
        if (begins && (at[length] == '\0' || at[length] == '/'))
            return TRUE;
    }
    return FALSE;
}

static gboolean is_watched(const search *self, const char *path)
{
    /* git's own examples, which it never runs */
    if (g_str_has_suffix(path, ".sample"))
        return FALSE;
    for (char **name = self->known->protect; *name; name++) {
        if (bears(path, *name))
            return TRUE;
    }
    return FALSE;
}

/* The inode's change time: a program in the box can set the others as it likes. */
static gboolean is_newer(const search *self, const struct stat *st)
{
    gint64 changed = (gint64)st->st_ctim.tv_sec * G_USEC_PER_SEC + st->st_ctim.tv_nsec / 1000;
    return changed >= self->since - CLOCK_GRAIN_US;
}

static void look_at(search *self, int folder, const char *in, const char *name)
{
    struct stat st;
    g_autofree char *path = *in ? g_build_filename(in, name, NULL) : g_strdup(name);
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    /* Objects are data, many, and never run. */
    if (S_ISDIR(st.st_mode) && !g_str_has_suffix(path, ".git/objects"))
        g_queue_push_tail(&self->folders, g_strdup(path));
    else if (!S_ISDIR(st.st_mode) && is_newer(self, &st) && is_watched(self, path))
        g_ptr_array_add(self->found, g_steal_pointer(&path));
}

static void look_into(search *self, const char *path)
{
    int fd = *path ? fs_open_beneath(self->top, path, O_RDONLY | O_DIRECTORY, 0)
                   : openat(self->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            look_at(self, fd, path, entry->d_name);
        if (g_get_monotonic_time() > self->deadline)
            break;
    }
    closedir(folder);
}

static void show(const search *self)
{
    if (!self->found->len)
        return;
    say_warning("new or changed during this session, and run or obeyed by tools of the host:");
    for (guint i = 0; i < MIN(self->found->len, SHOWN_MAX); i++) {
        g_autofree char *safe = text_safe(self->found->pdata[i], -1);
        say_warning("  %s", safe);
    }
    if (self->found->len > SHOWN_MAX)
        say_warning("  … and %u more", self->found->len - SHOWN_MAX);
}

void report_changes(const box *self, const record *known, gint64 since)
{
    search run = {.known = known,
                  .since = since,
                  .deadline = g_get_monotonic_time() + TIME_MAX_US,
                  .folders = G_QUEUE_INIT};
    run.top = open(self->project, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (run.top < 0)
        return;
    run.found = g_ptr_array_new_with_free_func(g_free);
    g_queue_push_tail(&run.folders, g_strdup(""));
    for (char *path; (path = g_queue_pop_head(&run.folders));) {
        if (g_get_monotonic_time() <= run.deadline)
            look_into(&run, path);
        g_free(path);
    }
    show(&run);
    g_ptr_array_free(run.found, TRUE);
    close(run.top);
}
