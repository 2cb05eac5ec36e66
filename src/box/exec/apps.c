#include "box/exec/apps.h"

#include <stdlib.h>
#include <string.h>

#include "box/exec/sessions.h"
#include "box/helpers/agent.h"
#include "box/lifecycle/lifecycle.h"
#include "box/menu/menu_entries.h"
#include "box/registry/shims.h"
#include "box/session/connection.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/config.h"
#include "console/ask.h"
#include "console/log.h"
#include "plan/plan.h"
#include "proto/question.h"

/* Bytes of all entries of a box. */
#define LIST_MAX (16 << 20)
/* For a program without a valid icon. */
#define DEFAULT_ICON "application-x-executable"

/* The start of both scripts. */
#define FOLDERS                \
    "export LC_ALL=C; IFS=:\n" \
    "home=${XDG_DATA_HOME:-$HOME/.local/share} dirs=${XDG_DATA_DIRS:-/usr/local/share:/usr/share}\n"

/* Prints NUL NUL FOLDER NUL PATH NUL and the file, for each entry. $1: an ID, or "" for all. */
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

/* Prints the best picture of the icon $1. */
static const char icon_script[] =
    FOLDERS "set -f\n"
            "for s in 256 128 512 192 96 64 72 48 36 32 24 22 16; do\n"
            "    for d in $home $dirs; do\n"
            "        f=$d/icons/hicolor/${s}x$s/apps/$1.png\n"
            "        [ -f \"$f\" ] && exec head -c \"$2\" \"$f\"\n"
            "    done\n"
            "done\n"
            "for d in $dirs; do [ -f \"$d/pixmaps/$1.png\" ] && exec head -c \"$2\" "
            "\"$d/pixmaps/$1.png\"; done\n"
            "exit 0\n";

/* FILE_MAX: bytes of one file, MAX: of all. */
static char *run_script(struct box *self, const char *script, const char *name, gsize file_max,
                        gsize max, gsize *length, GError **error)
{
    g_autofree char *limit = g_strdup_printf("%" G_GSIZE_FORMAT, file_max);
    const char *const command[] = {"/bin/sh", "-c", script, "sh", name, limit, NULL};
    return box_capture_output(self, command, max, length, error);
}

GPtrArray *apps_list(struct box *self, const char *id, guint *refused, GError **error)
{
    gsize length = 0;
    guint unused;
    if (!box_ensure_running(self, error))
        return NULL;
    g_autofree char *sent =
        run_script(self, list_script, id ? id : "", ENTRY_MAX + 1, LIST_MAX, &length, error);
    return sent ? desktop_entries_parse(sent, length, refused ? refused : &unused) : NULL;
}

static char *make_text(const struct box *self, const desktop_entry *one, const char *icon,
                       GError **error)
{
    g_autofree char *program = shims_own_program(error);
    desktop_entry_owner owner = {self->name, paths_instance(), program, icon};
    return program ? desktop_entry_to_text(one, &owner, error) : NULL;
}

/* NULL without a valid icon. */
static GByteArray *read_icon(struct box *self, const desktop_entry *one, guint *side)
{
    gsize length = 0;
    g_autofree char *bytes = one->icon ? run_script(self, icon_script, one->icon, PNG_ICON_MAX + 1,
                                                    PNG_ICON_MAX + 2, &length, NULL)
                                       : NULL;
    return bytes ? png_icon_clean((const guint8 *)bytes, length, side) : NULL;
}

gboolean app_export(struct box *self, const desktop_entry *one, GError **error)
{
    guint side = 0;
    g_autoptr(GByteArray) icon = read_icon(self, one, &side);
    g_autofree char *name = menu_entry_icon_name(self->name, one->id);
    g_autofree char *text = make_text(self, one, icon ? name : DEFAULT_ICON, error);
    return text && menu_entry_write(self->name, one->id, text, icon, side, error);
}

gboolean app_is_exported_unchanged(const struct box *self, const desktop_entry *one,
                                   const menu_entry *file)
{
    g_autofree char *name = menu_entry_icon_name(self->name, one->id);
    g_autofree char *text = make_text(self, one, name, NULL);
    g_autofree char *plain = make_text(self, one, DEFAULT_ICON, NULL);
    return g_strcmp0(text, file->text) == 0 || g_strcmp0(plain, file->text) == 0;
}

gboolean apps_unexport_missing(const struct box *self, const GPtrArray *entries, GError **error)
{
    g_autoptr(GPtrArray) files = menu_entries_find(self->name);
    gboolean dropped = FALSE;
    for (guint i = 0; i < files->len; i++) {
        const menu_entry *file = files->pdata[i];
        if (desktop_entries_find(entries, file->id))
            continue;
        if (!menu_entry_remove(file->box, file->id, error))
            return FALSE;
        log_note("'%s' is no longer in the box; its menu entry was removed", file->id);
        dropped = TRUE;
    }
    if (dropped)
        menu_entries_notify();
    return TRUE;
}

void apps_refresh(struct box *self)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(GPtrArray) files = menu_entries_find(self->name);
    g_autoptr(GPtrArray) entries = files->len ? apps_list(self, NULL, NULL, &problem) : NULL;
    if (files->len && (!entries || !apps_unexport_missing(self, entries, &problem)))
        log_warning("the menu entries of the box may be out of date: %s", problem->message);
}

#define STATUS_NOT_FOUND 127

/* The startup tokens with which the host's desktop recognises the window that the click opens. */
static const char *const startup_variables[] = {"XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID", NULL};

/* The path of FILE, a path or a file: URI, in the box. A new string, or NULL with ERROR. */
static char *path_in_box(const struct box *self, const char *file, GError **error)
{
    g_autofree char *host = NULL;
    g_autofree char *local =
        strstr(file, "://") ? g_filename_from_uri(file, &host, NULL) : g_strdup(file);
    gboolean is_local = !host || strcmp(host, "localhost") == 0;
    char *real = local && is_local ? realpath(local, NULL) : NULL;
    g_autofree char *path = g_strdup(real);
    free(real);
    if (path && fs_is_below(path, self->project))
        return g_steal_pointer(&path);
    g_autofree char *safe = text_safe(file, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "box '%s' cannot open '%s', because it is not in its project", self->name, safe);
    return NULL;
}

static char **paths_in_box(const struct box *self, char *const *files, GError **error)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    for (; files && *files; files++) {
        char *path = path_in_box(self, *files, error);
        if (!path)
            return NULL;
        g_ptr_array_add(paths, path);
    }
    g_ptr_array_add(paths, NULL);
    g_ptr_array_set_free_func(paths, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&paths), FALSE);
}

static int run_entry(struct box *self, const desktop_entry *one, char **argv, GError **error)
{
    gboolean terminal = one->terminal && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    session_options options = {.command = argv,
                               .tty = terminal,
                               .detach = !terminal,
                               .watch_start = TRUE,
                               .workdir = self->project,
                               .env = startup_variables};
    int status = box_run_session(self, &options, error);
    if (status <= 0 || terminal)
        return status;
    g_autofree char *text =
        status == STATUS_NOT_FOUND
            ? g_strdup("its program is missing in the box")
            : g_strdup_printf("it exited at once with status %d; see 'box logs' for its output",
                              status);
    log_error("'%s': %s", one->id, text);
    app_notify_failure(one->id, text);
    return status;
}

/* Does not cut a phrase: what stands in its middle may be what matters. */
static gboolean fits(const GPtrArray *news)
{
    for (guint i = 0; i < news->len; i++) {
        if (strlen(news->pdata[i]) > QUESTION_VALUE_MAX)
            return FALSE;
    }
    return news->len < QUESTION_KNOWN_MAX;
}

static question *approval_question(const struct box *self, gboolean is_new, const GPtrArray *news)
{
    question *asked = question_new(QUESTION_APPLY, self->name, self->project);
    g_autofree char *headline =
        g_strdup_printf("Start box %s with what its project asks for", self->name);
    question_set_headline(asked, headline);
    question_add_known(asked, "File",
                       is_new ? "litterbox.toml, new here"
                              : "litterbox.toml, changed since you approved it",
                       NULL, NULL);
    for (guint i = 0; i < news->len; i++)
        question_add_known(asked, "New", news->pdata[i], NULL, NULL);
    if (news->len == 0)
        question_add_known(asked, "New", "nothing beyond your own configuration", NULL, NULL);
    question_set_note(asked, "'box trust', in a terminal, shows all of the file.");
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_offer_mute(asked);
    return asked;
}

static gboolean is_untrusted(const struct box *self)
{
    g_autoptr(GError) problem = NULL;
    config_free(config_load(self->project, self->base, NULL, TRUST_REQUIRE, &problem));
    return g_error_matches(problem, BOX_ERROR, BOX_ERROR_UNTRUSTED);
}

/*
 * What the project's litterbox.toml asks for, in a window, before SELF is started: a program of the
 * menu has no terminal. When the file is not approved, and all that it asks for fits into a window,
 * asks the user, and approves it after a yes. Does nothing when SELF is running, when there is a
 * terminal, or without a display: the start itself then says what is wrong.
 */
static void ask_for_approval(const struct box *self)
{
    if (ask_can() || box_find_init(self) || !is_untrusted(self))
        return;
    g_autoptr(trust) state = trust_check(self->project, NULL);
    /* No window asks about a file that is gone: 'box trust' shows what it kept the box from. */
    g_autoptr(GPtrArray) news =
        state && state->contents ? trust_news(self->project, state, NULL) : NULL;
    if (!news || !fits(news))
        return;
    g_autoptr(question) asked = approval_question(self, !state->approved, news);
    /* What is approved is what was read before the question, whatever the box writes meanwhile. */
    if (agent_ask(asked))
        trust_approve_seen(self->project, state, NULL);
}

int app_run(struct box *self, const char *id, char *const *files, GError **error)
{
    g_auto(GStrv) paths = paths_in_box(self, files, error);
    if (paths)
        ask_for_approval(self);
    g_autoptr(GPtrArray) list = paths ? apps_list(self, id, NULL, error) : NULL;
    const desktop_entry *one = list ? desktop_entries_find(list, id) : NULL;
    g_auto(GStrv) argv = one ? desktop_entry_argv(one, (const char *const *)paths, error) : NULL;
    if (argv)
        return run_entry(self, one, argv, error);
    if (list && !one)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "box '%s' no longer has the program '%s'; 'box app unexport %s %s' removes it "
                    "from the menu",
                    self->name, id, self->name, id);
    return -1;
}

void app_notify_failure(const char *id, const char *reason)
{
    if (isatty(STDERR_FILENO))
        return;
    g_autofree char *tool = menu_find_system_program("notify-send");
    g_autofree char *title = g_strconcat(id, " did not start", NULL);
    g_autofree char *body = g_markup_escape_text(reason, -1);
    char *argv[] = {tool,
                    (char *)"--app-name=Litterbox",
                    (char *)"--icon=dialog-error",
                    (char *)"--",
                    title,
                    body,
                    NULL};
    if (tool)
        g_spawn_async("/", argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                      NULL, NULL, NULL, NULL);
}
