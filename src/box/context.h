/* The build context: a folder as a tar stream, for Podman's build. */
#pragma once

#include "common/error.h"

typedef struct {
    int fd;   /* where the tar comes out */
    GPid tar; /* the process that writes it */
} context;

/*
 * Starts tar(1) on FOLDER. It follows no symlink, so that nothing outside of the folder can get in.
 * context_end() waits for it; FALSE when it failed.
 */
gboolean context_begin(context *self, const char *folder, GError **error);
gboolean context_end(context *self, GError **error);
