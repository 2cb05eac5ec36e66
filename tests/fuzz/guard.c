/*
 * What the guard of a box judges of a hostile process: names, and the text of its /proc status. The
 * input is a byte for the wanted name, then a name, a line end, a folder, a line end, a status.
 */
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/guard/caller.h"
#include "guest/guard/name_folding.h"
#include "guest/guard/protected_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {"/home/me/shop/.git/config", "/home/me/shop/.vscode",
                                    "/home/me/shop/litterbox.toml", "/home/me/shop/.git/hooks"};
#define PATHS (sizeof paths / sizeof *paths)
static struct protected_names list;

/* A copy of the line at *TEXT, which it steps over: exact, so that a byte too far shows. */
static char *line(const uint8_t **text, const uint8_t *end)
{
    const uint8_t *stop = memchr(*text, '\n', (size_t)(end - *text));
    size_t length = (size_t)((stop ? stop : end) - *text);
    char *copy = malloc(length + 1);
    memcpy(copy, *text, length);
    copy[length] = '\0';
    *text = stop ? stop + 1 : end;
    return copy;
}

static void fold(const char *name, size_t length, const char *wanted)
{
    struct name_set set = {0};
    char *exact = malloc(length ? length : 1); /* without a NUL behind it */
    memcpy(exact, name, length);
    int same = name_is_same(exact, length, wanted, strlen(wanted));
    assert(same == 0 || same == 1);
    assert(same || length != strlen(wanted) || memcmp(name, wanted, length) != 0);
    assert(!same || name_may_be(exact, length, wanted, strlen(wanted)));
    assert(!same || protected_names_match(exact, length, wanted));
    name_set_add(&set, wanted, strlen(wanted));
    assert(name_may_be(exact, length, wanted, strlen(wanted)) <=
           name_set_may_hold(&set, exact, length));
    free(exact);
}

/* What lies below a protected path is protected, whatever it is called. */
static void relate(const char *folder, const char *name)
{
    size_t length = strcspn(name, "/");
    protected_names_relate(&list, folder, name, length);
    for (size_t i = 0; i < PATHS && length && length <= NAME_MAX; i++) {
        assert(protected_names_relate(&list, paths[i], name, length) == GUARD_WITHIN);
        assert(protected_names_resemble(&list, paths[i], name, length));
    }
    protected_names_resemble(&list, folder, name, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct guard_status status;
    if (size < 1)
        return 0;
    if (!list.all)
        assert(protected_names_compile(&list, paths, PATHS) == 0);
    const uint8_t *at = data + 1, *end = data + size;
    const char *wanted = strrchr(paths[data[0] % PATHS], '/') + 1;
    char *name = line(&at, end), *folder = line(&at, end), *text = malloc((size_t)(end - at) + 1);
    memcpy(text, at, (size_t)(end - at));
    text[end - at] = '\0';
    fold(name, strlen(name), wanted);
    relate(folder, name);
    if (guard_status_parse(&status, text) == 0)
        assert(status.group_count >= 0 && status.group_count <= GUARD_GROUPS_MAX &&
               status.level_count > 0 && status.level_count <= GUARD_LEVELS_MAX);
    free(name);
    free(folder);
    free(text);
    return 0;
}
