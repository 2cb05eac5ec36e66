/* The files of a build as a tar stream. */
#pragma once

#include <glib.h>

typedef struct {
    int fd;   /* to read the tar from */
    GPid tar; /* the process that writes it */
} build_context;

/*
 * Starts tar(1) on FOLDER, a descriptor, without the paths LEFT_OUT (relative to it,
 * NULL-terminated; or NULL) and without any .git, whose history may hold what the folder no longer
 * does. It does not follow symbolic links, so it packs only what is in FOLDER. If COPY is not NULL,
 * a folder, its FILE (a path below both) takes the place of FOLDER's. Call build_context_close()
 * after TRUE.
 */
gboolean build_context_open(build_context *self, int folder, char *const *left_out,
                            const char *copy, const char *file, GError **error);
/* Waits for tar. FALSE with ERROR when it failed. */
gboolean build_context_close(build_context *self, GError **error);
