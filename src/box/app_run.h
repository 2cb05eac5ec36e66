/* What a menu entry of ours runs. */
#pragma once

#include "box/registry/registry.h"

/*
 * Runs the program of the entry ID in SELF, which is started when it does not run, with FILES
 * (paths, or file: URIs, in the project). Returns an exit status, or -1 with ERROR.
 */
int app_run(box *self, const char *id, char *const *files, GError **error);

/* Shows what went wrong to who has clicked in a menu, and has no terminal that says so. */
void app_run_explain(const char *id, const char *what);
