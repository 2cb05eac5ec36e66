/*
 * Names by which git on the host finds a repository, and in it what it runs:
 * gitrepository-layout(5), and setup_git_directory_gently() of git, which takes any folder with
 * HEAD, objects and refs for a bare repository. Pure functions over hostile bytes.
 *
 * A box may make repositories (git clone), at any depth. They get no hooks that run, no links, and
 * no configuration but what guest/guard/git_config.h takes for harmless. So a name counts by its
 * place: below a .git, or outside of any.
 */
#pragma once

#include <stddef.h>

enum git_role {
    GIT_NONE,
    GIT_FOLDER,        /* ".git": a repository, or a file or link that leads to one */
    GIT_HEAD,          /* "HEAD" outside of a .git: it could complete a bare repository */
    GIT_INSIDE,        /* below a .git, without a meaning of its own */
    GIT_CONFIG,        /* below a .git: config, config.worktree; anywhere: the guard's own names */
    GIT_LOCKFILE,      /* below a .git: what git renames to a GIT_CONFIG */
    GIT_WORKTREE_FILE, /* below a .git: commondir and gitdir of a worktree (guest/guard/gitfile.h)
                        */
    GIT_FORBIDDEN,     /* below a .git: what leads to other folders, and hooks that run */
};

/* What a call would have at the name. */
enum git_change {
    GIT_MAKES_FOLDER,
    GIT_WRITES_FILE,  /* a new one, or one that exists */
    GIT_PLACES_FILE,  /* one that was made under another name */
    GIT_PLACES_OTHER, /* a folder, link, FIFO or socket that was made under another name */
    GIT_MAKES_OTHER,  /* a link, FIFO or socket */
};

#define GIT_LOCK_ENDING ".lock"
/* How names begin that the guard gives a file for a moment, before it renames it into place. */
#define GIT_GUARD_PREFIX "config.litterbox-"

/* LENGTH bytes at NAME in FOLDER, the path below a shared folder: "" or "/a/.git". */
enum git_role git_names_role(const char *folder, const char *name, size_t length);
/*
 * The role of NAME in a folder that has a HEAD though it is no .git, or (IN_HOOKS) in the folder
 * "hooks" of such a one: a bare repository that the box did not make. GIT_NONE for most.
 */
enum git_role git_names_role_beside_head(int in_hooks, const char *name, size_t length);
/* The strictest role of NAME, where nobody can tell its folder. */
enum git_role git_names_strictest(const char *name, size_t length);
/* The path of FOLDER below the first of COUNT ROOTS that it lies in, with the root's own name; NULL
 * when it lies in none. */
const char *git_names_below(const char *folder, const char *const *roots, int count);
int git_names_refuse(enum git_role role, enum git_change change);
/* 1 for a file that is as good as protected. */
int git_names_is_held(enum git_role role);
/* 1 for a configuration by git's own name for it, and not one that the guard is writing. */
int git_names_is_config(const char *name);
/* 1 for a folder of references or of their logs, in a .git: files there are called like branches,
 * "config" too. */
int git_names_is_references(const char *name, size_t length);
/* 1 for the link by which `git init` finds out whether there are links. */
int git_names_is_probe(const char *name, size_t length, const char *target);
