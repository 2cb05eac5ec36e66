#include "guest/guard/git_names.h"

#include <string.h>

#include "guest/guard/name_folding.h"
#include "guest/guard/protected_names.h"

#define PROBE_PREFIX "t"
#define PROBE_LENGTH 7 /* "tXXXXXX" (git, builtin/init-db.c) */
#define SAMPLE ".sample"

static int is(const char *name, size_t length, const char *wanted)
{
    size_t known = strlen(wanted);
    return name_may_be(name, length, wanted, known) && name_is_same(name, length, wanted, known);
}

static int is_one_of(const char *name, size_t length, const char *const *wanted)
{
    for (; *wanted; wanted++) {
        if (is(name, length, *wanted))
            return 1;
    }
    return 0;
}

int git_names_is_references(const char *name, size_t length)
{
    return is(name, length, "refs") || is(name, length, "logs");
}

/* Where a folder lies. */
struct surroundings {
    int inside;      /* below a .git */
    int in_refs;     /* below a folder of references there, whose files are called like branches */
    int in_hooks;    /* right in a folder of hooks there */
    int in_worktree; /* right in the folder that git keeps of a worktree there */
};

static struct surroundings surroundings_of(const char *folder)
{
    struct surroundings self = {0};
    int in_worktrees = 0;
    while (*folder) {
        folder += *folder == '/';
        size_t length = strcspn(folder, "/");
        if (is(folder, length, ".git"))
            self = (struct surroundings){.inside = 1};
        else if (self.inside)
            self.in_refs |= git_names_is_references(folder, length);
        self.in_hooks = self.inside && is(folder, length, "hooks");
        self.in_worktree = in_worktrees && length > 0;
        in_worktrees = self.inside && !self.in_refs && is(folder, length, "worktrees");
        folder += length;
    }
    return self;
}

/* git copies such hooks into each new repository, and runs none of them. */
static int is_sample(const char *name, size_t length)
{
    size_t ending = strlen(SAMPLE);
    return length > ending && memcmp(name + length - ending, SAMPLE, ending) == 0 &&
           name_is_plain(name, length);
}

static int is_of_guard(const char *name, size_t length)
{
    return name_begins(name, length, GIT_GUARD_PREFIX, strlen(GIT_GUARD_PREFIX));
}

static enum git_role role_inside(const struct surroundings *where, const char *name, size_t length)
{
    static const char *const configs[] = {"config", "config.worktree", NULL};
    static const char *const lockfiles[] = {"config" GIT_LOCK_ENDING,
                                            "config.worktree" GIT_LOCK_ENDING, NULL};
    static const char *const leading[] = {"commondir", "gitdir", NULL};
    /* They would make a repository of a folder of references. */
    static const char *const completing[] = {"commondir", "objects", NULL};
    if (where->in_refs)
        return is_one_of(name, length, completing) ? GIT_FORBIDDEN : GIT_INSIDE;
    if (is_one_of(name, length, configs) || is_of_guard(name, length))
        return GIT_CONFIG;
    if (is_one_of(name, length, lockfiles))
        return GIT_LOCKFILE;
    /* What editors write, and rename to a configuration. */
    if (protected_names_match(name, length, configs[0]) ||
        protected_names_match(name, length, configs[1]))
        return GIT_FORBIDDEN;
    if (where->in_worktree && is_one_of(name, length, leading))
        return GIT_WORKTREE_FILE;
    if (is_one_of(name, length, leading) || (where->in_hooks && !is_sample(name, length)))
        return GIT_FORBIDDEN;
    return GIT_INSIDE;
}

enum git_role git_names_role(const char *folder, const char *name, size_t length)
{
    struct surroundings where = surroundings_of(folder);
    if (is(name, length, ".git"))
        return GIT_FOLDER;
    /* Anywhere: a ".git" that is a file is written beside the files of the work tree. */
    if (is_of_guard(name, length))
        return GIT_CONFIG;
    if (where.inside)
        return role_inside(&where, name, length);
    return is(name, length, "HEAD") ? GIT_HEAD : GIT_NONE;
}

enum git_role git_names_role_beside_head(int in_hooks, const char *name, size_t length)
{
    static const char *const counting[] = {"config",
                                           "config.worktree",
                                           "config" GIT_LOCK_ENDING,
                                           "config.worktree" GIT_LOCK_ENDING,
                                           "commondir",
                                           "hooks",
                                           NULL};
    const struct surroundings where = {.inside = 1, .in_hooks = in_hooks};
    return in_hooks || is_one_of(name, length, counting) ? role_inside(&where, name, length)
                                                         : GIT_NONE;
}

enum git_role git_names_strictest(const char *name, size_t length)
{
    static const struct surroundings anywhere = {.inside = 1, .in_hooks = 1};
    if (is(name, length, ".git"))
        return GIT_FOLDER;
    return is(name, length, "HEAD") ? GIT_FORBIDDEN : role_inside(&anywhere, name, length);
}

const char *git_names_below(const char *folder, const char *const *roots, int count)
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(roots[i]);
        if (strncmp(folder, roots[i], length) != 0 || (folder[length] && folder[length] != '/'))
            continue;
        while (length && folder[length - 1] != '/')
            length--;
        return folder + (length ? length - 1 : 0);
    }
    return NULL;
}

int git_names_refuse(enum git_role role, enum git_change change)
{
    switch (role) {
    case GIT_NONE:
        return 0;
    case GIT_FOLDER:
        return change != GIT_MAKES_FOLDER;
    case GIT_HEAD: /* a folder of that name completes nothing */
        return change != GIT_MAKES_FOLDER;
    case GIT_INSIDE:
        return change == GIT_PLACES_OTHER || change == GIT_MAKES_OTHER;
    case GIT_CONFIG:
    case GIT_LOCKFILE:
    case GIT_WORKTREE_FILE:
    case GIT_FORBIDDEN:
        break;
    }
    return 1;
}

int git_names_is_held(enum git_role role)
{
    return role == GIT_FOLDER || role == GIT_CONFIG || role == GIT_LOCKFILE ||
           role == GIT_WORKTREE_FILE || role == GIT_FORBIDDEN;
}

int git_names_is_config(const char *name)
{
    return strcmp(name, "config") == 0 || strcmp(name, "config.worktree") == 0;
}

int git_names_is_probe(const char *name, size_t length, const char *target)
{
    return length == PROBE_LENGTH && memcmp(name, PROBE_PREFIX, strlen(PROBE_PREFIX)) == 0 &&
           name_is_plain(name, length) && strcmp(target, "testing") == 0;
}
