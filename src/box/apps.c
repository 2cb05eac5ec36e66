#include "box/apps.h"

#include <string.h>
#include <unistd.h>

#include "box/capture.h"
#include "box/container.h"
#include "box/frozen.h"
#include "box/lifecycle.h"
#include "box/say.h"
#include "box/shims.h"
#include "common/paths.h"
#include "menu/icon.h"

/* All entries of a box together. */
#define SENT_MAX (16 << 20)
/* For a program without an icon that we take. */
#define ICON_NONE "application-x-executable"

/* What both scripts begin with. */
#define FOLDERS                \
    "export LC_ALL=C; IFS=:\n" \
    "home=${XDG_DATA_HOME:-$HOME/.local/share} dirs=${XDG_DATA_DIRS:-/usr/local/share:/usr/share}\n"

/* NUL NUL FOLDER NUL PATH NUL and the file, for each. $1: the id that is wanted, or "". */
static const char list_script[] = FOLDERS
    "n=0\n"
    "for d in $home $dirs; do\n"
    "    a=$d/applications IFS=\n"
    "    for f in \"$a\"/*.desktop \"$a\"/*/*.desktop; do\n"
    "        [ -f \"$f\" ] || continue\n"
    "        r=${f#\"$a\"/}\n"
    "        case $r in */*) i=${r%%/*}-${r#*/} ;; *) i=$r ;; esac\n"
    "        [ -z \"$1\" ] || [ \"$i\" = \"$1.desktop\" ] || continue\n"
    "        n=$((n + 1))\n"
    "        [ $n -le " G_STRINGIFY(ENTRIES_MAX) " ] || exit 0\n"
                                                 "        printf '\\0\\0%s\\0%s\\0' \"$a\" \"$r\"\n"
                                                 "        head -c \"$2\" \"$f\"\n"
                                                 "    done\n"
                                                 "    IFS=:\n"
                                                 "done\n"
                                                 "exit 0\n";

/* The best picture of the name $1. */
static const char icon_script[] = FOLDERS
    "set -f\n"
    "for s in 256 128 512 192 96 64 72 48 36 32 24 22 16; do\n"
    "    for d in $home $dirs; do\n"
    "        f=$d/icons/hicolor/${s}x$s/apps/$1.png\n"
    "        [ -f \"$f\" ] && exec head -c \"$2\" \"$f\"\n"
    "    done\n"
    "done\n"
    "for d in $dirs; do [ -f \"$d/pixmaps/$1.png\" ] && exec head -c \"$2\" \"$d/pixmaps/$1.png\"; done\n"
    "exit 0\n";

static char *run_script(box *self, const char *script, const char *wanted, gsize each, gsize max,
                        gsize *length, GError **error)
{
    g_autofree char *most = g_strdup_printf("%" G_GSIZE_FORMAT, each);
    const char *const command[] = {"/bin/sh", "-c", script, "sh", wanted, most, NULL};
    return capture(self, command, max, length, error);
}

/* Here, and not in capture's child, where nobody would see what goes wrong. */
static gboolean start(box *self, GError **error)
{
    int connection = lifecycle_connect(self);
    if (connection < 0)
        connection = lifecycle_start(self, NULL, error);
    if (connection < 0)
        return FALSE;
    gboolean frozen = frozen_is(connection);
    close(connection);
    if (frozen)
        container_say_paused(self, error);
    return !frozen;
}

GPtrArray *apps_read(box *self, const char *id, guint *refused, GError **error)
{
    gsize length = 0;
    guint unused;
    if (!start(self, error))
        return NULL;
    g_autofree char *sent =
        run_script(self, list_script, id ? id : "", ENTRY_MAX + 1, SENT_MAX, &length, error);
    return sent ? entries_parse(sent, length, refused ? refused : &unused) : NULL;
}

static char *make_text(const box *self, const entry *one, const char *icon, GError **error)
{
    g_autofree char *program = shims_own_program(error);
    entry_owner owner = {self->name, paths_instance(), program, icon};
    return program ? entry_write(one, &owner, error) : NULL;
}

/* NULL when there is none that we take. */
static GByteArray *read_icon(box *self, const entry *one, guint *side)
{
    gsize length = 0;
    g_autofree char *bytes = one->icon ? run_script(self, icon_script, one->icon, ICON_MAX + 1,
                                                    ICON_MAX + 2, &length, NULL)
                                       : NULL;
    return bytes ? icon_clean((const guint8 *)bytes, length, side) : NULL;
}

gboolean apps_export(box *self, const entry *one, GError **error)
{
    guint side = 0;
    g_autoptr(GByteArray) icon = read_icon(self, one, &side);
    g_autofree char *name = app_files_icon_name(self->name, one->id);
    g_autofree char *text = make_text(self, one, icon ? name : ICON_NONE, error);
    return text && app_files_write(self->name, one->id, text, icon, side, error);
}

gboolean apps_is_current(const box *self, const entry *one, const app_file *file)
{
    g_autofree char *name = app_files_icon_name(self->name, one->id);
    g_autofree char *text = make_text(self, one, name, NULL);
    g_autofree char *plain = make_text(self, one, ICON_NONE, NULL);
    return g_strcmp0(text, file->text) == 0 || g_strcmp0(plain, file->text) == 0;
}

gboolean apps_drop_gone(const box *self, const GPtrArray *entries, GError **error)
{
    g_autoptr(GPtrArray) files = app_files_find(self->name);
    gboolean dropped = FALSE;
    for (guint i = 0; i < files->len; i++) {
        const app_file *file = files->pdata[i];
        if (entries_find(entries, file->id))
            continue;
        if (!app_files_remove(file->box, file->id, error))
            return FALSE;
        say_note("'%s' is not in the box any more, and off the menu", file->id);
        dropped = TRUE;
    }
    if (dropped)
        app_files_announce();
    return TRUE;
}

void apps_follow(box *self)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(GPtrArray) files = app_files_find(self->name);
    g_autoptr(GPtrArray) entries = files->len ? apps_read(self, NULL, NULL, &problem) : NULL;
    if (files->len && (!entries || !apps_drop_gone(self, entries, &problem)))
        say_warning("the entries of the box in the menu may be out of date: %s", problem->message);
}
