#include "box/lifecycle/overview.h"

#include <string.h>
#include <unistd.h>

#include "box/lifecycle/ephemeral.h"
#include "box/lifecycle/replace.h"
#include "box/registry/branch_names.h"
#include "box/registry/project_rules.h"
#include "box/session/left_programs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/output.h"
#include "plan/plan.h"
#include "podman/podman.h"

static void row_free(gpointer data)
{
    overview_row *row = data;
    g_free(row->name);
    g_free(row->project);
    g_free(row->container);
    g_free(row->id);
    g_free(row->image);
    g_free(row);
}

static overview_row *row_new(const char *name, const char *project)
{
    overview_row *row = g_new0(overview_row, 1);
    row->name = g_strdup(name);
    row->project = g_strdup(project);
    row->sessions = row->idle_left = -1;
    return row;
}

static const char *text(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static overview_row *find(GPtrArray *rows, const char *name)
{
    for (guint i = 0; name && i < rows->len; i++) {
        overview_row *row = rows->pdata[i];
        if (strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

/* TRUE when CONTAINER is the name of NAME's container. Any container can have the label. */
static gboolean is_own(const char *name, const char *container)
{
    g_autoptr(box) owner = box_name_is_valid(name) ? box_new(name, "/", NULL) : NULL;
    return owner && container_name_is(container, owner->container);
}

static void add_container(GPtrArray *rows, json_t *container)
{
    json_t *labels = json_object_get(container, "Labels");
    const char *name = text(labels, PLAN_LABEL_BOX), *image = text(container, "Image");
    const char *own = json_string_value(json_array_get(json_object_get(container, "Names"), 0));
    if (!name || g_strcmp0(text(labels, PLAN_LABEL_INSTANCE), paths_instance()) != 0)
        return;
    overview_row *row = find(rows, name);
    /* While `box apply` creates a container, the box has two. One alone is left for prune. */
    if (row && !is_own(name, own))
        return;
    if (!row) {
        row = row_new(name, text(labels, PLAN_LABEL_PROJECT));
        row->branch = branch_is_box_name(name, NULL);
        row->ephemeral = box_name_is_valid(name) && ephemeral_box_exists(name);
        g_ptr_array_add(rows, row);
    }
    row->state = box_state_parse(text(container, "State"));
    g_free(row->image);
    g_free(row->container);
    row->image = g_strdup(image && *image ? image : "host");
    row->container = g_strdup(own);
    g_free(row->id);
    row->id = g_strdup(text(container, "Id"));
    if (row->state == BOX_RUNNING) {
        row->started = json_integer_value(json_object_get(container, "StartedAt"));
        row->init = (pid_t)json_integer_value(json_object_get(container, "Pid"));
    }
}

static gint compare(gconstpointer a, gconstpointer b)
{
    return strcmp((*(overview_row *const *)a)->name, (*(overview_row *const *)b)->name);
}

GPtrArray *box_overview(podman_client *server, GError **error)
{
    g_autoptr(json_t) containers = podman_container_list(server, PLAN_LABEL_BOX, error);
    if (!containers)
        return NULL;
    GPtrArray *rows = g_ptr_array_new_with_free_func(row_free);
    g_auto(GStrv) names = registry_names();
    for (char **name = names; *name; name++) {
        g_autoptr(box) registered = registry_by_name(*name, NULL);
        if (!registered)
            continue;
        overview_row *row = row_new(*name, registered->project);
        row->registered = TRUE;
        g_ptr_array_add(rows, row);
    }
    size_t i;
    json_t *container;
    json_array_foreach (containers, i, container)
        add_container(rows, container);
    g_ptr_array_sort(rows, compare);
    return rows;
}

void overview_row_query_sessions(overview_row *row)
{
    struct session_info info;
    if (row->state != BOX_RUNNING || !box_name_is_valid(row->name))
        return;
    g_autoptr(box) self = box_new(row->name, row->project, NULL);
    if (!self || !box_query_sessions(self, &info))
        return;
    row->sessions = info.sessions;
    row->idle_left = info.idle_left == UINT32_MAX ? -1 : (gint64)info.idle_left;
    row->left = info.left;
}

char *overview_row_problem(const overview_row *row)
{
    /* Only an earlier version registered a folder that it refused to create a container for. */
    gboolean is_made = row->state != BOX_MISSING;
    const char *never = row->registered && !is_made ? project_never(row->project) : NULL;
    g_autofree char *safe = text_safe(row->project, -1);
    if (row->ephemeral || row->branch)
        return NULL;
    if (!row->registered) { /* anybody's container can have the label with the name */
        g_autofree char *name = text_safe(row->name, -1);
        return g_strdup_printf("'%s' is left over from a removed box; 'box prune' removes it",
                               name);
    }
    if (never)
        return g_strdup_printf("the project '%s' of box '%s' %s; 'box rm %s' removes the box", safe,
                               row->name, never, row->name);
    if (!g_file_test(row->project, G_FILE_TEST_IS_DIR))
        return g_strdup_printf("the project of box '%s' is gone: 'box rm %s' removes the box and "
                               "its home, 'box init --move' in its new place keeps them",
                               row->name, row->name);
    return NULL;
}

json_t *overview_row_to_json(const overview_row *row)
{
    g_autofree char *problem = overview_row_problem(row);
    json_t *kept_by = row->sessions < 0 ? json_null() : left_programs_json(&row->left);
    return json_pack("{s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     json_text(row->name), "problem", json_text(problem), "project",
                     json_text(row->project), "state", box_state_name(row->state), "registered",
                     row->registered, "container", json_text(row->container), "image",
                     json_text(row->image), "started", json_time(row->started), "sessions",
                     json_count(row->sessions), "idle_left", json_count(row->idle_left), "kept_by",
                     kept_by);
}
