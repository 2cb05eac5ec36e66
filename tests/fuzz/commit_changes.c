/* What git prints of commits that a box has made. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "box/branch/commit_changes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const commit_change *change, void *unused)
{
    (void)unused;
    assert(*change->path && change->mode <= 0777777);
    assert(git_object_is_valid(change->commit, strlen(change->commit)));
    assert(git_object_is_valid(change->object, strlen(change->object)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    commit_changes_parse(exact, size, check, NULL);
    free(exact);
    return 0;
}
