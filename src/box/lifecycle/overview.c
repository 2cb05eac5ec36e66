#include "box/overview.h"

#include <string.h>
#include <unistd.h>

#include "box/ephemeral.h"
#include "common/paths.h"
#include "plan/plan.h"
#include "podman/containers.h"
#include "session/client.h"

static void row_free(gpointer data)
{
    overview_row *row = data;
    g_free(row->name);
    g_free(row->project);
    g_free(row->container);
    g_free(row->image);
    g_free(row->started);
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

/* Podman's list has the start as seconds since 1970. */
static char *started_text(json_t *container)
{
    gint64 seconds = json_integer_value(json_object_get(container, "StartedAt"));
    g_autoptr(GDateTime) time = seconds > 0 ? g_date_time_new_from_unix_utc(seconds) : NULL;
    return time ? g_date_time_format_iso8601(time) : NULL;
}

static void take_container(GPtrArray *rows, json_t *container)
{
    json_t *labels = json_object_get(container, "Labels");
    const char *name = text(labels, PLAN_LABEL_BOX), *image = text(container, "Image");
    if (!name || g_strcmp0(text(labels, PLAN_LABEL_INSTANCE), paths_instance()) != 0)
        return;
    overview_row *row = find(rows, name);
    if (!row) {
        row = row_new(name, text(labels, PLAN_LABEL_PROJECT));
        row->ephemeral = box_name_is_valid(name) && ephemeral_exists(name);
        g_ptr_array_add(rows, row);
    }
    row->state = box_state_from_podman(text(container, "State"));
    row->image = g_strdup(image && *image ? image : "host");
    row->container =
        g_strdup(json_string_value(json_array_get(json_object_get(container, "Names"), 0)));
    if (row->state == BOX_RUNNING)
        row->started = started_text(container);
}

static gint compare(gconstpointer a, gconstpointer b)
{
    return strcmp((*(overview_row *const *)a)->name, (*(overview_row *const *)b)->name);
}

GPtrArray *overview_collect(podman *server, GError **error)
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
        take_container(rows, container);
    g_ptr_array_sort(rows, compare);
    return rows;
}

void overview_ask(overview_row *row)
{
    struct session_info info;
    if (row->state != BOX_RUNNING || !box_name_is_valid(row->name))
        return;
    g_autoptr(box) its = box_new(row->name, row->project, NULL);
    int fd = its ? lifecycle_connect(its) : -1;
    if (fd < 0)
        return;
    if (client_query(fd, &info) == 0) {
        row->sessions = info.sessions;
        row->idle_left = info.idle_left == UINT32_MAX ? -1 : (gint64)info.idle_left;
    }
    close(fd);
}

static json_t *number_or_null(gint64 number)
{
    return number < 0 ? json_null() : json_integer(number);
}

static json_t *text_or_null(const char *value)
{
    return value && g_utf8_validate(value, -1, NULL) ? json_string(value) : json_null();
}

json_t *overview_json(const overview_row *row)
{
    return json_pack("{s:o, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "name",
                     text_or_null(row->name), "project", text_or_null(row->project), "state",
                     box_state_name(row->state), "registered", row->registered, "container",
                     text_or_null(row->container), "image", text_or_null(row->image), "started",
                     text_or_null(row->started), "sessions", number_or_null(row->sessions),
                     "idle_left", number_or_null(row->idle_left));
}
