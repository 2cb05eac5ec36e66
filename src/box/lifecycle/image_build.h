/* What an image is built from: its files as a tar stream, and the network that its steps reach. */
#pragma once

#include <glib.h>

#include "box/helpers/gate.h"
#include "box/session/notice_listener.h"
#include "podman/build_network.h"
#include "podman/podman.h"

typedef struct {
    int fd;   /* to read the tar from */
    GPid tar; /* the process that writes it */
} build_context;

/*
 * Starts tar(1) on FOLDER, a descriptor, without the paths LEFT_OUT (relative to it,
 * NULL-terminated; or NULL) and without any .git, whose history may hold what the folder no longer
 * does. It does not follow symbolic links, so it packs only what is in FOLDER. If COPY is not NULL,
 * a folder, its files take the places of FOLDER's: FILE, the Containerfile (a path below both), and
 * those that build_context_ignore_files() names. Call build_context_close() after TRUE.
 */
gboolean build_context_open(build_context *self, int folder, char *const *left_out,
                            const char *copy, const char *file, GError **error);
/*
 * By which files, relative to the context, Podman leaves others out of an image that is built from
 * FILE; a new list. It opens them on the host, and before version 5 follows links to any file
 * there (CVE-2022-4122); a FIFO keeps it waiting for ever.
 */
char **build_context_ignore_files(const char *file);
/*
 * How many bytes the tar of the folder at PATH may have at most, many times what it takes on the
 * disk; 0: any number. A sparse file, which a box makes at no cost, becomes zeros in the tar, and
 * on Podman's disk.
 */
gint64 build_context_max(const char *path);
/* Waits for tar. FALSE with ERROR when it failed. */
gboolean build_context_close(build_context *self, GError **error);

/*
 * What the steps of a build reach, where the box does not have an open network: with mode
 * "filtered" what the box reaches, through a gate of their own; with "none" nothing.
 */

typedef struct {
    const struct box *box; /* NULL: the network is open */
    build_network *network;
    gboolean wants_gate, has_gate, is_broken;
    notice_listener notices; /* of questions of the steps */
} build_access;

/* For a build for OF under the network of LIMITS; NULL: an open one. FALSE with ERROR: nothing must
 * be built. */
gboolean build_access_open(build_access *self, const struct box *of, const settings *limits,
                           GError **error);
/* Sets the network of REQUEST. */
void build_access_apply(const build_access *self, podman_build *request);
/* To be called while the build runs: keeps the gate running, and cancels the build when that fails
 * (podman_cancel()). A new string to show, "box: …" lines; NULL: nothing. */
char *build_access_tick(build_access *self);
void build_access_clear(build_access *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(build_access, build_access_clear)
