/*
 * Step 1 of plan.h: what plan_make() must know about the machine, as plain data.
 *
 * The plan_probe_… functions fill it in from the machine; tests fill it in by hand. Each of them
 * follows no symbolic link that a box could have made.
 */
#pragma once

#include "appearance/appearance.h"
#include "identity/git_identity.h"
#include "plan/plan.h"

typedef enum {
    PLAN_TYPE_MISSING,
    PLAN_TYPE_FILE,
    PLAN_TYPE_FOLDER,
    PLAN_TYPE_LINK,
    PLAN_TYPE_CHARACTER, /* only for devices that the settings name; elsewhere PLAN_TYPE_OTHER */
    PLAN_TYPE_BLOCK,     /* as PLAN_TYPE_CHARACTER */
    PLAN_TYPE_OTHER,
} plan_file_type;

/* What is at one path. */
typedef struct {
    char *path;          /* absolute, as the settings name it */
    plan_file_type type; /* below the project: of the path itself; mount source: of its target */
    char *real;          /* real path of a mount source or of a device's link; NULL: missing */
    char **links;        /* mount source: every symbolic link on the way, as absolute paths */
    char *foreign_link;  /* the first of them that is another user's; or NULL */
    guint hard_links;    /* st_nlink of a file */
    guint major, minor;  /* of a device */
} plan_file;

/* How the host image shows one name below the host's /etc. */
typedef enum { PLAN_ETC_LINK, PLAN_ETC_COPY, PLAN_ETC_BIND } plan_etc_method;
typedef struct {
    char *name; /* "ssl/certs" */
    plan_etc_method method;
    char *target; /* of PLAN_ETC_LINK */
} plan_etc;

/* One folder directly below / that belongs to /usr: a link on a merged-/usr host, or a folder. */
typedef struct {
    char *name;   /* "lib64" */
    char *target; /* "usr/lib64"; NULL: a folder, which is mounted */
} plan_root_folder;

/* A folder of a toolchain in the user's home. */
typedef struct {
    char *folder;   /* absolute; a few toolchains have a file here */
    char *real;     /* its real path; NULL: outside of the tool's own folder, so not shown */
    char *bin;      /* absolute folder for PATH, or NULL */
    char **secrets; /* absolute paths of files in it that may hold credentials */
} plan_toolchain;

/* The project's repository, and what in it makes the host's git run programs. */
typedef struct {
    char *folder;             /* absolute real path of the git folder that all worktrees share */
    gboolean outside;         /* the folder lies outside the project and must be mounted */
    char **modules;           /* below folder: "modules/a", "modules/a/modules/b" */
    char **worktrees;         /* below folder: "worktrees/x", the project's own among them */
    gboolean worktree_config; /* extensions.worktreeConfig is on */
    char *distrusted;         /* why the project's .git file is not followed; or NULL */
    char **borrowed;          /* real paths of folders elsewhere, in which it has objects */
    char **named;    /* below the project: what git's configuration names, as hooks or programs */
    gboolean is_cut; /* there is more of modules, worktrees or named than these */
} plan_git;

/* A folder with fonts, icons, cursors or themes of the user or the host. */
typedef struct {
    char *source;    /* absolute; a real path unless linked */
    char *name;      /* below PLAN_SHARE */
    gboolean linked; /* the way to it has a symbolic link, so it is not shown */
} plan_theme_folder;

struct plan_facts {
    guint uid, gid;
    char *user, *group, *home, *shell; /* home: the host's, a real path */
    int podman_major, podman_minor;
    char *init;  /* path of box-init */
    char *shims; /* folder of the shims; NULL: not installed */
    gboolean cgroup_v2;
    gboolean cgroup_memory, cgroup_cpu, cgroup_pids; /* delegated to the user */
    guint64 open_files;       /* hard RLIMIT_NOFILE of the user's processes */
    char *nixos_system;       /* NixOS: target of /run/current-system; elsewhere NULL */
    GPtrArray *root_folders;  /* of plan_root_folder */
    GPtrArray *etc;           /* of plan_etc */
    GPtrArray *toolchains;    /* of plan_toolchain */
    GHashTable *paths;        /* path -> plan_file */
    plan_git git;             /* folder is NULL when the project has no repository */
    GPtrArray *theme_folders; /* of plan_theme_folder */
    appearance *appearance;   /* of the user's desktop; NULL: not shown to the box */
    git_identity *identity;   /* of the user; NULL: not shown to the box */
    char **remote_hosts;      /* of the project's remotes, as known_hosts names them; or NULL */
    char *host_keys;          /* contents of PLAN_KNOWN_HOSTS; or NULL */
    char **gpus;              /* device nodes of the GPUs that desktop.gpu means, each in paths */
    char **private_paths; /* real paths that no box may see: files of Litterbox, Podman, sockets */
    char **mount_points;  /* of the host */
};

plan_facts *plan_facts_new(void);
/* The functions that add copy their strings; what they return belongs to the facts. */
plan_file *plan_facts_add_file(plan_facts *self, const char *path, plan_file_type type,
                               const char *real);
/* What is at PATH. Never NULL: a path that was not added is missing. */
const plan_file *plan_facts_file(const plan_facts *self, const char *path);
void plan_facts_add_etc(plan_facts *self, const char *name, plan_etc_method method,
                        const char *target);
void plan_facts_add_root_folder(plan_facts *self, const char *name, const char *target);
void plan_facts_add_theme_folder(plan_facts *self, const char *source, const char *name,
                                 gboolean linked);
/* A toolchain whose folder is its own real path. */
plan_toolchain *plan_facts_add_toolchain(plan_facts *self, const char *folder, const char *bin);

/* A clean absolute path ("//", "/./" and a trailing "/" removed); NULL when PATH is not absolute or
 * holds "..". */
char *plan_clean_path(const char *path);
/* A clean path without a leading "/"; NULL when PATH is absolute, empty, or holds "..". */
char *plan_clean_relative(const char *path);
/* plan_clean_path() with a leading "~" replaced by the user's home. */
char *plan_expand(const plan_facts *facts, const char *path);

#define PLAN_TUN "/dev/net/tun"

/* probe.c: mount sources, and the paths that the lists of [project] and [protect] name. */
void plan_probe_paths(plan_facts *self, const plan_box *box, const settings *wanted);
/* What is at FOLDER/RELATIVE and at each folder on the way, symbolic links not followed. */
void plan_probe_below(plan_facts *self, const char *folder, const char *relative);
/* The devices that [devices], network.tun and desktop.gpu name. */
void plan_probe_devices(plan_facts *self, const settings *wanted);
/* One device; for a symbolic link also its target. */
void plan_probe_device(plan_facts *self, const char *device);
/* probe_git.c */
void plan_probe_git(plan_facts *self, const char *project);
void plan_probe_git_settings(plan_facts *self, const char *project); /* after the folder is known */
/* Who the user is to git, in the project's repository; after the folder is known. */
void plan_probe_identity(plan_facts *self, const char *project);
/* probe_host_keys.c; after the git folder is known. */
void plan_probe_host_keys(plan_facts *self, const plan_box *box);
/* probe_host_image.c: /etc and the folders below /. ROOT is "/" outside of tests. */
void plan_probe_host_image(plan_facts *self, const char *root);
/* probe_shares.c: toolchains; appearance of the desktop, fonts and themes. */
void plan_probe_toolchains(plan_facts *self);
void plan_probe_appearance(plan_facts *self, const plan_box *box);
