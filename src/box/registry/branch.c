#include "box/registry/branch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/branch_names.h"
#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"

#define BRANCH_RECORD_MAX 64
#define SHARED "shared"
#define ISOLATED "isolated"
/* Files in the data folder of a branch: see branch_owner_of(). */
#define MADE_BY_MCP "mcp"
#define USED "used"

/* "SECONDS.NANOSECONDS WORD". */
static gboolean read_record(const char *of, const char *name, struct timespec *when,
                            gboolean *isolated)
{
    g_autofree char *path = branch_record(of, name);
    g_autofree char *text = fs_read_text(path, BRANCH_RECORD_MAX);
    long long seconds, nanoseconds;
    char word[16];
    if (!text || sscanf(text, "%lld.%9lld %15s", &seconds, &nanoseconds, word) != 3 ||
        nanoseconds < 0)
        return FALSE;
    *when = (struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)nanoseconds};
    *isolated = strcmp(word, ISOLATED) == 0;
    return *isolated || strcmp(word, SHARED) == 0;
}

static gboolean set_name_error(const char *name, GError **error)
{
    g_autofree char *safe = text_safe(name, -1);
    g_set_error(
        error, BOX_ERROR, BOX_ERROR_USAGE,
        "'%s' cannot be the name of a branch: use a-z, 0-9, '-' and '_', the first a letter "
        "or digit",
        safe);
    return FALSE;
}

static struct box *make_box(const struct box *of, const char *name, GError **error)
{
    g_autofree char *full = g_strdup_printf("%s.%s", of->name, name);
    if (!branch_name_is_valid(name)) {
        set_name_error(name, error);
        return NULL;
    }
    if (!box_name_is_valid(full)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "the name of a branch of box '%s' may have at most %d characters", of->name,
                    MAX(BOX_NAME_MAX - 1 - (int)strlen(of->name), 0));
        return NULL;
    }
    struct box *self = box_new(full, of->project, error);
    if (!self)
        return NULL;
    g_autofree char *folder = branch_folder(of->name);
    g_free(self->base);
    g_free(self->data);
    g_free(self->home);
    self->base = g_strdup(of->name);
    self->branch = g_strdup(name);
    self->data = g_build_filename(folder, name, NULL);
    self->home = g_strdup(of->home);
    return self;
}

/* Sets what the record says. FALSE with ERROR when it cannot be read. */
static gboolean complete(struct box *self, GError **error)
{
    struct timespec when;
    if (read_record(self->base, self->branch, &when, &self->isolated))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the record of branch '%s' cannot be read: '%s'", self->branch, self->data);
    return FALSE;
}

struct box *branch_find(const struct box *of, const char *name, GError **error)
{
    g_autoptr(box) self = make_box(of, name, error);
    if (!self)
        return NULL;
    if (branch_is_there(of->name, name))
        return complete(self, error) ? g_steal_pointer(&self) : NULL;
    g_auto(GStrv) names = branch_names(of->name);
    const char *near = text_nearest(name, (const char *const *)names);
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                near ? "box '%s' has no branch '%s'; did you mean '%s'?"
                     : "box '%s' has no branch '%s'; 'box branch list' lists all",
                of->name, name, near);
    return NULL;
}

struct box *branch_or_box(const char *name, const char *project, GError **error)
{
    g_autofree char *of = NULL;
    if (!branch_is_box_name(name, &of))
        return box_new(name, project, error);
    g_autoptr(box) owner = box_new(of, project, error);
    return owner ? branch_find(owner, name + strlen(of) + 1, error) : NULL;
}

/* With the registry's lock. */
static gboolean make_branch(struct box *self, gboolean isolated, branch_owner owner, GError **error)
{
    struct timespec now;
    g_autofree char *record = branch_record(self->base, self->branch);
    if (!registry_check_free(self->name, error) || !discard_runtime(self->runtime, error) ||
        !discard_tree(self->data, error) || !fs_make_folder(self->data, 0700, error) ||
        (owner == BRANCH_OF_MCP && !branch_owner_set_mcp(self, error)))
        return FALSE;
    /* The clock of file times. */
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    g_autofree char *text = g_strdup_printf("%lld.%09ld %s\n", (long long)now.tv_sec, now.tv_nsec,
                                            isolated ? ISOLATED : SHARED);
    self->isolated = isolated;
    return fs_write(record, text, -1, 0600, error);
}

static gboolean check_is_free(const struct box *self, GError **error)
{
    gboolean is_there = branch_is_there(self->base, self->branch);
    if (is_there)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT, "there is a branch '%s' already",
                    self->branch);
    return !is_there;
}

static gboolean open_locked(struct box *self, gboolean isolated, gboolean *is_new, GError **error)
{
    *is_new = !branch_is_there(self->base, self->branch);
    if (*is_new)
        return make_branch(self, isolated, BRANCH_OF_USER, error);
    if (!complete(self, error))
        return FALSE;
    if (self->isolated || !isolated)
        return branch_owner_join(self, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "branch '%s' is there already, and shares the home of box '%s': --isolated is for "
                "a new one",
                self->branch, self->base);
    return FALSE;
}

struct box *branch_open(const struct box *of, const char *name, gboolean isolated, gboolean *is_new,
                        GError **error)
{
    g_autoptr(box) self = make_box(of, name, error);
    int lock = self ? registry_lock(error) : -1;
    if (lock < 0)
        return NULL;
    gboolean done = open_locked(self, isolated, is_new, error);
    close(lock);
    return done ? g_steal_pointer(&self) : NULL;
}

struct box *branch_make_for_mcp(const struct box *of, const char *name, GError **error)
{
    g_autoptr(box) self = make_box(of, name, error);
    int lock = self ? registry_lock(error) : -1;
    if (lock < 0)
        return NULL;
    gboolean done = check_is_free(self, error) && make_branch(self, FALSE, BRANCH_OF_MCP, error);
    close(lock);
    return done ? g_steal_pointer(&self) : NULL;
}

gboolean branch_exists(const struct box *self)
{
    return self->branch && branch_is_there(self->base, self->branch);
}

gboolean branch_began(const struct box *self, struct timespec *when, GError **error)
{
    gboolean isolated;
    if (read_record(self->base, self->branch, when, &isolated))
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the record of branch '%s' cannot be read: '%s'", self->branch, self->data);
    return FALSE;
}

gboolean branch_each(const struct box *self,
                     gboolean (*act)(const struct box *each, GError **error), GError **error)
{
    g_autoptr(box) of = box_new(self->base, self->project, error);
    g_auto(GStrv) names = branch_names(self->base);
    gboolean done = of && act(of, error);
    for (char **name = names; of && *name; name++) {
        g_autoptr(GError) problem = NULL;
        g_autoptr(box) branch = branch_find(of, *name, &problem);
        if (branch && act(branch, &problem))
            continue;
        if (done)
            g_propagate_error(error, g_steal_pointer(&problem));
        done = FALSE;
    }
    return done;
}

gboolean branch_remove(const struct box *self, GError **error)
{
    g_autofree char *record = branch_record(self->base, self->branch);
    int lock = registry_lock(error);
    if (lock < 0)
        return FALSE;
    /* First, so that a crash leaves no half of a branch. */
    gboolean done = unlink(record) == 0 || errno == ENOENT;
    if (!done)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot remove '%s': %s", record,
                    g_strerror(errno));
    /* The data last: by them branch_remove_left() knows that something is left. */
    done = done && discard_runtime(self->runtime, error) && discard_tree(self->data, error);
    close(lock);
    return done;
}

gboolean branch_remove_left(const char *of, const char *name, gboolean *removed, GError **error)
{
    g_autofree char *folder = branch_folder(of), *path = g_build_filename(folder, name, NULL);
    g_autofree char *full = g_strdup_printf("%s.%s", of, name);
    g_autofree char *runtime = paths_runtime(full, error);
    int lock = runtime ? registry_lock(error) : -1;
    if (lock < 0)
        return FALSE;
    *removed = !branch_is_there(of, name);
    gboolean done = !*removed || (discard_runtime(runtime, error) && discard_tree(path, error));
    close(lock);
    return done;
}

/* SELF under the name NAME, which is free; NULL with ERROR. */
static struct box *renamed(const struct box *self, const char *name, GError **error)
{
    g_autoptr(box) of = box_new(self->base, self->project, error);
    g_autoptr(box) to = of ? make_box(of, name, error) : NULL;
    return to && check_is_free(to, error) && registry_check_free(to->name, error)
               ? g_steal_pointer(&to)
               : NULL;
}

gboolean branch_check_rename(const struct box *self, const char *name, GError **error)
{
    g_autoptr(box) to = renamed(self, name, error);
    return to != NULL;
}

gboolean branch_rename(const struct box *self, const char *name, GError **error)
{
    int lock = registry_lock(error);
    g_autoptr(box) to = lock >= 0 ? renamed(self, name, error) : NULL;
    gboolean done = to && discard_runtime(to->runtime, error) && discard_tree(to->data, error) &&
                    branch_owner_join(self, error) && fs_rename(self->data, to->data, error) &&
                    discard_runtime(self->runtime, error);
    if (lock >= 0)
        close(lock);
    return done;
}

static char *mark_file(const struct box *self, const char *name)
{
    return g_build_filename(self->data, name, NULL);
}

/* When that is unknown, it is the user's. */
branch_owner branch_owner_of(const struct box *self)
{
    struct stat st;
    g_autofree char *made = mark_file(self, MADE_BY_MCP), *used = mark_file(self, USED);
    if (lstat(made, &st) < 0)
        return BRANCH_OF_USER;
    return lstat(used, &st) < 0 && errno == ENOENT ? BRANCH_OF_MCP : BRANCH_OF_BOTH;
}

const char *branch_owner_name(branch_owner self)
{
    static const char *const names[] = {
        [BRANCH_OF_USER] = "user", [BRANCH_OF_MCP] = "mcp", [BRANCH_OF_BOTH] = "both"};
    return names[self];
}

gboolean branch_owner_set_mcp(const struct box *self, GError **error)
{
    g_autofree char *made = mark_file(self, MADE_BY_MCP);
    return fs_write(made, "", 0, 0600, error);
}

gboolean branch_owner_join(const struct box *self, GError **error)
{
    g_autofree char *used = mark_file(self, USED);
    return branch_owner_of(self) != BRANCH_OF_MCP || fs_write(used, "", 0, 0600, error);
}

int branch_owner_hold(const struct box *self)
{
    g_autofree char *made = mark_file(self, MADE_BY_MCP);
    int fd = open(made, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

gboolean branch_owner_holds(const struct box *self, int lock)
{
    struct stat own, held;
    g_autofree char *made = mark_file(self, MADE_BY_MCP);
    return lstat(made, &own) == 0 && fstat(lock, &held) == 0 && own.st_dev == held.st_dev &&
           own.st_ino == held.st_ino;
}
