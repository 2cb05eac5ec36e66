/*
 * From settings to Podman's create request, in three steps:
 *
 *   probe_*.c    plan_facts_collect() looks at the machine: the user, the project's files, the
 *                host's /etc, Podman's version. The result is plain data (facts.h).
 *   request_*.c  plan_make() computes the request from box, settings and facts (request.h). It
 *                touches nothing, so that a test can compute any settings for any machine.
 *   prepare_*.c  plan_prepare() writes the files and folders that the request mounts (prepare.h).
 *
 * Inside a box:
 *   PROJECT                      the project, at the host's path
 *   HOME (the host's path)       the box's private home
 *   /run/litterbox               tmpfs, 0755
 *   /run/litterbox/bin           the shims (sudo …) and the box's bus, read-only, first in PATH
 *   /run/litterbox/ssh           the folder of the box's SSH agent socket, read-only
 *   /run/litterbox/desktop       the folder of the box's desktop sockets and X11 cookie, read-only
 *   /run/litterbox/appearance    generated settings of the desktop's appearance, read-only
 *   /run/litterbox/git           git's system configuration: who the user is, read-only
 *   /run/litterbox/dotfiles      the folder of home.dotfiles, read-only
 *   /run/litterbox/share         fonts, icons and themes of the user and the host, read-only
 *   /run/litterbox/tools         programs that boxes share (box/registry/tools.h), read-only; in a
 *                                box that installs one, its new folder below
 *   /run/litterbox/root          tmpfs, 0700, which only root of the box may enter
 *   /run/litterbox/root/init     box-init, read-only: PID 1
 *   /run/litterbox/root/ctl      the folder of the control socket, from the runtime folder
 *   /run/litterbox/root/layers   until a branch starts: its layers, which box/lifecycle/layers.c
 *                                mounts
 *   /run/litterbox/root/overlay  until the box starts: the changes of its overlays, likewise
 *   /run/user/UID                $XDG_RUNTIME_DIR of sessions, on a tmpfs; box-init creates it
 *                                with the socket of the session bus
 *                                (guest/init/session_bus.h)
 *   /tmp/.X11-unix               the folder of the box's X11 socket, read-only
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "common/error.h"
#include "config/settings.h"

#define PLAN_RUN "/run/litterbox"
#define PLAN_RUN_USER "/run/user"
#define PLAN_BIN PLAN_RUN "/bin"
#define PLAN_SSH PLAN_RUN "/ssh"
#define PLAN_SSH_SOCKET PLAN_SSH "/socket"
#define PLAN_DESKTOP PLAN_RUN "/desktop"
#define PLAN_APPEARANCE PLAN_RUN "/appearance"
#define PLAN_GIT PLAN_RUN "/git"
#define PLAN_GIT_CONFIG PLAN_GIT "/config"
#define PLAN_CERTIFICATES PLAN_RUN "/certificates" /* of a box with a filtered network */
#define PLAN_CERTIFICATES_FILE "bundle.pem"        /* in it, while the box has a secret */
#define PLAN_CERTIFICATES_JAVA "cacerts"          /* the same for Java (box/helpers/java_store.h) */
#define PLAN_CERTIFICATES_P11_KIT "trust.p11-kit" /* and p11-kit (box/helpers/trust_files.h) */
/* What ssh reads besides ssh_known_hosts, which is the image's own. */
#define PLAN_KNOWN_HOSTS "/etc/ssh/ssh_known_hosts2"
#define PLAN_DOTFILES PLAN_RUN "/dotfiles"
#define PLAN_SHARE PLAN_RUN "/share"
#define PLAN_TOOLS PLAN_RUN "/tools"
#define PLAN_X11 "/tmp/.X11-unix" /* where X clients look for the server's socket */
#define PLAN_ROOT PLAN_RUN "/root"
#define PLAN_INIT PLAN_ROOT "/init"
#define PLAN_CTL PLAN_ROOT "/ctl"
#define PLAN_LAYERS PLAN_ROOT "/layers"

/* Labels of every container of Litterbox. */
#define PLAN_LABEL_BOX "litterbox.box"           /* the box's name */
#define PLAN_LABEL_PROJECT "litterbox.project"   /* absolute path */
#define PLAN_LABEL_PLAN "litterbox.plan"         /* plan_hash of the request, to find drift */
#define PLAN_LABEL_ACCESS "litterbox.access"     /* plan_access_hash of the request */
#define PLAN_LABEL_INSTANCE "litterbox.instance" /* paths_instance(); "" outside of tests */
/* ID of the image below that of a snapshot (box_layer). */
#define PLAN_LABEL_BASE "litterbox.base"

/* Which box a plan is for. The caller owns all strings; paths are absolute. */
typedef struct {
    const char *name;             /* "shop" */
    const char *container;        /* "litterbox-shop" */
    const char *instance;         /* "" or a test's prefix */
    const char *project;          /* real path on the host */
    const char *home;             /* private home on the host */
    const char *data;             /* the box's folder below paths_data(): see PLAN_DATA_… */
    const char *runtime;          /* the box's folder below paths_runtime(); ctl/ is mounted */
    const char *ssh;              /* folder of the box's SSH agent socket on the host, or NULL */
    const char *tools;            /* folder of the shared programs on the host, or NULL */
    const char *installs;         /* path below PLAN_TOOLS of a box that installs one: TOOLS is the
                                     folder for it alone, writable; or NULL */
    const char *image;            /* resolved image reference; NULL: the host image */
    const char *const *image_env; /* the image's "K=V"; or NULL */
    const char *const *writable;  /* registry_writable_folders(): of all boxes of the user */
    const char *const *only;      /* box run --file: the only project paths shown; NULL: all */
    gboolean is_branch;           /* writes to copies of project and git folder (plan_layer) */
    gboolean copies_home;         /* and of the home */
} plan_box;

/*
 * What a branch sees as a copy-on-write copy: a folder of the host, mounted read-only, that an
 * overlay (the kernel's filesystems/overlayfs.rst) is mounted on before the box starts. In the
 * box's data folder, PLAN_DATA_LAYERS/NAME/ has
 *   at       the absolute path, in the box and on the host
 *   upper/   what the branch has changed
 *   work/    the kernel's
 *   mask/    whiteouts (character devices 0:0) of what the branch may not see
 *
 * Where the file system cannot hold an overlay's upper folder, a layer is a copy: there is a file
 * PLAN_DATA_COPIES/NAME, and upper/ has all files of the host's folder that the branch may see
 * (box/lifecycle/branch_copies.h).
 */
enum plan_layer { PLAN_LAYER_HOME, PLAN_LAYER_PROJECT, PLAN_LAYER_GIT, N_PLAN_LAYERS };
/* "home"; in the order in which they are mounted. */
extern const char *const plan_layer_names[N_PLAN_LAYERS];

/* Names in the box's data folder. */
#define PLAN_DATA_ROOT "root"                 /* root folder of a box on the host image */
#define PLAN_DATA_ETC "etc"                   /* hosts, resolv.conf, profile.sh */
#define PLAN_DATA_OVERLAY "overlay"           /* changes of overlays; mounted in PLAN_ROOT */
#define PLAN_DATA_LAYERS "layers"             /* of a branch; mounted at PLAN_LAYERS */
#define PLAN_DATA_COPIES "copies"             /* of a branch; no box sees it */
#define PLAN_DATA_APPEARANCE "appearance"     /* mounted at PLAN_APPEARANCE */
#define PLAN_DATA_GIT "git"                   /* mounted at PLAN_GIT */
#define PLAN_DATA_CERTIFICATES "certificates" /* mounted at PLAN_CERTIFICATES */
#define PLAN_DATA_KNOWN_HOSTS "etc/known_hosts"
#define PLAN_DATA_HOME_IS_NEW "home-is-new"   /* until a first session has filled it */
#define PLAN_DATA_HOME_IS_SET_UP "setup-done" /* [home] setup has succeeded */
#define PLAN_DATA_REMOTE_HOSTS "remote-hosts" /* names that the project's remotes had at first */
#define PLAN_DATA_NESTED "nested"             /* mount point of a second /proc */
#define PLAN_DATA_EMPTY_FILE "empty/file"     /* covers credentials of toolchains */
#define PLAN_DATA_HIDDEN_FOLDER "empty/hidden-folder"
#define PLAN_DATA_HIDDEN_FILE "empty/hidden-file"
char *plan_data_path(const plan_box *box, const char *name);
/* The folder with upper/ and work/ of the overlay on TARGET, for a mount with mode "overlay": below
 * the data folder and, until the box starts, PLAN_ROOT. */
char *plan_overlay_name(const char *target);

/* TRUE for a "K=V" in UTF-8. A plan leaves out every other entry of an image's environment. */
gboolean plan_image_variable_is_complete(const char *line);

typedef struct plan_facts plan_facts; /* facts.h */
void plan_facts_free(plan_facts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(plan_facts, plan_facts_free)

/*
 * Step 1: probes this machine for BOX. PODMAN_VERSION such as "4.3.1". Follows no symbolic link
 * that a box could have made in the project.
 */
plan_facts *plan_facts_collect(const plan_box *box, const settings *wanted,
                               const char *podman_version, GError **error);

typedef struct {
    json_t *request;     /* the body of POST /containers/create */
    GPtrArray *warnings; /* of char *: settings that have no or only partial effect */
    GPtrArray *absent; /* of char *: devices that are missing today, for a message at each start */
    char *layers[N_PLAN_LAYERS]; /* where each is mounted; NULL: it is not copied */
} plan;

void plan_free(plan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(plan, plan_free)

/* Step 2. BOX_ERROR_CONFIG for settings that no box may have, such as a mount on /run/litterbox. */
plan *plan_make(const plan_box *box, const settings *wanted, const plan_facts *facts,
                GError **error);

/*
 * Step 3: writes the files in BOX's data folder and creates the mount points in the private home.
 * Follows no symbolic link that a box made in its home. Idempotent; each file is replaced
 * atomically. Call it before create and before each start, because the host's /etc changes.
 */
gboolean plan_prepare(const plan_box *box, const settings *wanted, const plan_facts *facts,
                      GError **error);

/*
 * Why no box may have the device that SOURCE, a path below /dev that may be a symbolic link, leads
 * to now: the end of a sentence that starts with the path; NULL when a box may. *REAL is the path
 * of that device, a new string; NULL when it is missing.
 */
const char *plan_check_device(const char *source, char **real);

/* Paths of this machine's GPU nodes that WANTED means; empty when there are none. */
char **plan_gpu_nodes(enum gpu_access wanted);

/*
 * Why no box can have FOLDER (absolute and clean) as its project: the end of a sentence that starts
 * with the path; NULL when one can. HOME is the user's, PRIVATE_PATHS those of
 * plan_private_paths(), or NULL.
 */
const char *plan_project_refusal(const char *folder, const char *home, char *const *private_paths);
/* Files of Litterbox and Podman and sockets of the desktop, which no box may see; a new list. */
char **plan_private_paths(void);

/* TRUE when one of the two is below the other. */
gboolean plan_overlaps(const char *path, const char *other);

/* SHA-256 in hex of the canonical request without PLAN_LABEL_PLAN. */
char *plan_hash(const json_t *request);
/*
 * SHA-256 in hex of the parts of REQUEST that decide what the box may do to the machine. Without
 * image, environment, idle stop, the folders with fonts and themes, the shared programs, and the
 * mounts and reserved names of those protected paths below PROJECT that exist today
 * (plan_reserves_all() compares the names).
 */
char *plan_access_hash(const json_t *request, const char *project);
/*
 * TRUE when OLD reserves every name that NEW reserves, or a folder above it. Both are arguments of
 * box-init.
 */
gboolean plan_reserves_all(const json_t *old, const json_t *new);
