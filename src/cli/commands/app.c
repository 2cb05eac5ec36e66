#include <limits.h>
#include <string.h>

#include "box/exec/apps.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "console/log.h"
#include "console/output.h"

/* What the command line names: a box, and programs of it. */
typedef struct {
    struct box *self;
    GPtrArray *ids; /* without ".desktop", valid */
} app_request;

static void app_request_clear(app_request *request)
{
    g_clear_pointer(&request->self, box_free);
    g_clear_pointer(&request->ids, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(app_request, app_request_clear)

/* A path or the name of a box; a box's name takes precedence over a program's. */
static gboolean is_project_word(const char *word)
{
    g_autoptr(box) named = box_name_is_valid(word) ? registry_by_name(word, NULL) : NULL;
    return named || strchr(word, '/') || word[0] == '.';
}

static gboolean add_id(app_request *request, const char *word, GError **error)
{
    gsize length = strlen(word);
    if (g_str_has_suffix(word, ".desktop"))
        length -= strlen(".desktop");
    if (!desktop_entry_id_is_valid(word, (gssize)length)) {
        g_autofree char *safe = text_safe(word, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "'%s' cannot be the name of a program; 'box app list' shows them", safe);
        return FALSE;
    }
    g_ptr_array_add(request->ids, g_strndup(word, length));
    return TRUE;
}

/* "VERB [PROJECT] [ID…]" */
static gboolean read_app_request(app_request *request, const struct command_call *call,
                                 GError **error)
{
    char **words = call->operands;
    const char *project = *words && is_project_word(*words) ? *words++ : NULL;
    request->self = project_box(project, PROJECT_EXISTING, error);
    request->ids = g_ptr_array_new_with_free_func(g_free);
    for (; request->self && *words; words++)
        if (!add_id(request, *words, error))
            return FALSE;
    return request->self != NULL;
}

/* The state of a program's entry in this machine's menu. */
enum export_state { EXPORT_NONE, EXPORT_CURRENT, EXPORT_CHANGED, EXPORT_GONE, N_EXPORT_STATES };

static enum export_state find_export_state(const app_request *request, const desktop_entry *one,
                                           const menu_entry *file)
{
    if (!file)
        return EXPORT_NONE;
    if (!one)
        return EXPORT_GONE;
    return app_is_exported_unchanged(request->self, one, file) ? EXPORT_CURRENT : EXPORT_CHANGED;
}

/* One row of the list: an entry of the box, one of the menu, or both. */
static void show_entry(const app_request *request, const desktop_entry *one, const menu_entry *file,
                       table *out, json_t *list)
{
    static const char *const words[] = {[EXPORT_NONE] = "no",
                                        [EXPORT_CURRENT] = "yes",
                                        [EXPORT_CHANGED] = "changed since",
                                        [EXPORT_GONE] = "gone from the box"};
    G_STATIC_ASSERT(G_N_ELEMENTS(words) == N_EXPORT_STATES);
    const char *id = one ? one->id : file->id;
    enum export_state state = find_export_state(request, one, file);
    gboolean stale = state == EXPORT_CHANGED || state == EXPORT_GONE;
    table_add(out, id);
    table_add(out, words[state]);
    table_add(out, one ? one->name : "-");
    json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:b, s:b, s:b}", "id", id, "name",
                                          json_text(one ? one->name : NULL), "comment",
                                          json_text(one ? one->comment : NULL), "terminal",
                                          one && one->terminal, "exported", file != NULL, "stale",
                                          stale));
}

static void print_list(const app_request *request, const GPtrArray *entries, const GPtrArray *files,
                       gboolean as_json)
{
    static const char *const headings[] = {"ID", "EXPORTED", "NAME", NULL};
    g_autoptr(table) out = table_new(headings);
    json_t *list = json_array();
    for (guint i = 0; i < entries->len; i++) {
        const desktop_entry *one = entries->pdata[i];
        show_entry(request, one, menu_entries_lookup(files, one->id), out, list);
    }
    for (guint i = 0; i < files->len; i++) {
        const menu_entry *file = files->pdata[i];
        if (!desktop_entries_find(entries, file->id))
            show_entry(request, NULL, file, out, list);
    }
    if (as_json)
        json_print(json_incref(list));
    else if (table_is_empty(out))
        log_note("box '%s' has no programs with desktop entries", request->self->name);
    else
        table_print(out);
    json_decref(list);
}

static int list_entries(const struct command_call *call, GError **error)
{
    guint refused = 0;
    g_auto(app_request) request = {0};
    if (!read_app_request(&request, call, error))
        return -1;
    if (request.ids->len) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "only one PROJECT is possible; usage: box app list [PROJECT]");
        return -1;
    }
    g_autoptr(GPtrArray) files = menu_entries_find(request.self->name);
    g_autoptr(GPtrArray) entries = apps_list(request.self, NULL, &refused, error);
    if (!entries)
        return -1;
    print_list(&request, entries, files, call->json);
    if (refused)
        log_note("%u more are not listed: their desktop entries are invalid or too large", refused);
    return 0;
}

static gboolean check_known(const app_request *request, const GPtrArray *entries, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (guint i = 0; i < entries->len; i++)
        g_ptr_array_add(known, ((const desktop_entry *)entries->pdata[i])->id);
    g_ptr_array_add(known, NULL);
    for (guint i = 0; i < request->ids->len; i++) {
        const char *id = request->ids->pdata[i];
        const char *near = text_nearest(id, (const char *const *)known->pdata);
        if (desktop_entries_find(entries, id))
            continue;
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    near ? "box '%s' has no program '%s'; did you mean '%s'?"
                         : "box '%s' has no program '%s'; 'box app list' shows them",
                    request->self->name, id, near);
        return FALSE;
    }
    return TRUE;
}

/* Without a name: updates the exported entries, and removes those that the box no longer has. */
static gboolean refresh_entry(const app_request *request, const GPtrArray *entries, GError **error)
{
    g_autoptr(GPtrArray) files = menu_entries_find(request->self->name);
    if (!files->len)
        log_note("nothing is exported yet; 'box app list' lists what can be exported");
    for (guint i = 0; i < files->len; i++) {
        const menu_entry *file = files->pdata[i];
        const desktop_entry *one = desktop_entries_find(entries, file->id);
        if (one && !app_export(request->self, one, error))
            return FALSE;
    }
    return apps_unexport_missing(request->self, entries, error);
}

static int export(const struct command_call *call, GError **error)
{
    g_auto(app_request) request = {0};
    if (!read_app_request(&request, call, error))
        return -1;
    g_autoptr(GPtrArray) entries = apps_list(request.self, NULL, NULL, error);
    if (!entries || !check_known(&request, entries, error))
        return -1;
    gboolean done = request.ids->len || refresh_entry(&request, entries, error);
    for (guint i = 0; done && i < request.ids->len; i++)
        done =
            app_export(request.self, desktop_entries_find(entries, request.ids->pdata[i]), error);
    menu_entries_notify();
    return done ? 0 : -1;
}

/* Without a name: all entries of the box. The box need not run. */
static int unexport(const struct command_call *call, GError **error)
{
    g_auto(app_request) request = {0};
    if (!read_app_request(&request, call, error))
        return -1;
    const char *name = request.self->name;
    g_autoptr(GPtrArray) files = menu_entries_find(name);
    if (!request.ids->len)
        menu_entries_remove_all(name);
    for (guint i = 0; i < request.ids->len; i++) {
        const char *id = request.ids->pdata[i];
        if (!menu_entries_lookup(files, id)) {
            g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "'%s' of box '%s' is not exported",
                        id, name);
            return -1;
        }
        if (!menu_entry_remove(name, id, error))
            return -1;
    }
    if (request.ids->len)
        menu_entries_notify();
    return 0;
}

/* "run BOX ID [FILE…]", which the entries call. */
static int run_one(const struct command_call *call, GError **error)
{
    char **words = call->operands;
    if (!desktop_entry_id_is_valid(words[1], -1)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "box app run BOX ID [FILE…]");
        return -1;
    }
    GError *problem = NULL;
    g_autoptr(box) self = registry_by_name(words[0], &problem);
    int status = self ? app_run(self, words[1], words + 2, &problem) : -1;
    if (problem) {
        app_notify_failure(words[1], problem->message);
        g_propagate_error(error, problem);
    }
    return status;
}

static const struct command_verb app_verbs[] = {
    {"list", "[PROJECT]", 0, 2, list_entries,
     "list the programs of the box, and which are in the menu", COMMAND_JSON, COMPLETE_PROJECT},
    {"export",
     "[PROJECT] [ID…]",
     0,
     COMMAND_NO_LIMIT,
     export,
     "create menu entries; without ID: update those of the box",
     0,
     COMPLETE_PROJECT,
     {COMPLETE_APPS}},
    {"unexport",
     "[PROJECT] [ID…]",
     0,
     COMMAND_NO_LIMIT,
     unexport,
     "remove menu entries; without ID: all of the box",
     0,
     COMPLETE_PROJECT,
     {COMPLETE_EXPORTED_APPS}},
    {"run",
     "BOX ID [FILE…]",
     2,
     COMMAND_NO_LIMIT,
     run_one,
     "run a program of the box, as its menu entry does",
     0,
     COMPLETE_BOXES,
     {COMPLETE_APPS, COMPLETE_FILES}},
    {0},
};

const struct command command_app = {
    .name = "app",
    .group = GROUP_SETUP,
    .verbs = app_verbs,
    .summary = "put programs of the box into this machine's menu",
    .details =
        "The menu shows an exported program as \"Program (box)\". It starts the box if necessary "
        "and\n"
        "runs in it.",
};
