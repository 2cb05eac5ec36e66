/*
 * From settings to Podman's create request.
 *
 * plan_facts is everything that has to be looked up on the machine (the user, the project's files,
 * what the host's /etc holds, Podman's version); facts.c looks, the rest of this folder computes:
 * plan_make() touches nothing. So a test can hold any settings against any machine.
 *
 * Inside a box:
 *   PROJECT                      the project, at the host's path
 *   HOME (the host's path)       the box's private home
 *   /run/litterbox               tmpfs, 0755
 *   /run/litterbox/bin           our shims (sudo …) and the box's bus, read-only, first in PATH
 *   /run/litterbox/ssh           the folder of the box's SSH agent socket, read-only
 *   /run/litterbox/desktop       the folder of the box's desktop sockets and X11 cookie, read-only
 *   /run/litterbox/look          what says how the user's desktop looks: files of ours, read-only
 *   /run/litterbox/share         fonts, icons and themes of the user and the host, read-only
 *   /run/litterbox/root          tmpfs, 0700, root of the box alone may enter
 *   /run/litterbox/root/init     box-init, read-only: PID 1
 *   /run/litterbox/root/ctl      the folder of the control socket, from the runtime folder
 *   /run/user/UID                $XDG_RUNTIME_DIR of sessions, on a tmpfs; box-init makes it,
 *                                and the socket of the box's session bus in it (init/bus.h)
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
#define PLAN_LOOK PLAN_RUN "/look"
#define PLAN_SHARE PLAN_RUN "/share"
/* The folder of the X11 socket, where every X client looks for it. */
#define PLAN_X11 "/tmp/.X11-unix"
#define PLAN_ROOT PLAN_RUN "/root"
#define PLAN_INIT PLAN_ROOT "/init"
#define PLAN_CTL PLAN_ROOT "/ctl"

/* Labels of every container of ours. */
#define PLAN_LABEL_BOX "litterbox.box"           /* the box's name */
#define PLAN_LABEL_PROJECT "litterbox.project"   /* absolute path */
#define PLAN_LABEL_PLAN "litterbox.plan"         /* plan_hash of the request, for drift */
#define PLAN_LABEL_ACCESS "litterbox.access"     /* plan_access_hash of it */
#define PLAN_LABEL_INSTANCE "litterbox.instance" /* paths_instance(), "" for the user's own */

/* Which box a plan is for; all owned by the caller, absolute paths. */
typedef struct {
    const char *name;             /* "shop" */
    const char *container;        /* "litterbox-shop" */
    const char *instance;         /* "" or a test's prefix */
    const char *project;          /* real path on the host */
    const char *home;             /* private home on the host */
    const char *data;             /* the box's folder below paths_data: etc/, overlay/, empty/ */
    const char *runtime;          /* the box's folder below paths_runtime; ctl/ is mounted */
    const char *ssh;              /* the folder of its SSH agent socket on the host; NULL: none */
    const char *image;            /* resolved image reference; NULL: the host image */
    const char *const *image_env; /* the image's "K=V", for its PATH; or NULL */
    const char *const *projects;  /* of all boxes of the user, which write there; or NULL */
    const char *const *only;      /* box run --file: the only project paths shown; NULL: all */
} plan_box;

typedef struct plan_facts plan_facts; /* facts.h */
void plan_facts_free(plan_facts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(plan_facts, plan_facts_free)

/*
 * Looks at this machine for BOX. PODMAN_VERSION such as "4.3.1". Follows no symlink that a box
 * could have planted in the project.
 */
plan_facts *plan_facts_collect(const plan_box *box, const settings *wanted,
                               const char *podman_version, GError **error);

typedef struct {
    json_t *request;     /* the body of POST /containers/create */
    GPtrArray *warnings; /* of char *: what is wanted and only partly to be had */
    GPtrArray *absent;   /* of char *: what is not there today; to be said at each start */
} plan;

void plan_free(plan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(plan, plan_free)

/* Computes. BOX_ERROR_CONFIG for what cannot be had (a mount over /run/litterbox, say). */
plan *plan_make(const plan_box *box, const settings *wanted, const plan_facts *facts,
                GError **error);

/*
 * Why no box may have what SOURCE, a path below /dev that may be a link, leads to now; NULL when
 * one may. *REAL is the path of that device, a new string; NULL when nothing is there.
 */
const char *plan_judge_device(const char *source, char **real);

/* The nodes of this machine's GPUs that WANTED means, as far as they are there. */
char **plan_gpu_nodes(settings_gpu wanted);

/* TRUE when PATH is FOLDER or lies below it. Both absolute and clean. */
gboolean plan_is_below(const char *path, const char *folder);
/* TRUE when one of the two is below the other. */
gboolean plan_overlaps(const char *path, const char *other);

/* SHA-256 in hex of the canonical request, the label that holds it left out. */
char *plan_hash(const json_t *request);
/*
 * The same of those parts of REQUEST that decide what the box may do to the machine. Left out are
 * image and variables, when the box stops by itself, which folders with fonts and themes there are,
 * and what hangs on which protected paths below PROJECT exist: their mounts and the reserved names
 * (plan_covers() compares those).
 */
char *plan_access_hash(const json_t *request, const char *project);
/* TRUE when each name that NOW, a box-init's arguments, reserves is reserved by THEN, or lies below
 * such a name. */
gboolean plan_covers(const json_t *then, const json_t *now);

/*
 * Writes what the plan mounts from BOX's data folder (etc/ with passwd, group, hosts, resolv.conf
 * …; root/, the empty root with its links for the host image; empty/, what hides things; overlay/;
 * look/, how the user's desktop looks)
 * and the mount points inside the private home. Follows no link that a box planted in its home.
 * Idempotent, atomic. Call it before create and again before each start: the host's /etc changes.
 */
gboolean plan_prepare(const plan_box *box, const settings *wanted, const plan_facts *facts,
                      GError **error);
