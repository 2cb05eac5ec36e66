#include "guest/guard/names.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "guest/guard/fold.h"

/* What tools append that write a file anew beside it, and then rename that to the name itself. */
static const char *const endings[] = {"", ".lock", ".vsctmp", "___jb_tmp___", "___jb_old___"};

int guard_is_named(const char *name, size_t length, const char *wanted)
{
    char whole[NAME_MAX + 32];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        int n = snprintf(whole, sizeof whole, "%s%s", wanted, endings[i]);
        if (n > 0 && (size_t)n < sizeof whole && guard_fold_same(name, length, whole, (size_t)n))
            return 1;
    }
    return 0;
}

/* The next part of *PATH, which it steps over; 0 when there is none. */
static size_t part(const char **path, const char **name)
{
    *name = *path + strspn(*path, "/");
    size_t length = strcspn(*name, "/");
    *path = *name + length;
    return length;
}

static enum guard_relation relate_one(const char *path, const char *whole)
{
    for (;;) {
        const char *wanted, *name;
        size_t known = part(&path, &wanted), length = part(&whole, &name);
        if (!known)
            return GUARD_WITHIN;
        if (!length)
            return GUARD_ABOVE;
        if (!guard_fold_same(name, length, wanted, known))
            return !*path && !*whole && guard_is_named(name, length, wanted) ? GUARD_WITHIN
                                                                             : GUARD_FREE;
    }
}

enum guard_relation guard_relate(const struct guard_list *list, const char *folder,
                                 const char *name, size_t length)
{
    char whole[PATH_MAX + NAME_MAX + 2];
    int n = snprintf(whole, sizeof whole, "%s%s%.*s", folder, strcmp(folder, "/") ? "/" : "",
                     (int)length, name);
    enum guard_relation found = GUARD_FREE;
    if (n < 0 || (size_t)n >= sizeof whole)
        return GUARD_FREE; /* a name that the kernel does not take */
    for (int i = 0; i < list->count && found != GUARD_WITHIN; i++) {
        enum guard_relation relation = relate_one(list->paths[i], whole);
        if (relation != GUARD_FREE)
            found = relation;
    }
    return found;
}

static int resembles_one(const struct guard_list *list, const char *name, size_t length)
{
    for (int i = 0; i < list->count; i++) {
        if (guard_is_named(name, length, strrchr(list->paths[i], '/') + 1))
            return 1;
    }
    return 0;
}

int guard_resembles(const struct guard_list *list, const char *folder, const char *name,
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
