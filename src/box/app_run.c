#include "box/app_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box/apps.h"
#include "box/say.h"
#include "box/sessions.h"
#include "common/text.h"
#include "plan/plan.h"

#define STATUS_NOT_FOUND 127

/* By these the host's desktop knows the new window for the one that was asked for. */
static const char *const tokens[] = {"XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID", NULL};

/* FILE as the box knows it. A new string, or NULL with ERROR. */
static char *path_inside(const box *self, const char *file, GError **error)
{
    g_autofree char *host = NULL;
    g_autofree char *named =
        strstr(file, "://") ? g_filename_from_uri(file, &host, NULL) : g_strdup(file);
    gboolean here = !host || strcmp(host, "localhost") == 0;
    char *real = named && here ? realpath(named, NULL) : NULL;
    g_autofree char *path = g_strdup(real);
    free(real);
    if (path && plan_is_below(path, self->project))
        return g_steal_pointer(&path);
    g_autofree char *safe = text_safe(file, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                "'%s' is no file of the project of box '%s', and the box does not see it", safe,
                self->name);
    return NULL;
}

static char **paths_inside(const box *self, char *const *files, GError **error)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    for (; files && *files; files++) {
        char *path = path_inside(self, *files, error);
        if (!path)
            return NULL;
        g_ptr_array_add(paths, path);
    }
    g_ptr_array_add(paths, NULL);
    g_ptr_array_set_free_func(paths, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&paths), FALSE);
}

static int run(box *self, const entry *one, char **argv, GError **error)
{
    gboolean terminal = one->terminal && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    session_wish wish = {.command = argv,
                         .tty = terminal,
                         .detach = !terminal,
                         .settle = TRUE,
                         .workdir = self->project,
                         .env = tokens};
    int status = sessions_run(self, &wish, error);
    if (status <= 0 || terminal)
        return status;
    g_autofree char *text =
        status == STATUS_NOT_FOUND
            ? g_strdup("its program is not in the box")
            : g_strdup_printf("it ended at once with status %d; 'box logs' may have what it said",
                              status);
    say_error("'%s': %s", one->id, text);
    app_run_explain(one->id, text);
    return status;
}

int app_run(box *self, const char *id, char *const *files, GError **error)
{
    g_auto(GStrv) paths = paths_inside(self, files, error);
    g_autoptr(GPtrArray) list = paths ? apps_read(self, id, NULL, error) : NULL;
    const entry *one = list ? entries_find(list, id) : NULL;
    g_auto(GStrv) argv = one ? entry_argv(one, (const char *const *)paths, error) : NULL;
    if (argv)
        return run(self, one, argv, error);
    if (list && !one)
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "box '%s' has no program '%s' any more; 'box app unexport %s %s' takes it off "
                    "the menu",
                    self->name, id, self->name, id);
    return -1;
}

void app_run_explain(const char *id, const char *what)
{
    if (isatty(STDERR_FILENO))
        return;
    g_autofree char *tool = app_files_tool("notify-send");
    g_autofree char *title = g_strconcat(id, " did not start", NULL);
    g_autofree char *body = g_markup_escape_text(what, -1);
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
