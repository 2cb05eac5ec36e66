#include "box/helpers/agent_log.h"

#include <fcntl.h>
#include <jansson.h>

#include "common/fs.h"
#include "common/paths.h"

/* The agent's own limit is 1 MiB a file. */
#define AGENT_LOG_MAX (4 << 20)

static void add_lines(GPtrArray *lines, const char *name)
{
    g_autofree char *path = paths_state(name);
    g_autofree char *data = NULL;
    if (!fs_read(AT_FDCWD, path, AGENT_LOG_MAX, &data, NULL, NULL))
        return;
    g_auto(GStrv) all = g_strsplit(data, "\n", -1);
    for (char **each = all; *each; each++)
        if (**each)
            g_ptr_array_add(lines, g_strdup(*each));
}

GPtrArray *agent_log_lines(void)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    add_lines(all, "agent.log.1");
    add_lines(all, "agent.log");
    return all;
}

static gboolean is_text(const json_t *entry, const char *key, const char *value)
{
    return g_strcmp0(json_string_value(json_object_get(entry, key)), value) == 0;
}

/* Entries have whole seconds. -1: one that cannot be read, as of an agent that was killed. */
static int is_since(const json_t *entry, gint64 time)
{
    const char *at = json_string_value(json_object_get(entry, "time"));
    g_autoptr(GDateTime) when = at ? g_date_time_new_from_iso8601(at, NULL) : NULL;
    return when ? g_date_time_to_unix(when) >= time / G_USEC_PER_SEC : -1;
}

void agent_log_count(const char *box, gint64 time, guint *done, guint *refused)
{
    g_autoptr(GPtrArray) lines = agent_log_lines();
    *done = *refused = 0;
    for (guint i = lines->len; i-- > 0;) {
        json_t *entry = json_loads(lines->pdata[i], 0, NULL);
        int is_new = is_since(entry, time);
        if (is_new > 0 && is_text(entry, "box", box)) {
            *done += is_text(entry, "decision", "signed");
            *refused += is_text(entry, "decision", "refused");
        }
        json_decref(entry);
        if (is_new == 0)
            break;
    }
}
