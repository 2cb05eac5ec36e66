/* The index of a git repository, which a box may have written. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "box/registry/git_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const git_index_entry *entry, void *unused)
{
    (void)unused;
    assert(*entry->path && strlen(entry->path) <= 4096);
    assert(strlen(entry->object) == GIT_OBJECT_ID_LENGTH && entry->stage < 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    git_index_parse(exact, size, check, NULL);
    free(exact);
    return 0;
}
