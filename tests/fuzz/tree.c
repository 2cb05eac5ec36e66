/*
 * Fuzzes the records of `box cp` (tree/tree.h), which a box sends: what is accepted has
 * names that are one part of a path, ordered data, and no more folders than there are descriptors
 * for.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tree/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const char *name, int in_top)
{
    assert(!strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
    assert(in_top || *name);
    assert(strlen(name) <= TREE_NAME_MAX);
}

/* One that stays is not absolute, and goes up less often than it is deep, before all names. */
static void check_link(const char *target, int depth)
{
    int up = 0;
    if (!tree_link_stays(target, depth))
        return;
    assert(*target != '/');
    char *copy = strdup(target), *rest = NULL;
    int named = 0;
    for (char *part = strtok_r(copy, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        if (strcmp(part, "..") == 0) {
            assert(!named);
            up++;
        } else if (strcmp(part, ".") != 0) {
            named = 1;
        }
    }
    free(copy);
    assert(up < depth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tree_state state = {0};
    struct tree_header header;
    while (size >= sizeof header) {
        uint64_t before = state.at;
        int in_top = !state.has_top, in_file = state.in_file;
        memcpy(&header, data, sizeof header);
        data += sizeof header;
        size -= sizeof header;
        if (tree_check_header(&state, &header) < 0 || header.length > size)
            return 0;
        assert(state.depth >= 0 && state.depth <= TREE_DEPTH_MAX);
        if (header.type == TREE_DATA)
            assert(in_file && header.offset >= before && state.at >= header.offset &&
                   state.at <= INT64_MAX);
        char *body = malloc(header.length + 1);
        const char *target = NULL;
        memcpy(body, data, header.length);
        body[header.length] = '\0';
        if (tree_check_body(&header, body, in_top, &target) == 0 && header.type <= TREE_LINK) {
            check_name(body, in_top);
            if (header.type == TREE_LINK) {
                assert(strlen(target) > 0 && strlen(target) <= TREE_TARGET_MAX);
                check_link(target, state.depth);
            }
        }
        free(body);
        data += header.length;
        size -= header.length;
    }
    return 0;
}
