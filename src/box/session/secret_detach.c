#include "box/session/secret_detach.h"

#include <string.h>
#include <unistd.h>

#include "box/helpers/gate.h"
#include "box/helpers/secrets.h"
#include "box/registry/branch.h"
#include "box/registry/runtime_config.h"
#include "box/session/connection.h"
#include "common/fs.h"
#include "common/paths.h"
#include "config/secret_file.h"
#include "console/log.h"

#define DETACH_LOCK UNFINISHED_DETACH ".lock"
#define DETACH_RECORD_MAX ((gsize)1 << 20)
#define REMOVES "remove"
#define KEEPS "keep"

static gboolean tell_one(const struct box *self, GError **error)
{
    pid_t init = box_find_init(self);
    g_autoptr(runtime_config) known = init ? runtime_config_read(self) : NULL;
    if (!known)
        return TRUE;
    if (known->settings->network.mode != NETWORK_FILTERED) {
        secrets_close(self); /* the next session looks at the files of the home */
        return TRUE;
    }
    secrets_reopen(self, init);
    return gate_update(self, init, error);
}

gboolean secrets_tell(const struct box *self, GError **error)
{
    return branch_each(self, tell_one, error);
}

/* Each box may have been done before, and may be gone. */
static gboolean detach_from(const char *name, char *const *boxes, gboolean *changed, GError **error)
{
    for (; *boxes; boxes++) {
        gboolean had = FALSE;
        g_autoptr(GError) problem = NULL;
        g_autoptr(box) self = registry_by_name(*boxes, &problem);
        if (!self && g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND))
            continue;
        if (!self) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return FALSE;
        }
        if (!secrets_set_attached(self, name, FALSE, &had, error) || !secrets_tell(self, error))
            return FALSE;
        *changed |= had;
    }
    return TRUE;
}

/* With the lock: what the record says. */
static gboolean carry_on(const char *record, gboolean *changed, GError **error)
{
    g_autofree char *text = fs_read_text(record, DETACH_RECORD_MAX);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    guint count = g_strv_length(lines);
    /* The last one ends a line, too. */
    if (count >= 3 && secret_name_is_valid(lines[0]) && !*lines[count - 1]) {
        g_clear_pointer(&lines[count - 1], g_free);
        if (!detach_from(lines[0], lines + 2, changed, error) ||
            (strcmp(lines[1], REMOVES) == 0 && !secret_file_remove(lines[0], error)))
            return FALSE;
    }
    unlink(record);
    return TRUE;
}

static gboolean detach_locked(const char *name, char *const *boxes, gboolean removes,
                              gboolean *changed, GError **error)
{
    g_autofree char *record = paths_data(UNFINISHED_DETACH);
    g_autofree char *joined = g_strjoinv("\n", (char **)boxes);
    g_autofree char *text =
        g_strconcat(name, "\n", removes ? REMOVES : KEEPS, "\n", joined, *joined ? "\n" : "", NULL);
    gboolean earlier = FALSE;
    return (access(record, F_OK) < 0 || carry_on(record, &earlier, error)) &&
           fs_write(record, text, -1, 0600, error) && carry_on(record, changed, error);
}

gboolean secret_detach(const char *name, char *const *boxes, gboolean removes, gboolean *changed,
                       GError **error)
{
    g_autofree char *path = paths_data(DETACH_LOCK), *folder = paths_data("boxes");
    gboolean any = FALSE;
    if (!secret_name_is_valid(name)) { /* no box has it, and it could be more than one line */
        if (changed)
            *changed = FALSE;
        return TRUE;
    }
    int lock = fs_make_folder(folder, 0700, error) ? fs_lock(path, NULL, error) : -1;
    gboolean done = lock >= 0 && detach_locked(name, boxes, removes, &any, error);
    if (lock >= 0)
        close(lock);
    if (changed)
        *changed = any;
    return done;
}

void secret_detach_repair(void)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *record = paths_data(UNFINISHED_DETACH), *path = paths_data(DETACH_LOCK);
    int lock = access(record, F_OK) == 0 ? fs_try_lock(path) : -1;
    gboolean changed = FALSE;
    if (lock < 0)
        return;
    if (access(record, F_OK) == 0 && !carry_on(record, &changed, &problem))
        log_warning("a secret is still being taken from boxes: %s", problem->message);
    close(lock);
}
