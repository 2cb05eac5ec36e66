/*
 * RUN --mount in the Containerfile of a project, with a Podman that does not keep the source of a
 * mount in the build: it follows links to any file of the user on the host. A box can put them into
 * the context, and a step into an image (CVE-2024-1753, CVE-2024-11218) or into a cache, of which
 * another one may lie in it (CVE-2024-9675).
 */
#pragma once

#include <glib.h>

#include "box/lifecycle/image_source.h"
#include "podman/podman.h"

/* The first Podman that has all of it mended; others may have it from their distribution, which
 * they do not say. */
#define RUN_MOUNTS_MAJOR 5
#define RUN_MOUNTS_MINOR 4

/*
 * TRUE: no instruction in LENGTH bytes of CONTENTS has options of RUN but "--network=none|default".
 * What may be an instruction to some parser counts as one: with either escape character, quoted,
 * split, and after ONBUILD. FALSE: *FOUND is the start of one, a new string that is safe to show.
 */
gboolean run_mounts_are_harmless(const char *contents, gsize length, char **found);

/*
 * The same file, a new string, with the names of images in place of variables in FROM: so that it
 * is certain that no FROM opens an archive, which a box may have written, and whose steps (ONBUILD)
 * nobody has seen. NULL: *FOUND is the start of one that does, or that is not written as most do.
 */
char *run_mounts_name_images(const char *contents, gsize length, char *const *args, char **found);

/* What such a Podman may build. */

/* TRUE: this one does not, or FROM is nothing that a project or box has chosen. */
gboolean image_mounts_are_safe(podman_client *server, const image_source *from);
/*
 * What to build in place of FROM's Containerfile, new; NULL with ERROR: its steps may mount
 * something. With it no image may be pulled any more, once image_mounts_check_images() has
 * returned.
 */
GBytes *image_mounts_check_file(podman_client *server, const image_source *from, GError **error);
/* FALSE with ERROR: an image that SERVER, which builds, has brings a step that mounts something. It
 * is not known which images a build will start from. */
gboolean image_mounts_check_images(podman_client *server, GError **error);
