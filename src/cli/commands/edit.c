#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box/exec/editor.h"
#include "box/exec/sessions.h"
#include "box/lifecycle/lifecycle.h"
#include "box/registry/runtime_config.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/fs.h"
#include "common/text.h"
#include "console/log.h"
#include "plan/plan.h"

#define PLACES_MAX 256
#define STATUS_NOT_FOUND 127

static struct {
    gboolean wait;
} edit_given;

static const option edit_options[] = {
    BRANCH_OPTIONS(""),
    {"wait", 'w', OPTION_FLAG, &edit_given.wait, NULL,
     "wait until the files are closed, as GIT_EDITOR must"},
    {0},
};

/* What is opened, and in which box. */
typedef struct {
    struct box *self;
    GArray *places; /* of editor_location */
} edit_request;

static void edit_request_clear(edit_request *request)
{
    g_clear_pointer(&request->self, box_free);
    g_array_unref(request->places);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(edit_request, edit_request_clear)

/* PATH with its folder's links resolved, as a project's path is; a new string. */
static char *with_real_folder(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    char *real = realpath(folder, NULL);
    char *whole = real ? g_build_filename(real, name, NULL) : g_strdup(path);
    free(real);
    return whole;
}

static void add_place(edit_request *request, const char *text)
{
    editor_location place;
    editor_location_parse(text, &place);
    g_autofree char *path = place.path;
    char *whole = realpath(path, NULL);
    /* Links to folders are resolved; a link that is the file itself is left to the editor. */
    place.path =
        whole && g_file_test(whole, G_FILE_TEST_IS_DIR) ? g_strdup(whole) : with_real_folder(path);
    free(whole);
    g_array_append_val(request->places, place);
}

/* The first operand is a box's name, or something in a project. */
static struct box *find_edited(edit_request *request, const char *first, GError **error)
{
    if (!first)
        return project_box(NULL, PROJECT_REGISTER, error);
    if (!strchr(first, '/') && !g_file_test(first, G_FILE_TEST_EXISTS) &&
        box_name_is_valid(first)) {
        struct box *named = registry_by_name(first, NULL);
        if (named)
            return named;
    }
    add_place(request, first);
    const char *path = g_array_index(request->places, editor_location, 0).path;
    g_autofree char *folder =
        g_file_test(path, G_FILE_TEST_IS_DIR) ? g_strdup(path) : g_path_get_dirname(path);
    g_autofree char *project = project_above(folder, error);
    return project ? project_box(project, PROJECT_REGISTER, error) : NULL;
}

/* Only paths in the project are the same in the box. */
static gboolean check_places(const edit_request *request, GError **error)
{
    for (guint i = 0; i < request->places->len; i++) {
        const char *path = g_array_index(request->places, editor_location, i).path;
        if (fs_is_below(path, request->self->project))
            continue;
        g_autofree char *safe = text_safe(path, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' is not in the project of box '%s', and the box does not see it", safe,
                    request->self->name);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_edit_request(edit_request *request, const struct command_call *call,
                                  GError **error)
{
    char **operand = call->operands;
    request->self = branch_option_apply(find_edited(request, call->operands[0], error), error);
    if (!request->self)
        return FALSE;
    for (operand += operand && *operand ? 1 : 0; operand && *operand; operand++)
        add_place(request, *operand);
    /* The project's own folder is what is opened without any. */
    if (request->places->len == 1 && strcmp(g_array_index(request->places, editor_location, 0).path,
                                            request->self->project) == 0)
        g_array_set_size(request->places, 0);
    return check_places(request, error);
}

/*
 * The runtime configuration of a running box has what 'box edit' needs. *CONNECTION is a connection
 * to the box, kept for the editor's session: each costs PID 1 a process.
 */
static struct runtime_config *config_of_running(struct box *self, int *connection, GError **error)
{
    *connection = box_connect(self);
    if (*connection < 0)
        *connection = box_start(self, NULL, error);
    if (*connection < 0)
        return NULL;
    struct runtime_config *known = runtime_config_read(self);
    if (!known)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the runtime configuration of the box is missing; run 'box restart'");
    return known;
}

/* The first editor of our list that the box has. */
static char **one_that_is_there(struct box *self, GError **error)
{
    static const char *const look[] = {
        "/bin/sh", "-c",
        "for e; do if command -v \"$e\" >/dev/null; then echo \"$e\"; exit; fi; done", "sh"};
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    for (gsize i = 0; i < G_N_ELEMENTS(look); i++)
        g_ptr_array_add(words, (gpointer)look[i]);
    for (const editor_kind *kind = editor_kinds; kind->name; kind++)
        if (kind->terminal)
            g_ptr_array_add(words, (gpointer)kind->name);
    g_ptr_array_add(words, NULL);
    g_autofree char *found =
        box_capture_output(self, (const char *const *)words->pdata, CAPTURE_MAX, NULL, error);
    const editor_kind *kind = found ? editor_find(g_strchomp(found)) : NULL;
    if (kind)
        return g_strdupv((char *[]){(char *)kind->name, NULL});
    if (found)
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_FAILED,
            "no known editor found in the box: add one (such as neovim) to its image, or set "
            "[editor] command");
    return NULL;
}

static char **configured_editor(const settings *known)
{
    GPtrArray *words = g_ptr_array_new();
    g_ptr_array_add(words, g_strdup(known->editor.command));
    for (char **word = known->editor.args; word && *word; word++)
        g_ptr_array_add(words, g_strdup(*word));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

/* Program and options: from the configuration, the user's environment, or what the box has. */
static char **editor_command(struct box *self, const struct runtime_config *known, GError **error)
{
    static const char *const names[] = {"VISUAL", "EDITOR"};
    if (known->settings->editor.command)
        return configured_editor(known->settings);
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *value = g_getenv(names[i]);
        char **words = NULL;
        /* "box edit", as GIT_EDITOR may be, would start itself again and again. */
        if (value && *value && !g_str_has_prefix(value, "box ") &&
            g_shell_parse_argv(value, NULL, &words, NULL))
            return words;
    }
    return one_that_is_there(self, error);
}

static void explain_missing(const struct box *self, const char *program)
{
    const editor_kind *kind = editor_find(program);
    g_autofree char *safe = text_safe(program, -1);
    log_note(
        "install %s on this machine (a box without an image uses its programs), or add it to the "
        "image of box '%s'; [editor] command selects another editor",
        kind && kind->package ? kind->package : safe, self->name);
}

static int edit(edit_request *request, const struct runtime_config *known, int *connection,
                GError **error)
{
    struct box *self = request->self;
    g_auto(GStrv) editor = editor_command(self, known, error);
    if (!editor)
        return -1;
    const editor_kind *kind = editor_find(editor[0]);
    enum editor_terminal choice = known->settings->editor.terminal;
    gboolean terminal =
        choice == EDITOR_TERMINAL_AUTO ? !kind || kind->terminal : choice == EDITOR_TERMINAL_YES;
    g_auto(GStrv) argv = editor_argv(kind, (const char *const *)editor, terminal, edit_given.wait,
                                     request->places, self->project);
    session_options session = {
        .command = argv,
        .tty = terminal && session_has_terminal(),
        .detach = !terminal && !edit_given.wait,
        .watch_start = TRUE,
        .scan_project = terminal || edit_given.wait,
        .workdir = request->places->len ? NULL : self->project,
        .connection = connection,
    };
    g_autofree char *name = text_safe(editor[0], -1);
    int status = box_run_session(self, &session, error);
    if (status == STATUS_NOT_FOUND)
        explain_missing(self, editor[0]);
    else if (status > 0 && session.detach)
        log_error("%s exited at once with status %d; 'box logs' may show why", name, status);
    return status;
}

static int run_edit(const struct command_call *call, GError **error)
{
    g_auto(edit_request) request = {.places = g_array_new(FALSE, FALSE, sizeof(editor_location))};
    g_array_set_clear_func(request.places, (GDestroyNotify)editor_location_clear);
    if (!read_edit_request(&request, call, error))
        return -1;
    int connection = -1;
    g_autoptr(runtime_config) known = config_of_running(request.self, &connection, error);
    int status = known ? edit(&request, known, &connection, error) : -1;
    if (connection >= 0)
        close(connection);
    return status;
}

const struct command command_edit = {
    .name = "edit",
    .group = GROUP_WORK,
    .operands = "[PROJECT] [FILE[:LINE]…]",
    .summary = "edit the project, or files of it, in an editor of the box",
    .details =
        "The editor is [editor] command, $VISUAL, $EDITOR, or the first that the box has. One for\n"
        "terminals runs in this one. For an editor with a window the command returns once it has\n"
        "started, or with --wait when it has closed the files: GIT_EDITOR='box edit --wait'.",
    .options = edit_options,
    .completes = COMPLETE_PROJECT,
    .then = {COMPLETE_FILES},
    .most = PLACES_MAX,
    .run = run_edit,
};
