/*
 * What plan_make() has to know of the machine, as plain data: facts.c fills it in from the machine,
 * tests by hand.
 */
#pragma once

#include "appearance/appearance.h"
#include "plan/plan.h"

typedef enum {
    PLAN_MISSING,
    PLAN_FILE,
    PLAN_FOLDER,
    PLAN_LINK,
    PLAN_CHARACTER, /* of [devices] alone; elsewhere a device is PLAN_OTHER */
    PLAN_BLOCK,     /* likewise */
    PLAN_OTHER,
} plan_kind;

/* What stands at one path. */
typedef struct {
    char *path;     /* absolute, as asked for */
    plan_kind kind; /* of a project's path: the path itself; of a mount source: what it leads to */
    char *real;     /* real path of a mount source, or of a device's link; NULL when missing */
    char **via;     /* mount sources: every symlink on the way, as an absolute path */
    guint hard_links;   /* st_nlink of a file */
    guint major, minor; /* of a device */
} plan_path;

/* One name below the host's /etc that the host image shows. */
typedef enum { ETC_LINK, ETC_COPY, ETC_BIND } plan_etc_how;
typedef struct {
    char *name; /* "ssl/certs" */
    plan_etc_how how;
    char *target; /* of the link */
} plan_etc;

/* One folder directly below / that belongs to /usr: a link as on the host, or a folder to bind. */
typedef struct {
    char *name;   /* "lib64" */
    char *target; /* "usr/lib64"; NULL: a real folder */
} plan_top;

/* A user-level toolchain's folder that exists on the host. */
typedef struct {
    char *folder; /* absolute; a file in rare cases */
    char *real;   /* what it leads to; NULL: elsewhere in the home or out of it, not to be shown */
    char *bin;    /* absolute folder for PATH, or NULL */
    char **secrets; /* absolute: files in it that may hold credentials */
} plan_toolchain;

/* A repository's folder, and what in it makes the host's git run things. */
typedef struct {
    char *folder;     /* absolute real path of the git folder that is shared by all worktrees */
    gboolean outside; /* folder lies outside the project: has to be mounted */
    char **modules;   /* below folder: "modules/a", "modules/a/modules/b" */
    char **worktrees; /* below folder: "worktrees/x", the project's own among them */
    gboolean worktree_config; /* extensions.worktreeConfig is on */
    char *distrusted;         /* why the .git file of the project is not believed; or NULL */
} plan_git;

/* A folder of the user's or the host's that says how things look. */
typedef struct {
    char *source;    /* absolute; a real path unless LINKED */
    char *name;      /* below PLAN_SHARE */
    gboolean linked; /* it is reached over a link: not to be shown */
} plan_look;

struct plan_facts {
    guint uid, gid;
    char *user, *group, *home, *shell; /* home: the host's, a real path */
    int podman_major, podman_minor;
    char *init;  /* box-init */
    char *shims; /* the folder of our shims; NULL when there is none */
    gboolean cgroup_v2;
    gboolean cgroup_memory, cgroup_cpu, cgroup_pids; /* delegated to the user */
    guint64 open_files;    /* as many as a process of the user may have, RLIMIT_NOFILE */
    char *system;          /* NixOS: what /run/current-system leads to; elsewhere NULL */
    GPtrArray *tops;       /* of plan_top */
    GPtrArray *etc;        /* of plan_etc */
    GPtrArray *toolchains; /* of plan_toolchain */
    GHashTable *paths;     /* path -> plan_path */
    plan_git git;          /* folder is NULL when the project has no repository */
    GPtrArray *looks;      /* of plan_look */
    appearance *look;      /* what the user's desktop is set to; NULL: not to be shown */
    char **gpus;           /* what of GPUs is wanted and there: nodes, each in paths; NULL: none */
    char **private_paths; /* real paths that no box may see: our state, Podman's, the agent's … */
    char **mount_points;  /* of the host */
};

plan_facts *plan_facts_new(void);
/* Adds what stands at PATH; takes REAL. */
plan_path *plan_facts_add(plan_facts *self, const char *path, plan_kind kind, const char *real);
/* Never NULL: a path that is not known is missing. */
const plan_path *plan_facts_path(const plan_facts *self, const char *path);
void plan_facts_add_etc(plan_facts *self, const char *name, plan_etc_how how, const char *target);
void plan_facts_add_top(plan_facts *self, const char *name, const char *target);
void plan_facts_add_look(plan_facts *self, const char *source, const char *name, gboolean linked);
/* One that is where it seems to be. */
plan_toolchain *plan_facts_add_toolchain(plan_facts *self, const char *folder, const char *bin);
