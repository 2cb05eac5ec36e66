#include "init/reserve_names.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What tools that lock a file by a new one beside it append, and then rename to the name itself. */
static const char lock[] = ".lock";

/* Letters count for both cases: the project may lie in a folder where names do too. */
static int same(const char *a, const char *b, size_t length)
{
    return strncasecmp(a, b, length) == 0;
}

int reserve_is_named(const char *name, size_t length, const char *wanted)
{
    size_t known = strlen(wanted);
    if (length < known || !same(name, wanted, known))
        return 0;
    return length == known ||
           (length == known + strlen(lock) && same(name + known, lock, strlen(lock)));
}

static enum reserve_relation relate_one(const char *path, const char *whole, size_t length)
{
    size_t known = strlen(path);
    if (length >= known) {
        if (!same(path, whole, known))
            return RESERVE_FREE;
        return whole[known] == '/' || reserve_is_named(whole, length, path) ? RESERVE_WITHIN
                                                                            : RESERVE_FREE;
    }
    return path[length] == '/' && same(path, whole, length) ? RESERVE_ABOVE : RESERVE_FREE;
}

enum reserve_relation reserve_relate(const struct reserve_list *list, const char *folder,
                                     const char *name, size_t length)
{
    char whole[PATH_MAX + NAME_MAX + 2];
    int n = snprintf(whole, sizeof whole, "%s%s%.*s", folder, strcmp(folder, "/") ? "/" : "",
                     (int)length, name);
    enum reserve_relation found = RESERVE_FREE;
    if (n < 0 || (size_t)n >= sizeof whole)
        return RESERVE_FREE; /* a name that the kernel does not take */
    for (int i = 0; i < list->count && found != RESERVE_WITHIN; i++) {
        enum reserve_relation relation = relate_one(list->paths[i], whole, (size_t)n);
        if (relation != RESERVE_FREE)
            found = relation;
    }
    return found;
}

static int resembles_one(const struct reserve_list *list, const char *name, size_t length)
{
    for (int i = 0; i < list->count; i++) {
        if (reserve_is_named(name, length, strrchr(list->paths[i], '/') + 1))
            return 1;
    }
    return 0;
}

int reserve_resembles(const struct reserve_list *list, const char *folder, const char *name,
                      size_t length)
{
    if (resembles_one(list, name, length))
        return 1;
    while (*folder) {
        size_t part = strcspn(folder, "/");
        if (part && resembles_one(list, folder, part))
            return 1;
        folder += part + (folder[part] == '/');
    }
    return 0;
}
