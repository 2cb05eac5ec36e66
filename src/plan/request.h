/*
 * Step 2 of plan.h: Podman's create request while it is computed.
 *
 * Each plan_request_add_… function of the second half adds one part, from SELF's box, settings and
 * facts. They touch nothing on the machine. One that can fail returns FALSE with a BOX_ERROR_CONFIG
 * whose message names the setting.
 */
#pragma once

#include "plan/facts.h"

typedef struct {
    const plan_box *box;
    const settings *wanted;
    const plan_facts *facts;
    json_t *json;
    json_t *mounts;        /* "mounts" of json, in order */
    GHashTable *targets;   /* destination of each mount -> what it is for */
    GHashTable *protected; /* set of absolute paths that are hidden or read-only as a whole */
    GPtrArray *warnings, *absent; /* see struct plan */
    GPtrArray *reserved; /* absolute paths that box-init's guard lets nobody create or write */
    GPtrArray *hidden;   /* and those that it lets nobody read either */
    char *layers[N_PLAN_LAYERS]; /* see struct plan */
    GPtrArray *git_folders; /* folders in which it holds git repositories (protect.repositories) */
} plan_request;

void plan_request_set(plan_request *self, const char *key, json_t *value);
void plan_request_warn(plan_request *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Always FALSE, with ERROR "WHAT: 'PATH' WHY". */
gboolean plan_refuse(const char *what, const char *path, const char *why, GError **error);

/*
 * request_mounts.c. WHAT says for error messages what the mount is for ("the project"). Two mounts
 * on one destination are an error, because Podman would silently use one of them.
 */
gboolean plan_request_add_bind(plan_request *self, const char *source, const char *target,
                               gboolean writable, const char *what, GError **error);
/* SIZE as mount(8) takes it. */
gboolean plan_request_add_tmpfs(plan_request *self, const char *target, const char *mode,
                                const char *size, const char *what, GError **error);
gboolean plan_request_add_proc(plan_request *self, const char *target, const char *what,
                               GError **error);
/* Mounts SOURCE read-only at TARGET, for an overlay on it (PLAN_DATA_OVERLAY). */
gboolean plan_request_add_overlay(plan_request *self, const char *source, const char *target,
                                  const char *what, GError **error);
/* The same for a layer of a branch. */
gboolean plan_request_add_layer(plan_request *self, enum plan_layer layer, const char *source,
                                const char *target, const char *what, GError **error);
/* What the box may do to the project itself: a branch never writes it. */
enum mount_mode plan_request_project_mode(const plan_request *self);
/* May a box see SOURCE, a real path of the host? */
gboolean plan_request_check_source(const plan_request *self, const char *source, const char *what,
                                   GError **error);
/* May a mount of the user's be at TARGET? */
gboolean plan_request_check_target(const plan_request *self, const char *target, const char *what,
                                   GError **error);

/*
 * request_project.c: makes PATH (relative to FOLDER, which is mounted at its own path) read-only,
 * and pins each folder on the way with a mount, so that none of them can be renamed.
 * The name is reserved too, whether it exists or not. Configurations of git folders are left to the
 * guard.
 */
gboolean plan_request_protect(plan_request *self, const char *folder, const char *path,
                              GError **error);
/* Nothing in the box may read what gets the name PATH (absolute), whatever is mounted there. */
gboolean plan_request_hide(plan_request *self, const char *path, GError **error);
/* The box can write the folder PATH of the host, so the guard holds git repositories in it. */
gboolean plan_request_add_git_folder(plan_request *self, const char *path, GError **error);
/* TRUE when PATH is hidden or protected, or lies below such a path. */
gboolean plan_request_is_protected(const plan_request *self, const char *path);

/*
 * request_process.c: PERCENT of limits.memory as the size of a tmpfs, or of the machine's memory
 * where there is no limit. The OOM killer cannot free what a tmpfs holds, so a tmpfs needs a size
 * even where the host does not enforce limits.
 */
#define PLAN_TMP_PERCENT 50
#define PLAN_VAR_TMP_PERCENT 20
#define PLAN_PROJECT_PERCENT 10 /* the project's folder when only some of its files are shown */
#define PLAN_RUN_PERCENT 5
char *plan_request_memory_share(const plan_request *self, int percent);

/* request_shares.c: TRUE when TEST holds for PATH and a folder that a box can write: a project, or
 * a writable mount of this box. */
typedef gboolean (*plan_path_test)(const char *path, const char *folder);
gboolean plan_request_is_shared(const plan_request *self, const char *path, plan_path_test test);

/* request_env.c: the value of NAME in the environment of BOX's image, or NULL. */
const char *plan_image_env(const plan_box *box, const char *name);

/* The parts, in the order in which request.c adds them. */
gboolean plan_request_check_project(plan_request *self, GError **error);  /* request_mounts.c */
gboolean plan_request_add_root(plan_request *self, GError **error);       /* request_root.c */
gboolean plan_request_add_litterbox(plan_request *self, GError **error);  /* request_root.c */
gboolean plan_request_add_home(plan_request *self, GError **error);       /* request_root.c */
gboolean plan_request_add_project(plan_request *self, GError **error);    /* request_project.c */
gboolean plan_request_add_git(plan_request *self, GError **error);        /* request_git.c */
gboolean plan_request_add_identity(plan_request *self, GError **error);   /* request_git.c */
gboolean plan_request_add_shares(plan_request *self, GError **error);     /* request_shares.c */
gboolean plan_request_add_toolchains(plan_request *self, GError **error); /* request_shares.c */
gboolean plan_request_add_appearance(plan_request *self, GError **error); /* request_shares.c */
gboolean plan_request_add_network(plan_request *self, GError **error);    /* request_network.c */
gboolean plan_request_add_security(plan_request *self, GError **error);   /* request_process.c */
gboolean plan_request_add_devices(plan_request *self, GError **error);    /* request_devices.c */
gboolean plan_request_add_limits(plan_request *self, GError **error);     /* request_process.c */
gboolean plan_request_note_borrowed(plan_request *self, GError **error);  /* request_git.c */
void plan_request_add_process(plan_request *self);                        /* request_process.c */
void plan_request_add_env(plan_request *self);                            /* request_env.c */
gboolean plan_request_add_podman(plan_request *self, GError **error);     /* request_podman.c */

/* The variables by which programs find what plan_request_add_appearance() mounts. */
void plan_request_add_appearance_env(const plan_request *self, json_t *env);
