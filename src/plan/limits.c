/* Memory, processor time, processes, shared memory, open files. */
#include "plan/draft.h"

#include <math.h>

/* The kernel's default period of a cgroup's CPU quota, in microseconds. */
#define CPU_PERIOD 100000

/* "limits.memory and limits.pids": one line for all that this machine cannot enforce. */
static void warn_not_enforced(plan_draft *self, const GPtrArray *names)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (names->len == 0)
        return;
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%slimits.%s",
                               i == 0               ? ""
                               : i + 1 < names->len ? ", "
                                                    : " and ",
                               (const char *)names->pdata[i]);
    plan_warn(self, "%s %s not enforced: the host has %s", text->str,
              names->len == 1 ? "is" : "are",
              !self->facts->cgroup_v2 ? "no cgroup v2 ('box doctor' says more)"
              : names->len == 1
                  ? "not delegated that cgroup controller to you ('box doctor' says how)"
                  : "not delegated those cgroup controllers to you ('box doctor' says how)");
}

static void add_memory(json_t *limits, gint64 bytes)
{
    /* "swap" counts memory and swap together: no swap beyond the limit. */
    json_object_set_new(
        limits, "memory",
        json_pack("{s:I, s:I}", "limit", (json_int_t)bytes, "swap", (json_int_t)bytes));
}

char *plan_memory_share(const plan_draft *self, int percent)
{
    gint64 bytes = self->wanted->limits.memory;

    return bytes > 0 ? g_strdup_printf("%" G_GINT64_FORMAT, bytes / 100 * percent)
                     : g_strdup_printf("%d%%", percent);
}

static void add_cpus(json_t *limits, double cpus)
{
    json_object_set_new(limits, "cpu",
                        json_pack("{s:I, s:i}", "quota", (json_int_t)llround(cpus * CPU_PERIOD),
                                  "period", CPU_PERIOD));
}

static void add_pids(json_t *limits, gint64 pids)
{
    json_object_set_new(limits, "pids", json_pack("{s:I}", "limit", (json_int_t)pids));
}

/*
 * What cgroups limit. A limit without its controller is left out: crun would ignore it where it
 * gets no cgroup, and refuse to start the box where it does.
 */
static json_t *resource_limits(plan_draft *self)
{
    const settings *wanted = self->wanted;
    const plan_facts *facts = self->facts;
    g_autoptr(GPtrArray) missing = g_ptr_array_new();
    json_t *limits = json_object();

    if (wanted->limits.memory > 0 && facts->cgroup_v2 && facts->cgroup_memory)
        add_memory(limits, wanted->limits.memory);
    else if (wanted->limits.memory > 0)
        g_ptr_array_add(missing, (char *)"memory");
    if (wanted->limits.cpus > 0 && facts->cgroup_v2 && facts->cgroup_cpu)
        add_cpus(limits, wanted->limits.cpus);
    else if (wanted->limits.cpus > 0)
        g_ptr_array_add(missing, (char *)"cpus");
    if (wanted->limits.pids > 0 && facts->cgroup_v2 && facts->cgroup_pids)
        add_pids(limits, wanted->limits.pids);
    else if (wanted->limits.pids > 0)
        g_ptr_array_add(missing, (char *)"pids");
    warn_not_enforced(self, missing);
    return limits;
}

/* Nobody but the kernel's own root can raise what the user may have. */
static gboolean add_files(plan_draft *self, gint64 files, GError **error)
{
    if (files <= 0)
        return TRUE;
    if ((guint64)files > self->facts->open_files) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "limits.nofile: %" G_GINT64_FORMAT " is more than the %" G_GUINT64_FORMAT
                    " that you may have on this machine ('ulimit -Hn')",
                    files, self->facts->open_files);
        return FALSE;
    }
    plan_set(self, "r_limits",
             json_pack("[{s:s, s:I, s:I}]", "type", "nofile", "hard", (json_int_t)files, "soft",
                       (json_int_t)files));
    return TRUE;
}

gboolean plan_add_limits(plan_draft *self, GError **error)
{
    plan_set(self, "resource_limits", resource_limits(self));
    if (self->wanted->limits.shm > 0)
        plan_set(self, "shm_size", json_integer(self->wanted->limits.shm));
    return add_files(self, self->wanted->limits.nofile, error);
}
