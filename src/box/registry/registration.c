/* Registers, renames, moves and removes boxes, each with the registry's lock. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/registry/branch_names.h"
#include "box/registry/project_index.h"
#include "box/registry/registry.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/devices.h"

/* A home that is set aside is renamed to the box's name, cut to fit, with this suffix and random
 * digits. It is still a valid name of a box, so 'box prune' finds it. */
#define ASIDE ".removed-"
#define ASIDE_DIGITS 8
#define ASIDE_NAME_MAX (BOX_NAME_MAX - (int)strlen(ASIDE) - ASIDE_DIGITS)

static gboolean write_project(const char *data, const char *project, GError **error)
{
    g_autofree char *path = g_build_filename(data, "project", NULL);
    g_autofree char *folder = g_build_filename(data, "folder", NULL);
    g_autofree char *identity = folder_identity(project);
    /* "project" last, because that file makes the folder a registered box. */
    return (!identity || fs_write(folder, identity, -1, 0600, error)) &&
           fs_write(path, project, -1, 0600, error);
}

int registry_lock(GError **error)
{
    g_autofree char *boxes = paths_data("boxes");
    g_autofree char *lock = paths_data("boxes/.lock");
    return fs_make_folder(boxes, 0700, error) ? fs_lock(lock, NULL, error) : -1;
}

/*
 * Renames a data folder without a "project" file, which an interrupted removal has left. FRESH must
 * not get the home of another box, and the home is not deleted here. 'box prune' finds it under its
 * new name.
 */
static gboolean set_aside(const struct box *fresh, GError **error)
{
    struct stat st;
    g_autofree char *project = g_build_filename(fresh->data, "project", NULL);
    if (lstat(fresh->data, &st) < 0 || st.st_uid != getuid() || lstat(project, &st) == 0 ||
        errno != ENOENT)
        return TRUE; /* nothing to rename; fs_make_folder() reports other problems */
    /* An interrupted first run has not created a home yet. */
    if (lstat(fresh->home, &st) < 0 && errno == ENOENT)
        return discard_tree(fresh->data, error);
    g_autofree char *name = g_strdup_printf("%.*s" ASIDE "%0*x", ASIDE_NAME_MAX, fresh->name,
                                            ASIDE_DIGITS, (guint)g_random_int());
    g_autofree char *aside = box_data_path(name);
    if (rename(fresh->data, aside) == 0)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot set '%s' aside: %s", fresh->data,
                g_strerror(errno));
    return FALSE;
}

/* "OLD\nNEW\n" while a box is being renamed. There is one, as the registry is locked for it. */
static char *rename_record(void)
{
    return paths_data(UNFINISHED_RENAME);
}

/* FALSE with ERROR: a killed command was renaming or cloning a box, and what is kept under that
 * name would become that of another box. */
static gboolean check_complete(GError **error)
{
    g_autofree char *renaming = rename_record(), *cloning = paths_data(REGISTRY_CLONE_RECORD);
    gboolean renames = access(renaming, F_OK) == 0, clones = access(cloning, F_OK) == 0;
    if (!renames && !clones)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_BUSY, "a box is still being %s: run the command again",
                renames ? "renamed" : "cloned");
    return FALSE;
}

static struct box *register_new(const char *project, const char *wanted,
                                void (*forget)(const struct box *fresh), registry_filler fill,
                                void *data, GError **error)
{
    g_autofree char *name = box_name_choose(project, wanted, registry_find_project, error);
    g_autoptr(box) fresh = name ? box_new(name, project, error) : NULL;
    if (!fresh)
        return NULL;
    forget(fresh);
    /* A process of an earlier box with this name could answer on its sockets. */
    if (!discard_runtime(fresh->runtime, error) || !set_aside(fresh, error) ||
        !fs_make_folder(fresh->data, 0700, error) || (fill && !fill(fresh, data, error)) ||
        !write_project(fresh->data, project, error))
        return NULL;
    project_index_write(name, project);
    fresh->fresh = !fill;
    return g_steal_pointer(&fresh);
}

struct box *registry_add_filled(const char *project, const char *wanted,
                                void (*forget)(const struct box *fresh), registry_filler fill,
                                void *data, GError **error)
{
    if (!g_utf8_validate(project, -1, NULL)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "the project's path is not valid UTF-8, which Podman needs: rename the folder");
        return NULL;
    }
    int lock = registry_lock(error);
    if (lock < 0)
        return NULL;
    struct box *self = registry_by_project(project, NULL);
    if (self && fill) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT, "the project has the box '%s' by now",
                    self->name);
        g_clear_pointer(&self, box_free);
    } else if (!self && check_complete(error)) {
        self = register_new(project, wanted, forget, fill, data, error);
    }
    close(lock);
    return self;
}

struct box *registry_add(const char *project, const char *wanted,
                         void (*forget)(const struct box *fresh), GError **error)
{
    return registry_add_filled(project, wanted, forget, NULL, NULL, error);
}

/* A branch's box would get the name of another one. */
static gboolean check_branch_names(const struct box *self, const struct box *to, GError **error)
{
    g_auto(GStrv) names = branch_names(self->name);
    gboolean done = branch_names_are_known(self->name, error);
    for (char **name = names; done && *name; name++) {
        g_autofree char *full = g_strdup_printf("%s.%s", to->name, *name);
        done = registry_check_free(full, error);
    }
    return done;
}

/* The data folder has its new name: does the rest. */
static gboolean finish_rename(const struct box *self, const struct box *to,
                              registry_name_mover move, GError **error)
{
    g_autofree char *record = rename_record();
    g_autofree char *boxes = paths_data("boxes");
    fs_remove_temporary(boxes);
    project_index_clean();
    project_index_write(to->name, to->project);
    if (!move(self, to, error) || !discard_runtime(self->runtime, error))
        return FALSE;
    unlink(record);
    return TRUE;
}

static gboolean rename_locked(const struct box *self, const struct box *to,
                              void (*forget)(const struct box *fresh), registry_name_mover move,
                              GError **error)
{
    g_autofree char *record = rename_record();
    g_autofree char *text = g_strdup_printf("%s\n%s\n", self->name, to->name);
    if (!check_complete(error) || !registry_check_free(to->name, error) ||
        !check_branch_names(self, to, error))
        return FALSE;
    forget(to);
    if (!discard_runtime(to->runtime, error) || !set_aside(to, error) ||
        !fs_write(record, text, -1, 0600, error))
        return FALSE;
    if (rename(self->data, to->data) == 0)
        return finish_rename(self, to, move, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot rename '%s': %s", self->data,
                g_strerror(errno));
    unlink(record);
    return FALSE;
}

gboolean registry_rename(const struct box *self, const struct box *to,
                         void (*forget)(const struct box *fresh), registry_name_mover move,
                         GError **error)
{
    int lock = registry_lock(error);
    gboolean done = lock >= 0 && rename_locked(self, to, forget, move, error);
    if (lock >= 0)
        close(lock);
    return done;
}

/* With the lock: the record is that of a killed process. */
static gboolean repair_locked(const char *record, registry_name_mover move, GError **error)
{
    g_autofree char *text = fs_read_text(record, 4 * BOX_NAME_MAX);
    g_auto(GStrv) names = g_strsplit(text ? text : "", "\n", -1);
    gboolean whole =
        g_strv_length(names) == 3 && box_name_is_valid(names[0]) && box_name_is_valid(names[1]);
    g_autoptr(box) before = whole ? registry_by_name(names[0], NULL) : NULL;
    g_autoptr(box) after = whole && !before ? registry_by_name(names[1], NULL) : NULL;
    if (!after) {
        unlink(record);
        return TRUE;
    }
    g_autoptr(box) self = box_new(names[0], after->project, error);
    return self && finish_rename(self, after, move, error);
}

gboolean registry_rename_repair(registry_name_mover move, GError **error)
{
    g_autofree char *record = rename_record();
    if (access(record, F_OK) < 0)
        return TRUE;
    int lock = registry_lock(error);
    gboolean done = lock >= 0 && repair_locked(record, move, error);
    if (lock >= 0)
        close(lock);
    return done;
}

struct box *registry_find_moved(const char *project)
{
    g_autofree char *identity = folder_identity(project);
    g_auto(GStrv) names = registry_names();
    for (char **name = names; identity && *name; name++) {
        g_autofree char *recorded = folder_identity_recorded(*name);
        g_autoptr(box) self = registry_by_name(*name, NULL);
        if (self && g_strcmp0(recorded, identity) == 0 &&
            !g_file_test(self->project, G_FILE_TEST_EXISTS))
            return g_steal_pointer(&self);
    }
    return NULL;
}

/* With the registry's lock. */
static gboolean move_locked(const struct box *self, const char *project, GError **error)
{
    g_autoptr(box) other = registry_by_project(project, NULL);
    if (!check_complete(error) || !registry_check_same(self, error))
        return FALSE;
    if (other) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT, "the project has the box '%s' by now",
                    other->name);
        return FALSE;
    }
    if (!write_project(self->data, project, error))
        return FALSE;
    project_index_remove(self->project);
    project_index_write(self->name, project);
    return TRUE;
}

gboolean registry_move(struct box *self, const char *project, GError **error)
{
    int lock = registry_lock(error);
    gboolean done = lock >= 0 && move_locked(self, project, error);
    if (lock >= 0)
        close(lock);
    if (!done)
        return FALSE;
    g_free(self->project);
    self->project = g_strdup(project);
    return TRUE;
}

gboolean registry_remove(struct box *self, GError **error)
{
    g_autofree char *project = g_build_filename(self->data, "project", NULL);
    g_autofree char *devices = devices_path(self->name);
    int lock = registry_lock(error);
    if (lock < 0)
        return FALSE;
    /* The last look. */
    if (!registry_check_same(self, error) || !registry_check_branches(self, error)) {
        close(lock);
        return FALSE;
    }
    /* After a crash, the next box with this name must not get the devices of this one. */
    unlink(devices);
    /* Unregister first: a crash in between then leaves only files that 'box prune' removes. */
    unlink(project);
    project_index_remove(self->project);
    gboolean done = discard_tree(self->data, error);
    close(lock);
    return done;
}
