#include "guest/guard/gitfile.h"

#include <string.h>

#include "guest/guard/git_names.h"
#include "guest/guard/name_folding.h"

#define PREFIX "gitdir: "

/* A path of hostile bytes that ends at END. */
struct path {
    const char *at, *end;
};

static int is_named(struct path part, const char *wanted)
{
    size_t length = strlen(wanted);
    return (size_t)(part.end - part.at) == length && memcmp(part.at, wanted, length) == 0;
}

/* The next part of SELF, which it steps over, with the slash behind it. */
static struct path take_part(struct path *self)
{
    const char *slash = memchr(self->at, '/', (size_t)(self->end - self->at));
    struct path part = {self->at, slash ? slash : self->end};
    self->at = slash ? slash + 1 : self->end;
    return part;
}

/* 1 when SELF goes down by plain names. */
static int goes_down(struct path self)
{
    int parts = 0;
    for (; self.at < self.end; parts++) {
        struct path part = take_part(&self);
        if (part.at == part.end || is_named(part, ".") || is_named(part, ".."))
            return 0;
    }
    return parts > 0 && self.end[-1] != '/';
}

/* Steps over "../../". 1 when there was at least one. */
static int goes_up(struct path *self)
{
    const char *start = self->at;
    struct path rest = *self, part = take_part(&rest);
    while (is_named(part, "..")) {
        *self = rest;
        part = take_part(&rest);
    }
    return self->at > start;
}

/* 1 when SELF lies below a root: *BELOW is what follows, after the root's own name if that is .git.
 */
static int is_below_root(struct path self, const char *const *roots, int count, struct path *below)
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(roots[i]);
        if ((size_t)(self.end - self.at) <= length || memcmp(self.at, roots[i], length) != 0 ||
            self.at[length] != '/')
            continue;
        const char *name = strrchr(roots[i], '/') + 1;
        *below = (struct path){self.at + length + 1, self.end};
        if (strcmp(name, ".git") == 0)
            below->at -= strlen("/.git");
        return 1;
    }
    return 0;
}

/* "../.git/modules/x", or the same below a root. */
static int leads_into_git(struct path path, const char *const *roots, int count)
{
    struct path below = path;
    if (path.at < path.end && *path.at == '/') {
        if (!is_below_root(path, roots, count, &below))
            return 0;
    } else if (!goes_up(&below)) {
        return 0;
    }
    if (!is_named(take_part(&below), ".git") || !goes_down(below))
        return 0;
    while (below.at < below.end) {
        struct path part = take_part(&below);
        if (git_names_is_references(part.at, (size_t)(part.end - part.at)))
            return 0;
    }
    return 1;
}

/* Where a worktree's own ".git" is. */
static int leads_to_gitfile(struct path path, const char *const *roots, int count)
{
    static const char ending[] = "/.git";
    size_t length = sizeof ending - 1;
    struct path below = path;
    if ((size_t)(path.end - path.at) <= length || memcmp(path.end - length, ending, length) != 0)
        return 0;
    if (*path.at == '/' ? !is_below_root(path, roots, count, &below) : !goes_up(&below))
        return 0;
    return goes_down(below);
}

enum gitfile_kind gitfile_kind_of(const char *name, size_t length)
{
    return name_is_same(name, length, "commondir", strlen("commondir")) ? GITFILE_COMMONDIR
           : name_is_same(name, length, "gitdir", strlen("gitdir"))     ? GITFILE_GITDIR
                                                                        : GITFILE_GIT;
}

int gitfile_is_harmless(enum gitfile_kind kind, const char *text, size_t length,
                        const char *const *roots, int count)
{
    struct path path = {text, text + length};
    if (!length || length > GITFILE_MAX)
        return 0;
    if (path.end[-1] == '\n')
        path.end--;
    for (const char *at = path.at; at < path.end; at++) {
        if ((unsigned char)*at < ' ' || *at == 127)
            return 0;
    }
    if (kind == GITFILE_COMMONDIR)
        return is_named(path, "../..");
    if (kind == GITFILE_GITDIR)
        return leads_to_gitfile(path, roots, count);
    size_t prefix = strlen(PREFIX);
    if ((size_t)(path.end - path.at) <= prefix || memcmp(path.at, PREFIX, prefix) != 0)
        return 0;
    path.at += prefix;
    return leads_into_git(path, roots, count);
}
