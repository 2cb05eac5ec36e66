/*
 * The request while it is computed, and the pieces that compute it: one file each.
 *
 * Every plan_add_… function adds its part to the draft; one that can fail says so through ERROR.
 */
#pragma once

#include "plan/facts.h"

typedef struct {
    const plan_box *box;
    const settings *wanted;
    const plan_facts *facts;
    json_t *request;
    json_t *mounts;      /* the request's "mounts", in order */
    json_t *overlays;    /* the request's "overlay_volumes" */
    GHashTable *targets; /* destination -> what it is for, of both */
    GHashTable *guarded; /* set of absolute paths that are hidden or read-only with all in them */
    GPtrArray *warnings, *absent;
    GPtrArray *reserved; /* absolute paths that nothing in the box may make or write */
} plan_draft;

/*
 * limits.c: so many percent of limits.memory as the size of a tmpfs; of the machine's memory where
 * there is no limit. What lies in a tmpfs no OOM killer takes back, so it must not fill the machine
 * even if the host enforces no limit.
 */
#define PLAN_TMP_SHARE 50
#define PLAN_VAR_TMP_SHARE 20
#define PLAN_PROJECT_SHARE 10 /* where only some of its files are shown */
#define PLAN_RUN_SHARE 5
char *plan_memory_share(const plan_draft *self, int percent);

/* request.c: a string array's element, a key of the request, a warning. */
void plan_set(plan_draft *self, const char *key, json_t *value);
void plan_warn(plan_draft *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/*
 * mounts.c. WHAT says what a mount is for, in words for a message ("the project"). A second mount
 * on one destination is an error: Podman would let one of them win.
 */
gboolean plan_mount_bind(plan_draft *self, const char *source, const char *target,
                         gboolean writable, const char *what, GError **error);
/* SIZE: as mount(8) takes it. */
gboolean plan_mount_tmpfs(plan_draft *self, const char *target, const char *mode, const char *size,
                          const char *what, GError **error);
gboolean plan_mount_proc(plan_draft *self, const char *target, const char *what, GError **error);
gboolean plan_mount_overlay(plan_draft *self, const char *source, const char *target,
                            const char *what, GError **error);
/* Folder in the box's data folder that holds the changes of an overlay on TARGET. */
char *plan_overlay_folder(const plan_box *box, const char *target);

/*
 * protect.c: makes PATH (relative to FOLDER, which is mounted at its own path) read-only inside,
 * each folder on the way a mount point of its own, so that none of them can be renamed away.
 * Its name is reserved as well, whether it exists or not.
 */
gboolean plan_protect(plan_draft *self, const char *folder, const char *path, GError **error);
/* TRUE when PATH is, or lies below, what is hidden or read-only by plan_protect(). */
gboolean plan_is_guarded(const plan_draft *self, const char *path);

/* check.c: is SOURCE (real path) something that a box may see; is TARGET a place for a mount? */
gboolean plan_check_source(const plan_draft *self, const char *source, const char *what,
                           GError **error);
gboolean plan_check_target(const plan_draft *self, const char *target, const char *what,
                           GError **error);
gboolean plan_check_project(plan_draft *self, GError **error);
/* Always FALSE, with ERROR: "WHAT: 'PATH' WHY". */
gboolean plan_refuse(const char *what, const char *path, const char *why, GError **error);
/* A clean absolute path ("//", "/./" and a trailing "/" removed); NULL when it is not absolute or
 * holds "..". */
char *plan_clean_path(const char *path);
/* Likewise for a relative path below some folder: no leading "/", no "..", not empty. */
char *plan_clean_relative(const char *path);
/* A clean absolute path with a leading "~" replaced by the user's home; NULL as plan_clean_path. */
char *plan_expand(const plan_facts *facts, const char *path);
/* shares.c: TRUE when MEETS says so of PATH and a folder that boxes write: this one's project or
 * another's, a folder of ours (their homes are in one), or what this one shares to be written. */
gboolean plan_meets_writable(const plan_draft *self, const char *path,
                             gboolean (*meets)(const char *path, const char *folder));

gboolean plan_add_root(plan_draft *self, GError **error);       /* root.c */
gboolean plan_add_litterbox(plan_draft *self, GError **error);  /* litterbox.c: /run/litterbox */
gboolean plan_add_home(plan_draft *self, GError **error);       /* home.c */
gboolean plan_add_toolchains(plan_draft *self, GError **error); /* toolchains.c */
gboolean plan_add_project(plan_draft *self, GError **error);    /* project.c */
gboolean plan_add_git(plan_draft *self, GError **error);        /* git.c */
gboolean plan_add_shares(plan_draft *self, GError **error);     /* shares.c: [[mount]] and share */
gboolean plan_add_appearance(plan_draft *self, GError **error); /* appearance.c */
gboolean plan_add_network(plan_draft *self, GError **error);    /* network.c */
gboolean plan_add_limits(plan_draft *self, GError **error);     /* limits.c */
gboolean plan_add_security(plan_draft *self, GError **error);   /* security.c */
gboolean plan_add_devices(plan_draft *self, GError **error);    /* devices.c */
/* appearance.c: the variables by which programs find what plan_add_appearance() has mounted. */
void plan_add_appearance_env(const plan_draft *self, json_t *env);
void plan_add_env(plan_draft *self);                     /* env.c */
void plan_add_process(plan_draft *self);                 /* process.c: entrypoint, user … */
gboolean plan_add_raw(plan_draft *self, GError **error); /* raw.c */

/* devices.c: plan_judge_device() on FACTS; *REAL points into them. */
const char *plan_device_refused(const plan_facts *facts, const char *source, const char **real);

#define PLAN_TUN "/dev/net/tun"

/* Paths in the box's data folder that plan_prepare() fills and the request names. */
#define PLAN_DATA_ROOT "root"
#define PLAN_DATA_ETC "etc"
#define PLAN_DATA_OVERLAY "overlay"
#define PLAN_DATA_HIDDEN_FOLDER "empty/hidden-folder"
#define PLAN_DATA_HIDDEN_FILE "empty/hidden-file"
#define PLAN_DATA_EMPTY_FILE "empty/file"
#define PLAN_DATA_NESTED "nested"
#define PLAN_DATA_LOOK "look"
char *plan_data(const plan_box *box, const char *tail);

/* env.c: the value of NAME in the environment of BOX's image, or NULL. */
const char *plan_image_variable(const plan_box *box, const char *name);
