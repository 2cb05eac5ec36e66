#include <limits.h>
#include <string.h>

#include "box/app_run.h"
#include "box/apps.h"
#include "box/commands/commands.h"
#include "box/json.h"
#include "cli/commands/project.h"
#include "box/say.h"
#include "console/table.h"
#include "common/text.h"

static struct {
    gboolean json;
} set;

static const option options[] = {
    {"json", 0, OPTION_FLAG, &set.json, NULL, "list: print JSON"},
    {0},
};

/* What the user has said: a box, and programs of it. */
typedef struct {
    box *self;
    GPtrArray *ids; /* without ".desktop", valid */
} request;

static void request_clear(request *wanted)
{
    g_clear_pointer(&wanted->self, box_free);
    g_clear_pointer(&wanted->ids, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(request, request_clear)

/* A program's name is never a path, and a box's name goes before a program's. */
static gboolean is_project(const char *word)
{
    g_autoptr(box) named = box_name_is_valid(word) ? registry_by_name(word, NULL) : NULL;
    return named || strchr(word, '/') || word[0] == '.';
}

static gboolean add_id(request *wanted, const char *word, GError **error)
{
    gsize length = strlen(word);
    if (g_str_has_suffix(word, ".desktop"))
        length -= strlen(".desktop");
    if (!entry_id_is_valid(word, (gssize)length)) {
        g_autofree char *safe = text_safe(word, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' cannot be the name of a program; 'box app list' shows them", safe);
        return FALSE;
    }
    g_ptr_array_add(wanted->ids, g_strndup(word, length));
    return TRUE;
}

/* "VERB [PROJECT] [ID…]" */
static gboolean read_request(request *wanted, const arguments *given, GError **error)
{
    char **words = given->operands + 1;
    const char *project = *words && is_project(*words) ? *words++ : NULL;
    wanted->self = project_box(project, PROJECT_EXISTING, error);
    wanted->ids = g_ptr_array_new_with_free_func(g_free);
    for (; wanted->self && *words; words++)
        if (!add_id(wanted, *words, error))
            return FALSE;
    return wanted->self != NULL;
}

static const char *state_of(const request *wanted, const entry *one, const app_file *file)
{
    if (!file)
        return "no";
    if (!one)
        return "gone from the box";
    return apps_is_current(wanted->self, one, file) ? "yes" : "changed since";
}

/* One row of the list: an entry of the box, one of the menu, or both. */
static void show(const request *wanted, const entry *one, const app_file *file, table *out,
                 json_t *list)
{
    const char *id = one ? one->id : file->id, *state = state_of(wanted, one, file);
    gboolean stale = file && strcmp(state, "yes") != 0;
    table_add(out, id);
    table_add(out, state);
    table_add(out, one ? one->name : "-");
    json_array_append_new(
        list, json_pack("{s:s, s:s?, s:s?, s:b, s:b, s:b}", "id", id, "name",
                        one ? one->name : NULL, "comment", one ? one->comment : NULL, "terminal",
                        one && one->terminal, "exported", file != NULL, "stale", stale));
}

static void print_list(const request *wanted, const GPtrArray *entries, const GPtrArray *files)
{
    static const char *const headings[] = {"ID", "EXPORTED", "NAME", NULL};
    g_autoptr(table) out = table_new(headings);
    json_t *list = json_array();
    for (guint i = 0; i < entries->len; i++) {
        const entry *one = entries->pdata[i];
        show(wanted, one, app_files_of(files, one->id), out, list);
    }
    for (guint i = 0; i < files->len; i++) {
        const app_file *file = files->pdata[i];
        if (!entries_find(entries, file->id))
            show(wanted, NULL, file, out, list);
    }
    if (set.json)
        json_print(json_incref(list));
    else if (table_is_empty(out))
        say_note("box '%s' has no programs with desktop entries", wanted->self->name);
    else
        table_print(out);
    json_decref(list);
}

static int list(const arguments *given, GError **error)
{
    guint refused = 0;
    g_auto(request) wanted = {0};
    if (!read_request(&wanted, given, error))
        return -1;
    if (wanted.ids->len) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "box app list [PROJECT] [--json]");
        return -1;
    }
    g_autoptr(GPtrArray) files = app_files_find(wanted.self->name);
    g_autoptr(GPtrArray) entries = apps_read(wanted.self, NULL, &refused, error);
    if (!entries)
        return -1;
    print_list(&wanted, entries, files);
    if (refused)
        say_note("%u more cannot be shown for their names, their size, or what is in them",
                 refused);
    return 0;
}

static gboolean check_known(const request *wanted, const GPtrArray *entries, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (guint i = 0; i < entries->len; i++)
        g_ptr_array_add(known, ((const entry *)entries->pdata[i])->id);
    g_ptr_array_add(known, NULL);
    for (guint i = 0; i < wanted->ids->len; i++) {
        const char *id = wanted->ids->pdata[i];
        const char *near = text_nearest(id, (const char *const *)known->pdata);
        if (entries_find(entries, id))
            continue;
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    near ? "box '%s' has no program '%s'; did you mean '%s'?"
                         : "box '%s' has no program '%s'; 'box app list' shows them",
                    wanted->self->name, id, near);
        return FALSE;
    }
    return TRUE;
}

/* Without a name: what is exported already is written anew, or removed where the box has lost it.
 */
static gboolean refresh(const request *wanted, const GPtrArray *entries, GError **error)
{
    g_autoptr(GPtrArray) files = app_files_find(wanted->self->name);
    if (!files->len)
        say_note("nothing is exported yet; 'box app list' shows what can be");
    for (guint i = 0; i < files->len; i++) {
        const app_file *file = files->pdata[i];
        const entry *one = entries_find(entries, file->id);
        if (one && !apps_export(wanted->self, one, error))
            return FALSE;
    }
    return apps_drop_gone(wanted->self, entries, error);
}

static int export(const arguments *given, GError **error)
{
    g_auto(request) wanted = {0};
    if (!read_request(&wanted, given, error))
        return -1;
    g_autoptr(GPtrArray) entries = apps_read(wanted.self, NULL, NULL, error);
    if (!entries || !check_known(&wanted, entries, error))
        return -1;
    gboolean done = wanted.ids->len || refresh(&wanted, entries, error);
    for (guint i = 0; done && i < wanted.ids->len; i++)
        done = apps_export(wanted.self, entries_find(entries, wanted.ids->pdata[i]), error);
    app_files_announce();
    return done ? 0 : -1;
}

/* Without a name: all of the box. The box is not asked. */
static int unexport(const arguments *given, GError **error)
{
    g_auto(request) wanted = {0};
    if (!read_request(&wanted, given, error))
        return -1;
    const char *name = wanted.self->name;
    g_autoptr(GPtrArray) files = app_files_find(name);
    if (!wanted.ids->len)
        app_files_forget(name);
    for (guint i = 0; i < wanted.ids->len; i++) {
        const char *id = wanted.ids->pdata[i];
        if (!app_files_of(files, id)) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "'%s' of box '%s' is not exported",
                        id, name);
            return -1;
        }
        if (!app_files_remove(name, id, error))
            return -1;
    }
    if (wanted.ids->len)
        app_files_announce();
    return 0;
}

/* "run BOX ID [FILE…]", which the entries call. */
static int run_one(const arguments *given, GError **error)
{
    char **words = given->operands + 1;
    if (!entry_id_is_valid(words[1], -1)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "box app run BOX ID [FILE…]");
        return -1;
    }
    GError *problem = NULL;
    g_autoptr(box) self = registry_by_name(words[0], &problem);
    int status = self ? app_run(self, words[1], words + 2, &problem) : -1;
    if (problem) {
        app_run_explain(words[1], problem->message);
        g_propagate_error(error, problem);
    }
    return status;
}

static int run(const arguments *given, GError **error)
{
    static const command_verb verbs[] = {{"list", 0, 2, list, TRUE},
                                         {"export", 0, G_MAXUINT, export, FALSE},
                                         {"unexport", 0, G_MAXUINT, unexport, FALSE},
                                         {"run", 2, G_MAXUINT, run_one, FALSE},
                                         {NULL}};
    return command_run_verb(verbs, given, set.json,
                            "box app list [--json] [PROJECT], box app export|unexport [PROJECT] "
                            "[ID…], or box app run BOX ID [FILE…]",
                            error);
}

const command command_app = {
    .name = "app",
    .group = GROUP_SETUP,
    .arguments = "list|export|unexport|run [PROJECT] [ID…]",
    .verbs = "list export unexport run",
    .summary = "put programs of the box into this machine's menu",
    .details =
        "'box app list' shows what the box has, 'box app export ID' makes a menu entry \"Program\n"
        "(box)\" that starts the box when needed and runs the program in it. Without an ID, export\n"
        "writes the entries of the box anew, and unexport removes all of them.",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .operands_max = INT_MAX,
    .run = run,
};
