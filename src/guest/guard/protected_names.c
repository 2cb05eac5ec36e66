#include "guest/guard/protected_names.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "guest/guard/name_folding.h"

/* What tools append that write a file anew beside it, and then rename that to the name itself. */
static const char *const endings[] = {"", ".lock", ".vsctmp", "___jb_tmp___", "___jb_old___"};

static int matches(const char *name, size_t length, const char *wanted, size_t known)
{
    char whole[NAME_MAX + 32];
    if (!name_may_be(name, length, wanted, known) || known > NAME_MAX)
        return 0;
    memcpy(whole, wanted, known);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        memcpy(whole + known, endings[i], ending);
        if (name_is_same(name, length, whole, known + ending))
            return 1;
    }
    return 0;
}

int protected_names_match(const char *name, size_t length, const char *wanted)
{
    return matches(name, length, wanted, strlen(wanted));
}

static size_t folder_length(const char *path)
{
    return (size_t)(strrchr(path, '/') - path);
}

static int by_folder(const void *a, const void *b)
{
    const char *one = ((const struct protected_name *)a)->path;
    const char *other = ((const struct protected_name *)b)->path;
    size_t length = folder_length(one), other_length = folder_length(other);
    int order = memcmp(one, other, length < other_length ? length : other_length);
    if (order)
        return order;
    return length == other_length ? strcmp(one, other) : length < other_length ? -1 : 1;
}

int protected_names_compile(struct protected_names *self, const char *const *paths, int count)
{
    size_t room = count ? (size_t)count : 1;
    *self = (struct protected_names){.all = calloc(room, sizeof *self->all),
                                     .count = count,
                                     .folders = calloc(room, sizeof *self->folders)};
    if (!self->all || !self->folders) {
        protected_names_release(self);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        const char *name = strrchr(paths[i], '/') + 1;
        self->all[i] = (struct protected_name){paths[i], name, strlen(name)};
        name_set_add(&self->set, name, self->all[i].length);
    }
    qsort(self->all, (size_t)count, sizeof *self->all, by_folder);
    struct protected_folder *folder = NULL;
    for (int i = 0; i < count; i++) {
        const char *path = self->all[i].path;
        size_t length = folder_length(path);
        if (!folder || folder->length != length || memcmp(folder->path, path, length) != 0) {
            folder = &self->folders[self->folder_count++];
            *folder = (struct protected_folder){path, length, &self->all[i], 0};
        }
        folder->count++;
    }
    return 0;
}

void protected_names_release(struct protected_names *self)
{
    free(self->all);
    free(self->folders);
    *self = (struct protected_names){0};
}

/* The next part of the path from *AT to END, which it steps over; 0 when there is none. */
static size_t part(const char **at, const char *end, const char **name)
{
    while (*at < end && **at == '/')
        (*at)++;
    *name = *at;
    while (*at < end && **at != '/')
        (*at)++;
    return (size_t)(*at - *name);
}

static int same_part(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return (a_length == b_length && memcmp(a, b, a_length) == 0) ||
           name_is_same(a, a_length, b, b_length);
}

/* Of NAME in the folder itself, which may be like one of its names. */
static enum guard_relation relate_name(const struct protected_folder *self, const char *name,
                                       size_t length)
{
    for (int i = 0; i < self->count; i++) {
        if (matches(name, length, self->names[i].name, self->names[i].length))
            return GUARD_WITHIN;
    }
    return GUARD_FREE;
}

/* Of anything below NAME, which lies in the folder itself. */
static enum guard_relation relate_below(const struct protected_folder *self, const char *name,
                                        size_t length)
{
    for (int i = 0; i < self->count; i++) {
        if (same_part(name, length, self->names[i].name, self->names[i].length))
            return GUARD_WITHIN;
    }
    return GUARD_FREE;
}

static enum guard_relation relate_folder(const struct protected_folder *self,
                                         const struct name_set *set, const char *folder,
                                         const char *name, size_t length)
{
    const char *path = self->path, *path_end = path + self->length;
    const char *folder_end = folder + strlen(folder);
    for (;;) {
        const char *wanted, *here;
        size_t known = part(&path, path_end, &wanted), found = part(&folder, folder_end, &here);
        if (!known && !name_set_may_hold(set, found ? here : name, found ? found : length))
            return GUARD_FREE;
        if (!known)
            return found ? relate_below(self, here, found) : relate_name(self, name, length);
        if (!found)
            return same_part(name, length, wanted, known) ? GUARD_ABOVE : GUARD_FREE;
        if (!same_part(here, found, wanted, known))
            return GUARD_FREE;
    }
}

enum guard_relation protected_names_relate(const struct protected_names *self, const char *folder,
                                           const char *name, size_t length)
{
    enum guard_relation found = GUARD_FREE;
    for (int i = 0; i < self->folder_count && found != GUARD_WITHIN; i++) {
        enum guard_relation relation =
            relate_folder(&self->folders[i], &self->set, folder, name, length);
        if (relation != GUARD_FREE)
            found = relation;
    }
    return found;
}

static int resembles_one(const struct protected_names *self, const char *name, size_t length)
{
    if (!length || !name_set_may_hold(&self->set, name, length))
        return 0;
    for (int i = 0; i < self->count; i++) {
        if (matches(name, length, self->all[i].name, self->all[i].length))
            return 1;
    }
    return 0;
}

int protected_names_resemble(const struct protected_names *self, const char *folder,
                             const char *name, size_t length)
{
    const char *end = folder + strlen(folder), *here;
    size_t found;
    if (resembles_one(self, name, length))
        return 1;
    while ((found = part(&folder, end, &here)) > 0) {
        if (resembles_one(self, here, found))
            return 1;
    }
    return 0;
}
