/* The fingerprints by which a container is held against its plan. */
#include "plan/draft.h"

#include <stdlib.h>
#include <string.h>

#define RESERVE "--reserve"

static char *hash_of(const json_t *value)
{
    char *text = json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT);
    char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text ? text : "", -1);

    free(text);
    return hash;
}

char *plan_hash(const json_t *request)
{
    /* Shallow copies are enough: only the labels object is changed, and it is replaced. */
    json_auto_t *copy = json_copy((json_t *)request);
    json_t *labels = json_object_get(copy, "labels");

    if (json_is_object(labels)) {
        json_t *rest = json_copy(labels);
        json_object_del(rest, PLAN_LABEL_PLAN);
        json_object_set_new(copy, "labels", rest);
    }
    return hash_of(copy);
}

static gboolean has_option(const json_t *mount, const char *name)
{
    json_t *option;
    gsize i;

    json_array_foreach (json_object_get(mount, "options"), i, option)
        if (g_strcmp0(json_string_value(option), name) == 0)
            return TRUE;
    return FALSE;
}

static const char *destination_of(const json_t *mount)
{
    const char *destination = json_string_value(json_object_get(mount, "destination"));

    return destination ? destination : "";
}

static gboolean is_open(const json_t *mounts, const char *project)
{
    json_t *mount;
    gsize i;

    json_array_foreach (mounts, i, mount)
        if (strcmp(destination_of(mount), project) == 0)
            return has_option(mount, "rw");
    return FALSE;
}

/* Which of the folders of [desktop] appearance there are today. What shows that there may be any is
 * the mount at PLAN_LOOK. */
static gboolean only_looks(const json_t *mount)
{
    const char *at = destination_of(mount);

    return plan_is_below(at, PLAN_SHARE) && has_option(mount, "ro");
}

/* A part of the project on itself that shows nothing and opens nothing that the project does not:
 * it only protects. OPEN: the project is writable. */
static gboolean only_protects(const json_t *mount, const char *project, gboolean open)
{
    const char *source = json_string_value(json_object_get(mount, "source"));
    const char *at = destination_of(mount);

    return g_strcmp0(source, at) == 0 && strcmp(at, project) != 0 && plan_is_below(at, project) &&
           (open || has_option(mount, "ro"));
}

static json_t *mounts_for_access(const json_t *mounts, const char *project)
{
    gboolean open = is_open(mounts, project);
    json_t *kept = json_array(), *mount;
    gsize i;

    json_array_foreach (mounts, i, mount)
        if (!only_protects(mount, project, open) && !only_looks(mount))
            json_array_append(kept, mount);
    return kept;
}

/* box-init's arguments without those that open nothing. */
static json_t *arguments_for_access(const json_t *arguments)
{
    static const char *const harmless[] = {RESERVE, "--idle", "--shell", "--workdir", NULL};
    json_t *kept = json_array(), *argument;
    gsize i;

    json_array_foreach (arguments, i, argument) {
        const char *text = json_string_value(argument);
        if (text && g_strv_contains(harmless, text))
            i++; /* its value */
        else
            json_array_append(kept, argument);
    }
    return kept;
}

char *plan_access_hash(const json_t *request, const char *project)
{
    static const char *const harmless[] = {"labels", "image", "env", "unsetenv"};
    json_auto_t *copy = json_copy((json_t *)request);

    for (gsize i = 0; i < G_N_ELEMENTS(harmless); i++)
        json_object_del(copy, harmless[i]);
    json_object_set_new(copy, "mounts",
                        mounts_for_access(json_object_get(request, "mounts"), project));
    json_object_set_new(copy, "command", arguments_for_access(json_object_get(request, "command")));
    return hash_of(copy);
}

/* The value of a --reserve at I, or NULL. */
static const char *reserved_at(const json_t *arguments, gsize i)
{
    const char *option = json_string_value(json_array_get(arguments, i));

    return g_strcmp0(option, RESERVE) == 0 ? json_string_value(json_array_get(arguments, i + 1))
                                           : NULL;
}

static gboolean is_reserved(const json_t *arguments, const char *path)
{
    for (gsize i = 0; i < json_array_size(arguments); i++) {
        const char *reserved = reserved_at(arguments, i);
        if (reserved && plan_is_below(path, reserved))
            return TRUE;
    }
    return FALSE;
}

gboolean plan_covers(const json_t *then, const json_t *now)
{
    for (gsize i = 0; i < json_array_size(now); i++) {
        const char *reserved = reserved_at(now, i);
        if (reserved && !is_reserved(then, reserved))
            return FALSE;
    }
    return TRUE;
}
